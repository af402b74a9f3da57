// A progress bar with the time left, on standard error when that is a terminal; silent otherwise.
//     snProgress progress = snMakeProgress("walk", quiet);
//     ... snProgress_Update(&progress, (double)frame / frames); ...
//     snProgress_End(&progress);
#ifndef SN_PLATFORM_TERMINAL_H
#define SN_PLATFORM_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct snProgress {
    int descriptor; // where it is drawn; -1: nowhere
    char label[48];
    double begun;     // seconds of the clock
    double drawn;     // when it was last drawn
    bool lineHasText; // the bar stands on the line
} snProgress;

// Whether standard error is a terminal that can redraw a line.
bool snTerminal_IsInteractive(int descriptor);
int snTerminal_Columns(int descriptor); // 80 where it cannot be told

snProgress snMakeProgress(const char *label, bool quiet);
snProgress snMakeProgressOn(int descriptor, const char *label); // silent if that is no terminal

// fraction in [0, 1]. Redraws at most 20 times a second, so it may be called as often as one likes.
void snProgress_Update(snProgress *progress, double fraction);
void snProgress_Clear(snProgress *progress); // before printing something else; comes back by itself
void snProgress_End(snProgress *progress);   // clears the line for good

// The line itself: "walk [=====>    ]  52%  0:07 left", at most columns - 1 characters.
void snProgress_Format(char *line, size_t capacity, int columns, const char *label, double fraction,
                       double elapsed);

#endif
