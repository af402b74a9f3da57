// A progress bar with the time left, on standard error when that is a terminal; silent otherwise, or
// a line every few seconds.
//     snProgress progress = snMakeProgress("walk", quiet);
//     ... snProgress_Update(&progress, (double)frame / frames); ...
//     snProgress_Begin(&progress, "writing"); // another phase, which does not know how far it is
//     snProgress_End(&progress);
#ifndef SN_PLATFORM_TERMINAL_H
#define SN_PLATFORM_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

// When something that tells how far it is will end. Guesses from one moment to the next jump about, so
// the end that is shown follows them slowly: within a few seconds at first, more slowly later.
typedef struct snEta {
    double begun, first; // s, and how far it was when it began
    double asked, end;   // s: when it was asked last, and what was said
    bool known;
} snEta;

snEta snMakeEta(double now);
// Seconds left, or below 0 where it is too early to tell. `fraction` in [0, 1].
double snEta_Left(snEta *eta, double fraction, double now);

typedef struct snProgress {
    int descriptor; // where it is drawn; -1: nowhere
    bool lines;     // whole lines now and then, for what is no terminal
    char label[80];
    double begun;     // seconds of the clock
    double drawn;     // when it was last drawn
    bool lineHasText; // the bar stands on the line
    snEta eta;        // of the present phase
} snProgress;

// Whether standard error is a terminal that can redraw a line.
bool snTerminal_IsInteractive(int descriptor);
int snTerminal_Columns(int descriptor); // 80 where it cannot be told

snProgress snMakeProgress(const char *label, bool quiet);
snProgress snMakeProgressOn(int descriptor, const char *label); // silent if that is no terminal
// On standard error in any case: as lines where it is no terminal.
snProgress snMakeProgressLines(const char *label);

// Another phase: shows its label at once; time left is counted anew.
void snProgress_Begin(snProgress *progress, const char *label);
void snProgress_Label(snProgress *progress, const char *label); // the same phase under another name

// fraction in [0, 1]. Redraws at most 20 times a second, so it may be called as often as one likes.
void snProgress_Update(snProgress *progress, double fraction);
void snProgress_Clear(snProgress *progress); // before printing something else; comes back by itself
void snProgress_End(snProgress *progress);   // clears the line for good

// The line itself: "walk [=====>    ]  52%  0:08, 0:07 left", at most columns - 1 characters.
// fraction below 0: it is not known, and there is no bar; left below 0: neither is that.
typedef struct snProgressLine {
    const char *label;
    double fraction, elapsed, left;
    bool plain; // without a bar, for lines that stay
} snProgressLine;
void snProgress_Format(char *line, size_t capacity, int columns, const snProgressLine *content);

#endif
