# The library for browsers: wasm32-wasi by Debian's Clang and wasi-libc. Programs run under node (tools/wasm/run.mjs). What
# Debian has no packages of for it (AMD, Qhull) tools/wasm/deps.sh builds from their source packages into build-wasm/deps.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-14)
set(CMAKE_AR llvm-ar-14)
set(CMAKE_RANLIB llvm-ranlib-14)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
# Without -msimd128: with it Clang 14 makes wrong code (gradients in geometry/warp, distances in contact/collider).
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
get_filename_component(project ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(CMAKE_C_FLAGS_INIT "-isystem ${project}/tools/wasm/include -D_WASI_EMULATED_PROCESS_CLOCKS -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_GETPID -include missing.h")
# Memory is large from the begin: node 20 may collect garbage in the middle of making it grow, and crashes (13 of 16 runs of body/lattice/nodes).
# The linker would run wasm-opt where an optimisation is asked for, and Debian has none: flags of compiling are not those of linking.
set(CMAKE_C_LINK_EXECUTABLE
  "<CMAKE_C_COMPILER> --target=wasm32-wasi -nostartfiles <LINK_FLAGS> ${project}/build-wasm/deps/start.o <OBJECTS> -o <TARGET> <LINK_LIBRARIES> -lwasi-emulated-process-clocks -lwasi-emulated-signal -lwasi-emulated-getpid -Wl,-z,stack-size=4194304 -Wl,--initial-memory=2147483648 -Wl,--max-memory=4294967296")
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
# Where a program ends before the threads that optimise it behind its back, node 20 crashes. So functions are compiled when they are first called, and optimised at once.
set(CMAKE_CROSSCOMPILING_EMULATOR node --no-warnings --no-liftoff --no-wasm-tier-up --wasm-lazy-compilation ${project}/tools/wasm/run.mjs)
set(CMAKE_FIND_ROOT_PATH ${project}/build-wasm/deps)
set(CMAKE_PREFIX_PATH /)
set(CMAKE_FIND_LIBRARY_PREFIXES lib)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(SINEW_WASM ON)
