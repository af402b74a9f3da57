// The tests' own small harness. A test file has functions without arguments and a main:
//     int main(void) { RUN(restHasNoForce); RUN(patchTest); return snTest_Finish(); }
// A failed CHECK prints its place and values and the test goes on.
#ifndef SN_TESTS_TEST_H
#define SN_TESTS_TEST_H

#include <stdbool.h>
#include <stddef.h>

void snTest_Begin(const char *name);
void snTest_End(void);
int snTest_Finish(void); // prints the count; the exit code of main
// All is asked, however long it takes (SINEW_WHOLE, make test ALL=1, make nightly); else a part of what is dearest.
bool snTest_Whole(void);
bool snTest_Check(bool passed, const char *file, int line, const char *text);
bool snTest_Near(double a, double b, double tolerance, const char *file, int line,
                 const char *text);

// Ends the process with the code that CTest counts as skipped.
void snTest_Skip(const char *reason);

// A folder of its own for temporary files; the test is skipped where there can be none.
void snTest_MakeFolder(char *path, size_t size, const char *name);

// A file of the visible test assets, read whole (free with free()), or NULL when it is absent.
unsigned char *snTest_Asset(const char *name, size_t *size);
unsigned char *snTest_ReadFile(const char *path, size_t *size);

// An allocator that counts, and fails once if it is told to: at allocation number failAt (1 is the first), or at the first
// allocation of way number failAtWay, and then it counts ways. A way is the place in the code that allocates, with its
// caller: a loop over failAtWay lets every place fail, not each of a thousand rows of the same table. Arenas are
// asked as well, though many allocations share a block of theirs (in tests made by sinew_tests, whose linker
// turns the arena's functions over to test.c).
struct snContext;
typedef struct snFailingMemory {
    int failAt;
    int failAtWay;
    int count; // of allocations, or of ways
    int alive; // allocated and not yet released
} snFailingMemory;
void snTest_UseFailingMemory(struct snContext *context, snFailingMemory *memory);

// For snTasks.run, with two workers: pieces of loops in the opposite order, as threads may take them.
static inline void snTest_RunBackwards(void *user, int count, int grain,
                                       void (*fcn)(int begin, int end, int worker, void *context),
                                       void *context)
{
    (void)user;
    for (int begin = (count - 1) / grain * grain; begin >= 0; begin -= grain)
        fcn(begin, begin + grain < count ? begin + grain : count, begin / grain % 2, context);
}

#define RUN(function) (snTest_Begin(#function), (function)(), snTest_End())
#define CHECK(condition) snTest_Check((condition), __FILE__, __LINE__, #condition)
#define CHECK_NEAR(a, b, tolerance)                                                                \
    snTest_Near((a), (b), (tolerance), __FILE__, __LINE__, #a " ~ " #b)

#endif
