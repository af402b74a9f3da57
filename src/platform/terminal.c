#include "platform/terminal.h"

#include "platform/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define REDRAW_SECONDS 0.05
#define LONGEST_LINE 256
#define CLEAR_LINE "\r\x1b[K"

bool snTerminal_IsInteractive(int descriptor)
{
    if (descriptor < 0 || !isatty(descriptor)) return false;
    const char *kind = getenv("TERM");
    return !kind || strcmp(kind, "dumb") != 0;
}

int snTerminal_Columns(int descriptor)
{
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

snProgress snMakeProgressOn(int descriptor, const char *label)
{
    snProgress progress = {.descriptor = snTerminal_IsInteractive(descriptor) ? descriptor : -1,
                           .begun = snClock_Seconds()};
    snprintf(progress.label, sizeof progress.label, "%s", label);
    return progress;
}

snProgress snMakeProgress(const char *label, bool quiet)
{
    return snMakeProgressOn(quiet ? -1 : STDERR_FILENO, label);
}

// "1:02:03 left". The first moments tell too little to guess from.
static void formatTimeLeft(char *text, size_t capacity, double fraction, double elapsed)
{
    text[0] = '\0';
    if (!(fraction > 0.0) || elapsed < 0.5) return;
    double left = elapsed * (1.0 - fraction) / fraction;
    if (!(left < 360000.0)) return;
    int seconds = (int)ceil(left), hours = seconds / 3600;
    if (hours)
        snprintf(text, capacity, "  %d:%02d:%02d left", hours, seconds / 60 % 60, seconds % 60);
    else
        snprintf(text, capacity, "  %d:%02d left", seconds / 60, seconds % 60);
}

void snProgress_Format(char *line, size_t capacity, int columns, const char *label, double fraction,
                       double elapsed)
{
    fraction = fraction > 0.0 ? fraction < 1.0 ? fraction : 1.0 : 0.0; // NaN is 0
    char left[32], bar[52] = "";
    formatTimeLeft(left, sizeof left, fraction, elapsed);
    int width = columns - 1 - (int)strlen(label) - (int)strlen(left) - 8; // 8: " [", "]", " 100%"
    if (width > 50) width = 50;
    if (width >= 5) {
        int full = (int)(fraction * width);
        for (int i = 0; i < width; i++)
            bar[i] = i < full ? '=' : i == full ? '>' : ' ';
        bar[width] = '\0';
        snprintf(line, capacity, "%s [%s] %3d%%%s", label, bar, (int)(100.0 * fraction), left);
    } else {
        snprintf(line, capacity, "%s %3d%%%s", label, (int)(100.0 * fraction), left);
    }
    size_t longest = columns > 1 ? (size_t)columns - 1 : 0;
    if (strlen(line) > longest) line[longest] = '\0';
}

// One write, so that nothing else comes between. A terminal that has gone away is no reason to fail.
static void put(int descriptor, const char *text)
{
    ssize_t ignored = write(descriptor, text, strlen(text));
    (void)ignored;
}

void snProgress_Update(snProgress *progress, double fraction)
{
    if (progress->descriptor < 0) return;
    double now = snClock_Seconds();
    if (now - progress->drawn < REDRAW_SECONDS) return;
    char line[LONGEST_LINE], text[LONGEST_LINE + sizeof CLEAR_LINE];
    snProgress_Format(line, sizeof line, snTerminal_Columns(progress->descriptor), progress->label,
                      fraction, now - progress->begun);
    snprintf(text, sizeof text, CLEAR_LINE "%s", line);
    put(progress->descriptor, text);
    progress->drawn = now;
    progress->lineHasText = true;
}

void snProgress_Clear(snProgress *progress)
{
    if (progress->descriptor < 0 || !progress->lineHasText) return;
    put(progress->descriptor, CLEAR_LINE);
    progress->lineHasText = false;
}

void snProgress_End(snProgress *progress)
{
    snProgress_Clear(progress);
    progress->descriptor = -1;
}
