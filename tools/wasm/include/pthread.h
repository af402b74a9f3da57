// WASI has no threads: one that is made runs at once, to its end. Enough for tests that run something beside something else.
#ifndef SN_WASM_PTHREAD_H
#define SN_WASM_PTHREAD_H

#include <stddef.h>

typedef void *snWasmThread; // what it returned
#define pthread_t snWasmThread

static inline int pthread_create(pthread_t *thread, const void *attributes, void *(*run)(void *),
                                 void *user)
{
    (void)attributes;
    *thread = run(user);
    return 0;
}

static inline int pthread_join(pthread_t thread, void **result)
{
    if (result) *result = thread;
    return 0;
}

#endif
