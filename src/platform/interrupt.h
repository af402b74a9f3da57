// Ctrl-C, a request to end (SIGTERM) and a closed terminal (SIGHUP). Signals belong to the process, and
// so does this: one stretch of work at a time, begun and ended by the program's own thread.
//     snInterrupt_Begin();
//     ... // an interrupt ends the program at once: there is nothing to clean up
//     snInterrupt_Defer(true);
//     ... if (snInterrupt_Pending()) clean up and leave ...
//     snInterrupt_End(); // dies now by the signal that came
// A second Ctrl-C while the first is deferred does not wait: it removes the files that are half written and ends the program.
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

// A file that is half written, removed where a second Ctrl-C ends the program. The node and its path live until it is forgotten.
typedef struct snHalfFile {
    const char *path;
    struct snHalfFile *volatile next;
} snHalfFile;
void snInterrupt_Watch(snHalfFile *file);
void snInterrupt_Forget(snHalfFile *file); // one that is not watched, too

// While files get their names an interrupt waits, a second Ctrl-C too: there would be some of them and not the others.
void snInterrupt_Hold(bool hold);

// Puts the former handlers back. A signal that was noted then does what it does by itself: who
// started the program sees that it was interrupted.
void snInterrupt_End(void);

#endif
