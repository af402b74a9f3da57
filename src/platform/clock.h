// A clock that only goes forward, for measuring how long things take, and waiting.
#ifndef SN_PLATFORM_CLOCK_H
#define SN_PLATFORM_CLOCK_H

double snClock_Seconds(void);       // since some moment in the past
void snClock_Sleep(double seconds); // about so long; a signal may end it before

#endif
