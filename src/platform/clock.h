// A clock that only goes forward, for measuring how long things take.
#ifndef SN_PLATFORM_CLOCK_H
#define SN_PLATFORM_CLOCK_H

double snClock_Seconds(void); // since some moment in the past

#endif
