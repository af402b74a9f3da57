// What is printed: names cannot talk to the terminal, nouns have the right number.
#include "cli/text.h"

#include "tests/test.h"

#include <string.h>

static bool shows(const char *text, const char *shown)
{
    return !strcmp(snPlain(text).text, shown);
}

static void plainTextStays(void)
{
    CHECK(shows("", ""));
    CHECK(shows("Armature|Walk 01 \\ \"%s\"", "Armature|Walk 01 \\ \"%s\""));
    CHECK(shows("Schwänzchen 尾 \xf0\x9f\x90\x84", "Schwänzchen 尾 \xf0\x9f\x90\x84"));
}

static void controlCharactersAreWrittenOut(void)
{
    CHECK(shows("a\nb\tc\rd", "a\\nb\\tc\\rd"));
    CHECK(shows("\x1b[31mred\x7f\x01", "\\x1b[31mred\\x7f\\x01"));
    CHECK(shows("\xc2\x9b"
                "2J",
                "\\u009b2J"));                              // the control sequence introducer
    CHECK(shows("ear\xe2\x80\xaexyz", "ear\\u202exyz"));    // right to left
    CHECK(shows("\xe2\x80\xa8\xd8\x9c", "\\u2028\\u061c")); // a line separator, a mark
}

static void whatIsNoUtf8IsWrittenOut(void)
{
    CHECK(shows("\x9b\xff", "\\x9b\\xff"));
    CHECK(shows("a\xe2\x80", "a\\xe2\\x80"));                 // cut
    CHECK(shows("\xc0\x9b", "\\xc0\\x9b"));                   // longer than it need be
    CHECK(shows("\xf7\xbf\xbf\xbf", "\\xf7\\xbf\\xbf\\xbf")); // beyond the last
    CHECK(shows("\xc3(", "\\xc3("));
}

static void longTextIsCutBetweenCharacters(void)
{
    static char text[2 * SN_PLAIN_CHARS];
    memset(text, 1, sizeof text - 1);
    size_t length = strlen(snPlain(text).text);
    CHECK(length < SN_PLAIN_CHARS && length > SN_PLAIN_CHARS - 8 && length % 4 == 0);
}

static void nounsHaveTheirNumber(void)
{
    CHECK(!strcmp(snPlural(0, "cell", "cells"), "cells"));
    CHECK(!strcmp(snPlural(1, "vertex", "vertices"), "vertex"));
    CHECK(!strcmp(snPlural(2, "vertex", "vertices"), "vertices"));
    CHECK(!strcmp(snPlural(-1, "cell", "cells"), "cells"));
}

int main(void)
{
    RUN(plainTextStays);
    RUN(controlCharactersAreWrittenOut);
    RUN(whatIsNoUtf8IsWrittenOut);
    RUN(longTextIsCutBetweenCharacters);
    RUN(nounsHaveTheirNumber);
    return snTest_Finish();
}
