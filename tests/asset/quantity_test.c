// Numbers with units.
#include "asset/quantity.h"
#include "tests/test.h"

#include <string.h>

static double take(const char *text, snQuantity quantity)
{
    double value = -1234;
    return snParseQuantity(text, quantity, &value, NULL) ? value : -999;
}

static void unitsAreKnown(void)
{
    CHECK_NEAR(take("1.8m", SN_QUANTITY_LENGTH), 1.8, 0);
    CHECK_NEAR(take("180 cm", SN_QUANTITY_LENGTH), 1.8, 1e-15);
    CHECK_NEAR(take("-5mm", SN_QUANTITY_LENGTH), -0.005, 1e-18);
    CHECK_NEAR(take("6ft", SN_QUANTITY_LENGTH), 1.8288, 1e-15);
    CHECK_NEAR(take("250 ms", SN_QUANTITY_TIME), 0.25, 1e-15);
    CHECK_NEAR(take("20kPa", SN_QUANTITY_PRESSURE), 2e4, 0);
    CHECK_NEAR(take("90 deg", SN_QUANTITY_ANGLE), 1.5707963267948966, 1e-15);
    CHECK_NEAR(take("0.5turn", SN_QUANTITY_ANGLE), 3.141592653589793, 1e-15);
    CHECK_NEAR(take("1e3", SN_QUANTITY_PLAIN), 1000, 0);
}

static void othersAreRefused(void)
{
    CHECK(take("3 s", SN_QUANTITY_LENGTH) == -999);
    CHECK(take("m", SN_QUANTITY_LENGTH) == -999);
    CHECK(take("", SN_QUANTITY_LENGTH) == -999);
    CHECK(take("1e999", SN_QUANTITY_LENGTH) == -999);
    CHECK(take("3 m of it", SN_QUANTITY_LENGTH) == -999);
    CHECK(take("3m", SN_QUANTITY_PLAIN) == -999);
    CHECK(strstr(snQuantity_Units(SN_QUANTITY_TIME), "ms") != NULL);
}

static void bareNumbersAreTold(void)
{
    double value;
    bool bare;
    CHECK(snParseQuantity("2", SN_QUANTITY_LENGTH, &value, &bare) && bare && value == 2);
    CHECK(snParseQuantity("2cm", SN_QUANTITY_LENGTH, &value, &bare) && !bare);
}

int main(void)
{
    RUN(unitsAreKnown);
    RUN(othersAreRefused);
    RUN(bareNumbersAreTold);
    return snTest_Finish();
}
