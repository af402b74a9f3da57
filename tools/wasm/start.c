// Begins a program, and ends it without going back: wasi-libc's own start returns to JavaScript where main has returned 0, and V8 of node 20
// stumbles there in one of a dozen programs that ran for long (its interpreter takes the size of a frame from what no longer
// is one). What ends inside never meets it.
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
