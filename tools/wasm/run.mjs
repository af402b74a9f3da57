// Runs a program of wasm32-wasi as if it were one of this machine: arguments, environment, files by their own paths, exit
// code. Used by CTest for every test of the build for browsers.
//     node --no-liftoff --no-wasm-tier-up --wasm-lazy-compilation tools/wasm/run.mjs PROGRAM.wasm [ARGUMENTS]
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [program, ...rest] = process.argv.slice(2);
const wasi = new WASI({
    version: "preview1",
    args: [program, ...rest],
    env: process.env,
    preopens: { "/": "/" }, // names of files begin at the root
    returnOnExit: false, // programs end the process from within (start.c)
});
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
wasi.start(instance);
