#include "asset/json_number.h"

#include "core/error.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Reading: Clinger, "How to Read Floating Point Numbers Accurately", 1990. Most numbers have so
// few digits that one exact multiplication or division gives the nearest double. The others get
// an approximation that is then compared, in whole numbers without rounding, with the points
// half-way to its neighbours, and moved until it lies between them (Clinger's algorithm R).

// A point half-way between two doubles has at most 767 significant digits; digits beyond 770 can
// only say "a little more", for which one digit is enough.
#define MAX_DIGITS 770

typedef struct {
    char digits[MAX_DIGITS + 1]; // values 0..9, no zero in front
    int count;
    int exponent; // value = 0.d0d1d2... * 10^exponent
} Decimal;

// Whole numbers of up to 4,416 bits. The largest that occur: 771 digits times 2^1076 (3,640 bits)
// and 2^54 times 10^1111 (3,745 bits).
#define LIMBS 138
typedef struct {
    uint32_t limbs[LIMBS]; // lowest first
    int count;
} Big;

static void bigMultiplyAdd(Big *a, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < a->count; i++) {
        carry += (uint64_t)a->limbs[i] * factor;
        a->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        SN_ASSERT(a->count < LIMBS);
        a->limbs[a->count++] = (uint32_t)carry;
    }
}

static void bigTimesPower10(Big *a, int power)
{
    for (; power >= 9; power -= 9)
        bigMultiplyAdd(a, 1000000000u, 0);
    for (; power > 0; power--)
        bigMultiplyAdd(a, 10, 0);
}

static void bigShift(Big *a, int bits)
{
    for (; bits >= 31; bits -= 31)
        bigMultiplyAdd(a, 1u << 31, 0);
    bigMultiplyAdd(a, 1u << bits, 0);
}

static int bigCompare(const Big *a, const Big *b)
{
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; i--)
        if (a->limbs[i] != b->limbs[i]) return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

// Compares the decimal with mantissa * 2^power, exactly.
static int compareWith(const Decimal *decimal, uint64_t mantissa, int power)
{
    Big left = {0}, right = {0};
    for (int i = 0; i < decimal->count; i++)
        bigMultiplyAdd(&left, 10, (uint32_t)decimal->digits[i]);
    right.limbs[0] = (uint32_t)mantissa;
    right.limbs[1] = (uint32_t)(mantissa >> 32);
    right.count = right.limbs[1] ? 2 : right.limbs[0] ? 1 : 0;
    int power10 = decimal->exponent - decimal->count;
    bigTimesPower10(power10 > 0 ? &left : &right, power10 > 0 ? power10 : -power10);
    bigShift(power > 0 ? &right : &left, power > 0 ? power : -power);
    return bigCompare(&left, &right);
}

static uint64_t bitsOf(double value)
{
    union {
        double value;
        uint64_t bits;
    } u = {value};
    return u.bits;
}

static double fromBits(uint64_t bits)
{
    union {
        uint64_t bits;
        double value;
    } u = {bits};
    return u.value;
}

// Compares the decimal with the point half-way between the double of these bits and the next.
static int compareWithUpperHalf(const Decimal *decimal, uint64_t bits)
{
    uint64_t fraction = bits & 0xfffffffffffffull;
    int exponent = (int)(bits >> 52);
    if (exponent) fraction |= 1ull << 52;
    int power = (exponent ? exponent : 1) - 1075;
    return compareWith(decimal, 2 * fraction + 1, power - 1);
}

static double powerOf10(int power)
{
    static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    double result = 1;
    for (; power > 22; power -= 22)
        result *= 1e22;
    return result * exact[power];
}

// The first 19 digits, and the power of ten that belongs to them.
static double approximate(const Decimal *decimal)
{
    uint64_t mantissa = 0;
    int used = decimal->count < 19 ? decimal->count : 19;
    for (int i = 0; i < used; i++)
        mantissa = 10 * mantissa + (uint64_t)decimal->digits[i];
    int power = decimal->exponent - used;
    double value = (double)mantissa;
    if (power >= 0) return value * powerOf10(power);
    if (power < -300) return value / powerOf10(300) / powerOf10(-power - 300);
    return value / powerOf10(-power);
}

// With at most 2^53 and at most 10^22, both exact, one rounding is all there is.
static bool convertFast(const Decimal *decimal, double *value)
{
    if (decimal->count > 19) return false;
    uint64_t mantissa = 0;
    for (int i = 0; i < decimal->count; i++)
        mantissa = 10 * mantissa + (uint64_t)decimal->digits[i];
    int power = decimal->exponent - decimal->count;
    if (mantissa > 1ull << 53 || power < -22 || power > 22) return false;
    *value = power < 0 ? (double)mantissa / powerOf10(-power) : (double)mantissa * powerOf10(power);
    return true;
}

static double convert(const Decimal *decimal)
{
    double value;
    if (decimal->count == 0 || decimal->exponent < -330) return 0;
    if (decimal->exponent > 310) return (double)INFINITY;
    if (convertFast(decimal, &value)) return value;
    value = approximate(decimal);
    uint64_t bits = bitsOf(value > DBL_MAX ? DBL_MAX : value);
    // Up while the decimal is beyond the upper half-way point, down while it is below the lower
    // one; on the point itself the even mantissa wins. The largest double's upper half-way point
    // is where infinity begins, and its bits follow those of the largest double.
    for (int side; (side = compareWithUpperHalf(decimal, bits)) >= 0; bits++) {
        if (side == 0 && !(bits & 1)) break;
        if (bits == bitsOf((double)INFINITY)) break;
    }
    for (int side; bits > 0 && (side = compareWithUpperHalf(decimal, bits - 1)) <= 0; bits--)
        if (side == 0 && !(bits & 1)) break;
    return fromBits(bits);
}

static bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

static void addDigit(Decimal *decimal, char c, bool beforePoint)
{
    if (decimal->count == 0 && c == '0') {
        if (!beforePoint) decimal->exponent--;
        return;
    }
    if (beforePoint) decimal->exponent++;
    if (decimal->count < MAX_DIGITS)
        decimal->digits[decimal->count++] = (char)(c - '0');
    else if (c != '0' && decimal->count == MAX_DIGITS)
        decimal->digits[decimal->count++] = 1;
}

// The exponent behind 'e', if there is one; kept small enough that sums cannot overflow.
static size_t parseExponent(const char *text, size_t size, int *exponent)
{
    size_t i = 0;
    if (i >= size || (text[i] != 'e' && text[i] != 'E')) return 0;
    i++;
    bool negative = i < size && text[i] == '-';
    if (i < size && (text[i] == '-' || text[i] == '+')) i++;
    if (i >= size || !isDigit(text[i])) return 0;
    int value = 0;
    for (; i < size && isDigit(text[i]); i++)
        if (value < 100000000) value = 10 * value + (text[i] - '0');
    *exponent = negative ? -value : value;
    return i;
}

size_t snParseNumber(const char *text, size_t size, double *value)
{
    Decimal decimal = {.count = 0};
    size_t i = 0, digits = 0;
    bool negative = size && text[0] == '-';
    if (size && (text[0] == '-' || text[0] == '+')) i++;
    // Whole gigabytes of digits would overflow the exponent; nobody writes a number like that.
    if (size > 1000000) size = 1000000;
    for (; i < size && isDigit(text[i]); i++, digits++)
        addDigit(&decimal, text[i], true);
    if (i < size && text[i] == '.')
        for (i++; i < size && isDigit(text[i]); i++, digits++)
            addDigit(&decimal, text[i], false);
    if (!digits) return 0;
    int exponent = 0;
    i += parseExponent(text + i, size - i, &exponent);
    while (decimal.count && decimal.digits[decimal.count - 1] == 0)
        decimal.count--;
    decimal.exponent += exponent;
    double magnitude = convert(&decimal);
    *value = negative ? -magnitude : magnitude;
    return i;
}

// Writing: the digits come from printf with ever more of them until they read back the same.
// Only digits are taken from its text, so that the locale's decimal point does not matter.

typedef struct {
    char digits[20];
    int count;
    int exponent; // d0.d1d2... * 10^exponent
} Shortest;

static Shortest digitsOf(double value, int precision)
{
    char text[64];
    Shortest result = {.count = 0};
    snprintf(text, sizeof text, "%.*e", precision - 1, value);
    const char *p = text;
    for (; *p && *p != 'e'; p++)
        if (isDigit(*p)) result.digits[result.count++] = *p;
    if (*p == 'e') p++;
    bool negative = *p == '-';
    for (p++; isDigit(*p); p++)
        result.exponent = 10 * result.exponent + (*p - '0');
    if (negative) result.exponent = -result.exponent;
    while (result.count > 1 && result.digits[result.count - 1] == '0')
        result.count--;
    return result;
}

// Plain notation for everyday sizes, else with an exponent, as JavaScript does it.
static int layOut(char *out, const Shortest *shortest, bool negative)
{
    char *p = out;
    int point = shortest->exponent + 1; // digits in front of the point
    if (negative) *p++ = '-';
    if (point > 21 || point < -5) {
        *p++ = shortest->digits[0];
        if (shortest->count > 1) *p++ = '.';
        for (int i = 1; i < shortest->count; i++)
            *p++ = shortest->digits[i];
        return (int)(p - out) + snprintf(p, 8, "e%d", shortest->exponent);
    }
    if (point <= 0) *p++ = '0';
    for (int i = 0; i < point; i++)
        *p++ = i < shortest->count ? shortest->digits[i] : '0';
    if (shortest->count > point) *p++ = '.';
    for (int i = point; i < 0; i++)
        *p++ = '0';
    for (int i = point > 0 ? point : 0; i < shortest->count; i++)
        *p++ = shortest->digits[i];
    *p = 0;
    return (int)(p - out);
}

static double readBack(const Shortest *shortest)
{
    Decimal decimal = {.count = shortest->count, .exponent = shortest->exponent + 1};
    for (int i = 0; i < shortest->count; i++)
        decimal.digits[i] = (char)(shortest->digits[i] - '0');
    return convert(&decimal);
}

// Numbers of up to 15 digits (6 for float) survive the way through binary, so that one try with
// them, trailing zeros taken off, is the shortest where it reads back the same. Subnormal numbers
// have fewer bits and may need fewer digits than that.
int snFormatDouble(char *out, double value)
{
    SN_ASSERT(isfinite(value));
    if (value == 0) return snprintf(out, SN_NUMBER_CHARS, "%s", signbit(value) ? "-0" : "0");
    Shortest shortest = {.count = 0};
    for (int precision = fabs(value) < DBL_MIN ? 1 : 15; precision <= 17; precision++) {
        shortest = digitsOf(fabs(value), precision);
        if (readBack(&shortest) == fabs(value)) break;
    }
    return layOut(out, &shortest, value < 0);
}

int snFormatFloat(char *out, float value)
{
    SN_ASSERT(isfinite(value));
    if (value == 0) return snprintf(out, SN_NUMBER_CHARS, "%s", signbit(value) ? "-0" : "0");
    Shortest shortest = {.count = 0};
    for (int precision = fabsf(value) < FLT_MIN ? 1 : 6; precision <= 9; precision++) {
        shortest = digitsOf(fabs((double)value), precision);
        if ((float)readBack(&shortest) == fabsf(value)) break;
    }
    return layOut(out, &shortest, value < 0);
}
