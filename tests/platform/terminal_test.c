#define _XOPEN_SOURCE 700 // for pseudo-terminals

#include "platform/terminal.h"

#include "platform/clock.h"
#include "tests/test.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static void theClockGoesForward(void)
{
    double before = snClock_Seconds();
    struct timespec pause = {0, 2000000};
    nanosleep(&pause, NULL);
    double passed = snClock_Seconds() - before;
    CHECK(passed >= 0.002 && passed < 10.0);
}

static void linesTellTheTruth(void)
{
    char line[256];
    snProgress_Format(line, sizeof line, 40, "walk", 0.5, 10.0);
    CHECK(strcmp(line, "walk [========>       ]  50%  0:10 left") == 0);
    snProgress_Format(line, sizeof line, 80, "walk", 0.25, 2000.0);
    CHECK(strstr(line, " 25%  1:40:00 left") != NULL);
    snProgress_Format(line, sizeof line, 80, "walk", 1.0, 3.0);
    CHECK(strstr(line, "100%  0:00 left") != NULL && strchr(line, '>') == NULL);
    snProgress_Format(line, sizeof line, 80, "walk", 0.1, 0.1); // too early to tell
    CHECK(strstr(line, "left") == NULL && strstr(line, " 10%") != NULL);
}

static void linesFitEveryWidth(void)
{
    char line[256];
    const double fractions[] = {0.0, 1e-300, 0.33, 1.0, -1.0, 2.0, NAN, INFINITY};
    for (int columns = -1; columns < 300; columns++) {
        for (int i = 0; i < 8; i++) {
            snProgress_Format(line, sizeof line, columns, "a rather long label", fractions[i], 7.0);
            CHECK((int)strlen(line) <= (columns > 1 ? columns - 1 : 0));
        }
    }
    char tiny[8];
    snProgress_Format(tiny, sizeof tiny, 80, "label", 0.5, 1.0);
    CHECK(strlen(tiny) < sizeof tiny);
}

static void pipesStaySilent(void)
{
    int ends[2];
    CHECK(pipe(ends) == 0);
    snProgress progress = snMakeProgressOn(ends[1], "walk");
    for (int i = 0; i <= 10; i++)
        snProgress_Update(&progress, 0.1 * i);
    snProgress_End(&progress);
    close(ends[1]);
    char byte;
    CHECK(read(ends[0], &byte, 1) == 0);
    close(ends[0]);
    progress = snMakeProgress("walk", true); // quiet
    CHECK(progress.descriptor == -1);
    snProgress_Update(&progress, 0.5);
    snProgress_Clear(&progress);
    snProgress_End(&progress);
}

#define CLEAR_LINE "\r\x1b[K"

static void drawForAWhile(int terminal)
{
    snProgress progress = snMakeProgressOn(terminal, "walk");
    double begun = snClock_Seconds();
    while (snClock_Seconds() - begun < 0.22)
        snProgress_Update(&progress, (snClock_Seconds() - begun) / 0.22);
    snProgress_End(&progress);
    snProgress_Update(&progress, 1.0); // after the end: nothing
    CHECK(write(terminal, "done", 4) == 4);
}

// What arrives at the other side, up to the word that was sent last: terminals deliver in portions.
static size_t receive(int master, char *text, size_t capacity)
{
    size_t size = 0;
    text[0] = '\0';
    while (!strstr(text, "done") && size + 1 < capacity) {
        struct pollfd ready = {.fd = master, .events = POLLIN};
        if (poll(&ready, 1, 5000) != 1) break;
        ssize_t got = read(master, text + size, capacity - 1 - size);
        if (got <= 0) break;
        size += (size_t)got;
        text[size] = '\0';
    }
    return size;
}

static void terminalsGetABarThatGoesAway(void)
{
    setenv("TERM", "xterm", 1);
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) || unlockpt(master)) {
        printf("no pseudo-terminals here; not tried\n");
        return;
    }
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    CHECK(slave >= 0 && snTerminal_IsInteractive(slave));
    struct winsize size = {.ws_row = 24, .ws_col = 50};
    CHECK(ioctl(slave, TIOCSWINSZ, &size) == 0 && snTerminal_Columns(slave) == 50);
    char text[8192];
    drawForAWhile(slave);
    size_t got = receive(master, text, sizeof text);
    int draws = 0;
    for (size_t i = 0; i < got; i++)
        draws += text[i] == '\r';
    CHECK(draws >= 2 && draws <= 6); // 0.22 s at 20 a second, and the end
    CHECK(strstr(text, "walk [") != NULL);
    CHECK(strstr(text, CLEAR_LINE "done") != NULL); // the line is clear at last
    setenv("TERM", "dumb", 1);
    CHECK(!snTerminal_IsInteractive(slave));
    close(slave);
    close(master);
}

int main(void)
{
    RUN(theClockGoesForward);
    RUN(linesTellTheTruth);
    RUN(linesFitEveryWidth);
    RUN(pipesStaySilent);
    RUN(terminalsGetABarThatGoesAway);
    return snTest_Finish();
}
