#include "asset/json_number.h"
#include "core/random.h"
#include "tests/test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double parseText(const char *text)
{
    double value = 12345;
    size_t used = snParseNumber(text, strlen(text), &value);
    CHECK(used == strlen(text));
    return value;
}

static bool sameBits(double a, double b)
{
    return !memcmp(&a, &b, sizeof a);
}

// The C library (in the C locale) is the independent second computation.
static void checkAgainstLibrary(const char *text)
{
    double ours = parseText(text), theirs = strtod(text, NULL);
    if (!CHECK(sameBits(ours, theirs))) printf("    %s: %a, library %a\n", text, ours, theirs);
}

static void hardCasesRoundRightly(void)
{
    static const char *cases[] = {
        "0",
        "-0",
        "0.0",
        "1",
        "-1",
        "0.1",
        "0.3",
        "123456789",
        "1e22",
        "1e23",
        "9007199254740993",
        "9007199254740992.5",
        "9007199254740991.5",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e309",
        "1e308",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "2.2250738585072012e-308",
        "1e-400",
        "1e400",
        "-1e400",
        "1e99999999999",
        "1e-99999999999",
        "0e99999999999",
        "6.02214076e23",
        "0.30000001192092896",
        "179769313486231580793e289",
        "8.5e-323",
        "5e-324",
        "123456789012345678901234567890",
        "0.000000000000000000000000000123",
        "1.00000005960464477539062",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203126",
        "1.00000000000000011102230246251565404236316680908203124",
        "3.14159265358979323846",
        "9214843084008499",
        "30078505129381147446200",
        "9.5e-320",
        "0.1e-320",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        checkAgainstLibrary(cases[i]);
}

static void longDigitStrings(void)
{
    char text[3000];
    // Half-way between two doubles to the last of its 700 and more digits, then a little more.
    snprintf(text, sizeof text, "%.1100f", 2.2250738585072014e-308 + 0.0);
    checkAgainstLibrary(text);
    memset(text, '9', 2000);
    text[2000] = 0;
    checkAgainstLibrary(text);
    memcpy(text, "0.", 2);
    memset(text + 2, '0', 400);
    checkAgainstLibrary(text);
    char *end = text + sprintf(text, "9007199254740993.");
    memset(end, '0', 1000);
    strcpy(end + 1000, "1");
    checkAgainstLibrary(text);
}

static void whatIsNotANumber(void)
{
    static const char *bad[] = {"", "-", "+", ".", "e5", "abc", "-e", "--1", "nan", "inf"};
    double value;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(snParseNumber(bad[i], strlen(bad[i]), &value) == 0);
    CHECK(snParseNumber("1.5abc", 6, &value) == 3 && value == 1.5);
    CHECK(snParseNumber("2e", 2, &value) == 1 && value == 2);
    CHECK(snParseNumber("2e+x", 4, &value) == 1 && value == 2);
    CHECK(snParseNumber(".5", 2, &value) == 2 && value == 0.5);
    CHECK(snParseNumber("+7.", 3, &value) == 3 && value == 7);
    CHECK(snParseNumber("123", 2, &value) == 2 && value == 12);
}

static void randomNumbersAgainstLibrary(void)
{
    snRandom random = snMakeRandom(7);
    for (int i = 0; i < 20000; i++) {
        char text[64];
        uint64_t bits = (uint64_t)snRandom_Bits(&random) << 32 | snRandom_Bits(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        snprintf(text, sizeof text, "%.*e", snRandom_Below(&random, 20), value);
        checkAgainstLibrary(text);
        // Digits of everyday size.
        snprintf(text, sizeof text, "%.*f", 1 + snRandom_Below(&random, 19),
                 snRandom_Uniform(&random, -100, 100));
        checkAgainstLibrary(text);
    }
}

static void writingRoundTripsAndIsShort(void)
{
    snRandom random = snMakeRandom(11);
    char text[SN_NUMBER_CHARS], plain[64];
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = (uint64_t)snRandom_Bits(&random) << 32 | snRandom_Bits(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            int length = snFormatDouble(text, value);
            CHECK(length == (int)strlen(text) && length < SN_NUMBER_CHARS);
            CHECK(sameBits(strtod(text, NULL), value) && sameBits(parseText(text), value));
            snprintf(plain, sizeof plain, "%.17g", value);
            CHECK(length <= (int)strlen(plain) + 4); // zeros instead of an exponent
        }
        float single;
        uint32_t bits32 = snRandom_Bits(&random);
        memcpy(&single, &bits32, sizeof single);
        if (isfinite(single)) {
            snFormatFloat(text, single);
            CHECK((float)parseText(text) == single && strtof(text, NULL) == single);
        }
    }
}

static void checkForm(double value, const char *expected)
{
    char text[SN_NUMBER_CHARS];
    snFormatDouble(text, value);
    if (!CHECK(!strcmp(text, expected))) printf("    %s instead of %s\n", text, expected);
}

static void formsAreThoseOfJavaScript(void)
{
    checkForm(0, "0");
    checkForm(-0.0, "-0");
    checkForm(1, "1");
    checkForm(-0.5, "-0.5");
    checkForm(0.1, "0.1");
    checkForm(100, "100");
    checkForm(123456.789, "123456.789");
    checkForm(1e21, "1e21");
    checkForm(1e20, "100000000000000000000");
    checkForm(0.000001, "0.000001");
    checkForm(1.5e-7, "1.5e-7");
    checkForm(5e-324, "5e-324");
    checkForm(DBL_MAX, "1.7976931348623157e308");
    checkForm(0.1 + 0.2, "0.30000000000000004");
    char text[SN_NUMBER_CHARS];
    snFormatFloat(text, 0.1f);
    CHECK(!strcmp(text, "0.1"));
    snFormatFloat(text, FLT_MAX);
    CHECK(!strcmp(text, "3.4028235e38"));
}

int main(void)
{
    RUN(hardCasesRoundRightly);
    RUN(longDigitStrings);
    RUN(whatIsNotANumber);
    RUN(randomNumbersAgainstLibrary);
    RUN(writingRoundTripsAndIsShort);
    RUN(formsAreThoseOfJavaScript);
    return snTest_Finish();
}
