#include "core/simd.h"

#include "tests/test.h"

static void loadsAndStoresTakeAnyAddress(void)
{
    double numbers[12], copies[12] = {0};
    for (int i = 0; i < 12; i++)
        numbers[i] = i;
    for (int shift = 0; shift < 4; shift++) {
        snStore8(copies + shift, snLoad8(numbers + shift));
        snStore4(copies + shift, snLoad4(numbers + shift));
        CHECK(memcmp(copies + shift, numbers + shift, 8 * sizeof(double)) == 0);
    }
}

// Each lane is the scalar computation, to the bit.
static void lanesAreScalars(void)
{
    double a[8], b[8], wide[8];
    for (int i = 0; i < 8; i++) {
        a[i] = 1.0 / (i + 3);
        b[i] = 7.0 / (2 * i + 1);
    }
    snStore8(wide, snLoad8(a) * snLoad8(b) + snLoad8(a) / snLoad8(b) - 0.3);
    for (int i = 0; i < 8; i++)
        CHECK(wide[i] == a[i] * b[i] + a[i] / b[i] - 0.3);
}

static void theProcessorHasALevel(void)
{
    snCpuLevel level = snDetectCpu();
    CHECK(level >= SN_CPU_BASE && level <= SN_CPU_AVX512);
    CHECK(level == snDetectCpu());
}

int main(void)
{
    RUN(loadsAndStoresTakeAnyAddress);
    RUN(lanesAreScalars);
    RUN(theProcessorHasALevel);
    return snTest_Finish();
}
