// Ctrl-C, a request to end (SIGTERM) and a closed terminal (SIGHUP). Signals belong to the process, and
// so does this: one stretch of work at a time, begun and ended by the program's own thread.
//     snInterrupt_Begin();
//     ... // an interrupt ends the program at once: there is nothing to clean up
//     snInterrupt_Defer(true);
//     ... if (snInterrupt_Pending()) clean up and leave ...
//     snInterrupt_End(); // dies now by the signal that came
// Between Begin and End a write into a closed pipe or beyond a limit of files' sizes fails, as one onto a full
// disk does, instead of ending the program with half a file behind it.
#ifndef SN_PLATFORM_INTERRUPT_H
#define SN_PLATFORM_INTERRUPT_H

#include <stdbool.h>

// Signals that are ignored (nohup) stay so.
void snInterrupt_Begin(void);

// While deferred, an interrupt is only noted; it acts when that ends.
void snInterrupt_Defer(bool defer);
bool snInterrupt_Pending(void);

// Puts the former handlers back. A signal that was noted then does what it does by itself: who
// started the program sees that it was interrupted.
void snInterrupt_End(void);

#endif
