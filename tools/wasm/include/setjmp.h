// For libraries that come back from errors by longjmp, which wasi-libc has not: setting is free, jumping ends the program.
// Qhull is the one that asks for it, and jumps only where its own arithmetic has failed.
#ifndef SN_WASM_SETJMP_H
#define SN_WASM_SETJMP_H

typedef int jmp_buf[1];
#define setjmp(place) ((void)(place), 0)
#define longjmp(place, value) ((void)(place), (void)(value), __builtin_trap())

#endif
