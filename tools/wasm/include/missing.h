// Functions that wasi-libc does not declare; platform/wasi.c has them. Included before every file.
#ifndef SN_WASM_MISSING_H
#define SN_WASM_MISSING_H

#include <sys/types.h>

char *realpath(const char *path, char *resolved);
int fchmod(int file, mode_t mode);

#endif
