#include "platform/terminal.h"

#include "platform/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define REDRAW_SECONDS 0.05
#define LINE_SECONDS 2.0   // between lines where there is no terminal
#define SHORTEST_GUESS 0.5 // s: what came before tells too little
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

// ---- time left ------------------------------------------------------------------------------------

snEta snMakeEta(double now)
{
    return (snEta){.begun = now, .first = -1};
}

// The guess is e = now + (now - begun) (1 - f) / (f - f_0). What is said is drawn to it with a time
// constant that grows with the time that has passed, since a fifth of all is known no better than that.
double snEta_Left(snEta *eta, double fraction, double now)
{
    if (!(fraction >= 0.0)) return -1;
    if (fraction > 1.0) fraction = 1.0;
    if (eta->first < 0.0) {
        eta->first = fraction;
        eta->begun = now;
    }
    double elapsed = now - eta->begun, gone = fraction - eta->first;
    if (!(gone > 0.0) || elapsed < SHORTEST_GUESS) return -1;
    double guess = now + elapsed * (1.0 - fraction) / gone;
    double slowness = elapsed > 10 * SHORTEST_GUESS ? 0.2 * elapsed : 2 * SHORTEST_GUESS;
    double pull = eta->known ? (now - eta->asked) / slowness : 1.0;
    eta->end = eta->known ? eta->end + (pull < 1.0 ? pull : 1.0) * (guess - eta->end) : guess;
    eta->known = true;
    eta->asked = now;
    double left = eta->end - now;
    if (fraction >= 1.0) return 0;
    return left > 0.0 ? left : 0.0;
}

// ---- the line -------------------------------------------------------------------------------------

static snProgress makeProgress(int descriptor, bool lines, const char *label)
{
    double now = snClock_Seconds();
    snProgress progress = {
        .descriptor = descriptor, .lines = lines, .begun = now, .eta = snMakeEta(now)};
    snprintf(progress.label, sizeof progress.label, "%s", label);
    return progress;
}

snProgress snMakeProgressOn(int descriptor, const char *label)
{
    return makeProgress(snTerminal_IsInteractive(descriptor) ? descriptor : -1, false, label);
}

snProgress snMakeProgress(const char *label, bool quiet)
{
    return snMakeProgressOn(quiet ? -1 : STDERR_FILENO, label);
}

snProgress snMakeProgressLines(const char *label)
{
    return makeProgress(STDERR_FILENO, !snTerminal_IsInteractive(STDERR_FILENO), label);
}

// "1:02:03", or "2:03".
static void formatTime(char *text, size_t capacity, double time)
{
    int seconds = time < 360000.0 ? (int)ceil(time) : 360000, hours = seconds / 3600;
    if (hours)
        snprintf(text, capacity, "%d:%02d:%02d", hours, seconds / 60 % 60, seconds % 60);
    else
        snprintf(text, capacity, "%d:%02d", seconds / 60, seconds % 60);
}

// "  0:08, 0:07 left".
static void formatTimes(char *text, size_t capacity, const snProgressLine *content)
{
    char elapsed[16], left[16];
    formatTime(elapsed, sizeof elapsed, content->elapsed > 0 ? floor(content->elapsed) : 0);
    if (content->left >= 0.0 && content->left < 360000.0) {
        formatTime(left, sizeof left, content->left);
        snprintf(text, capacity, "  %s, %s left", elapsed, left);
    } else {
        snprintf(text, capacity, "  %s", elapsed);
    }
}

void snProgress_Format(char *line, size_t capacity, int columns, const snProgressLine *content)
{
    double fraction = content->fraction < 1.0 ? content->fraction : 1.0;
    if (isnan(content->fraction)) fraction = 0.0;
    char times[48], bar[52] = "";
    formatTimes(times, sizeof times, content);
    int width = columns - 1 - (int)strlen(content->label) - (int)strlen(times) - 8;
    if (width > 50) width = 50; // 8: " [", "]", " 100%"
    if (fraction < 0.0) {
        snprintf(line, capacity, "%s%s", content->label, times);
    } else if (width >= 5 && !content->plain) {
        int full = (int)(fraction * width);
        for (int i = 0; i < width; i++)
            bar[i] = i < full ? '=' : i == full ? '>' : ' ';
        bar[width] = '\0';
        snprintf(line, capacity, "%s [%s] %3d%%%s", content->label, bar, (int)(100.0 * fraction),
                 times);
    } else {
        snprintf(line, capacity, "%s %3d%%%s", content->label, (int)(100.0 * fraction), times);
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

// A bar on a terminal is drawn over, a line ends.
static void draw(snProgress *progress, double fraction, double now)
{
    char line[LONGEST_LINE], text[LONGEST_LINE + sizeof CLEAR_LINE + 8];
    snProgressLine content = {progress->label, fraction, now - progress->begun,
                              snEta_Left(&progress->eta, fraction, now), progress->lines};
    int columns = progress->lines ? LONGEST_LINE : snTerminal_Columns(progress->descriptor);
    snProgress_Format(line, sizeof line, columns, &content);
    snprintf(text, sizeof text, progress->lines ? "sinew: %s\n" : CLEAR_LINE "%s", line);
    put(progress->descriptor, text);
    progress->drawn = now;
    progress->lineHasText = !progress->lines;
}

void snProgress_Begin(snProgress *progress, const char *label)
{
    if (progress->descriptor < 0) return;
    snProgress_Label(progress, label);
    progress->eta = snMakeEta(snClock_Seconds());
    draw(progress, -1, snClock_Seconds());
}

void snProgress_Label(snProgress *progress, const char *label)
{
    snprintf(progress->label, sizeof progress->label, "%s", label);
}

void snProgress_Update(snProgress *progress, double fraction)
{
    if (progress->descriptor < 0) return;
    double now = snClock_Seconds();
    if (now - progress->drawn < (progress->lines ? LINE_SECONDS : REDRAW_SECONDS)) {
        snEta_Left(&progress->eta, fraction, now); // begins to count at once
        return;
    }
    draw(progress, fraction > 0.0 ? fraction : 0.0, now);
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
