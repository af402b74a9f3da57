// Begins a program, and ends it from within: wasi-libc's own start goes back to JavaScript where main has returned 0, which needs the engine once more. (What
// node 20 needs besides not to crash is in cmake/wasm.cmake.)
#include <wasi/api.h>

void __wasm_call_ctors(void);
void __wasm_call_dtors(void);
int __main_void(void);

__attribute__((export_name("_start"))) void _start(void);
void _start(void)
{
    __wasm_call_ctors();
    int code = __main_void();
    __wasm_call_dtors(); // what was left to be written is
    __wasi_proc_exit((__wasi_exitcode_t)code);
}
