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

static const char *format(int columns, snProgressLine content)
{
    static char line[256];
    snProgress_Format(line, sizeof line, columns, &content);
    return line;
}

static void linesTellTheTruth(void)
{
    snProgressLine walk = {"walk", 0.5, 10.7, 9.1, false};
    CHECK(strcmp(format(40, walk), "walk [=====>    ]  50%  0:10, 0:10 left") == 0);
    walk.plain = true;
    CHECK(strcmp(format(200, walk), "walk  50%  0:10, 0:10 left") == 0);
    CHECK(strstr(format(80, (snProgressLine){"walk", 0.25, 2000, 6000, false}),
                 " 25%  33:20, 1:40:00 left"));
    const char *line = format(80, (snProgressLine){"walk", 1, 3, 0, false});
    CHECK(strstr(line, "100%  0:03, 0:00 left") && !strchr(line, '>'));
    line = format(80, (snProgressLine){"walk", 0.1, 0.1, -1, false}); // too early to tell
    CHECK(!strstr(line, "left") && strstr(line, " 10%"));
    CHECK(strcmp(format(80, (snProgressLine){"reading", -1, 2, -1, false}), "reading  0:02") == 0);
}

static void linesFitEveryWidth(void)
{
    const double fractions[] = {0.0, 1e-300, 0.33, 1.0, -1.0, 2.0, NAN, INFINITY};
    for (int columns = -1; columns < 300; columns++)
        for (int i = 0; i < 8; i++) {
            snProgressLine content = {"a rather long label", fractions[i], 7, fractions[i], false};
            CHECK((int)strlen(format(columns, content)) <= (columns > 1 ? columns - 1 : 0));
        }
    char tiny[8];
    snProgress_Format(tiny, sizeof tiny, 80, &(snProgressLine){"label", 0.5, 1, 1, false});
    CHECK(strlen(tiny) < sizeof tiny);
}

// Work of 60 s that tells how far it is 50 times a second, by turns half and one and a half times as
// fast: what is said must come near the truth early, and change like a clock.
static void timeLeftIsSteady(void)
{
    snEta eta = snMakeEta(100);
    double last = -1, worst = 0, jump = 0;
    for (int k = 0; k <= 3000; k++) {
        double t = 0.02 * k, swing = 0.5 * sin(2 * 3.14159265 * t / 3) * 3 / (2 * 3.14159265);
        double left = snEta_Left(&eta, (t + swing) / 60, 100 + t);
        if (t < 0.4) CHECK(left < 0);
        if (t > 5) worst = fmax(worst, fabs(left - (60 - t)) / (60 - t + 2));
        if (t > 5) jump = fmax(jump, fabs(left - last + 0.02));
        last = left;
    }
    printf("off by %.0f %% at most, jumps by %.2f s\n", 100 * worst, jump);
    CHECK(worst < 0.25 && jump < 0.2);
    eta = snMakeEta(0); // work that was half done when it began
    for (int k = 0; k <= 50; k++)
        last = snEta_Left(&eta, 0.5 + 0.002 * k, 0.1 * k);
    CHECK_NEAR(last, 20, 1);
    CHECK(snEta_Left(&eta, NAN, 6) < 0 && snEta_Left(&eta, 1, 6) == 0);
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
    RUN(timeLeftIsSteady);
    RUN(pipesStaySilent);
    RUN(terminalsGetABarThatGoesAway);
    return snTest_Finish();
}
