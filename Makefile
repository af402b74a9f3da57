# Everything a person types. The real build is CMake's (CMakePresets.json names the variants); this
# file installs what is missing, configures once, and calls Ninja. `make help` lists the targets.
PREFIX ?= /usr/local
ONLY ?=
B := build
JOBS := $(shell nproc 2>/dev/null || echo 2)
# Those that read, allocate and hand memory about, and are done within minutes there.
# core/elementary is left out: it compares with numbers of 80 bits, which Valgrind has not.
VALGRIND_TESTS := $(addprefix core/,array error golden hash memory quaternion random simd svd tasks) \
    $(addprefix asset/,json obj bvh pc2 gltf_read gltf_write) $(addprefix numerics/,sparse cholesky qr) \
    $(addprefix platform/,files paths) $(addprefix scene/,read script) $(addprefix layered/,file journal) \
    $(addprefix geometry/,shape warp tree mesh moving primitive) $(addprefix skeleton/,skeleton limbs postures articulated) \
    $(addprefix body/,coat/element coat/skin_spline skin/elastic skin/coarsen skin/smooth skin/body) \
    $(addprefix body/lattice/,quadrature crease linear turned) $(addprefix world/,route impulse poly_impulse skin drive) \
    bake/sequence bake/soft_made api/scene api/world
# Those that have threads: others have nothing to race with, and all of them would take hours. Golden hashes of the quick examples go through every
# phase of a step on two threads. Left out besides: world/pairs (as world/matrix), the slow examples, and scripts of the command whose
# loops these are too.
TSAN_TESTS := platform/threads bake/solvers bake/trouble body/lattice/hessian control/matrix control/scripts scene/script scenes/pile scenes/puppet \
    $(addprefix api/,budget carried crowd models world) $(addprefix world/,bones character drive field friction lengths levels matrix poly reach recording sleep tie world)
TSAN_SCRIPTS := cli/bake cli/contact cli/realtime golden/threads
# Those that take minutes under the address sanitizer and go ways that others go too; make nightly has them there.
ASAN_LONG := failing/sample cli/validate body/lattice/levels layered/shown scene/character scenes/contact scenes/scenes scenes/leaf world/bones \
    world/detail bake/parts
CTEST := ctest --output-on-failure --parallel $(JOBS)
# "^(a|b)$$" of a list of names.
empty :=
one_of = ^($(subst $(empty) $(empty),|,$(strip $(1))))$$

export DESTDIR

.PHONY: all demo strips scenes gallery site test test-clients bench hostile fuzz failing stress golden golden-write install format check asan tsan wasm coverage valgrind nightly fresh clean help
.DELETE_ON_ERROR:
.NOTPARALLEL: # two package installations at once would wait for each other; Ninja is parallel itself

all: $(B)/.configured ## the program build/sinew and the library build/libsinew.a
	@ninja -C $(B) program

demo: $(B)/.configured ## bake the demo character: out/demo.glb, point caches, out/demo.png
	@ninja -C $(B) program make-demo
	@tools/demo.sh

strips: $(B)/.configured ## film strips of every character, rig above and flesh below: out/strips
	@ninja -C $(B) program make-demo
	@tools/strips.sh

scenes: $(B)/.configured ## the example scenes: film strips and tables in out/scenes
	@ninja -C $(B) program make-scenes
	@tools/scenes.sh

gallery: $(B)/.configured ## make every picture of the documents again (ONLY=scene-: a part)
	@ninja -C $(B) program make-demo make-scenes
	@ONLY='$(ONLY)' tools/gallery.sh

site: $(B)/.setup-docs ## README and docs as a static site, links checked: out/site/index.html
	@tools/site/site.sh

test: $(B)/.setup-test $(B)/.configured ## build everything and run all tests (ALL=1: the whole of those that are dear, too)
	@ninja -C $(B)
	@$(if $(ALL),SINEW_WHOLE=1 )$(CTEST) --test-dir $(B)

test-clients: $(B)/.setup-clients $(B)/.configured ## results in other programs: Khronos validator, three.js, Blender
	@ninja -C $(B) program make-demo
	@tools/clients.sh install || true # what is missing is skipped with a message
	@ctest --output-on-failure --verbose -C clients -R '^clients/' --test-dir $(B)

bench: $(B)/.configured-bench ## measure every figure: out/bench.json (ONLY=skeleton: a part; STRICT=1: fail)
	@ninja -C $(B) program make-demo sinew-bench
	@OMP_THREAD_LIMIT=1 $(B)/sinew-bench $(if $(ONLY),--only '$(ONLY)') $(if $(STRICT),--strict)

hostile: $(B)/.setup-test $(B)/.configured ## push 10,000 mutated files through the command (SEED=1)
	@ninja -C $(B) hostile
	@$(B)/tests/hostile/hostile --seed $(or $(SEED),1) --count 10000 --work 5
	@$(B)/tests/hostile/hostile --seed $(or $(SEED),1) --count 2000 --only scene
	@$(B)/tests/hostile/hostile --seed $(or $(SEED),1) --count 3000 --only character
	@$(B)/tests/hostile/hostile --seed $(or $(SEED),1) --count 2000 --only script

fuzz: $(B)/.setup-check ## libFuzzer, a target per format (SECONDS=60 each)
	@cmake --preset fuzz --log-level=WARNING
	@ninja -C build-fuzz hostile $(addprefix fuzz_,glb gltf obj bvh pc2 rig skeleton sidecar checkpoint scene character script)
	@tools/fuzz.sh $(or $(SECONDS),60)

failing: $(B)/.configured ## the command with each of its allocations and system calls failing, one after another
	@ninja -C $(B) failing && $(B)/tests/failing/failing --all $(ONLY)

stress: $(B)/.configured ## bodies of all models under extreme steps, materials and poses (ONLY=coat: a part)
	@ninja -C $(B) stress && $(B)/tests/stress/stress --all $(if $(ONLY),'$(ONLY)')

golden: $(B)/.setup-check $(B)/.configured ## the bits of every example, by GCC and Clang, -O0 and -O2, 1, 2 and 8 threads
	@ninja -C $(B) golden && $(B)/tests/golden/golden --whole
	@tools/golden.sh

golden-write: $(B)/.configured ## write tests/golden/golden.txt anew (ONLY=scenes/pile: a part)
	@ninja -C $(B) golden && $(B)/tests/golden/golden --threads 1 --write $(if $(ONLY),--only '$(ONLY)')

install: all ## program, library, headers, pkg-config file and CMake package, into PREFIX
	@cmake --install $(B) --prefix '$(PREFIX)'

format: $(B)/.setup-check ## write all C files in the project's format
	@tools/format.sh

check: $(B)/.setup-check ## format, layering of the rooms, warnings of GCC and Clang
	@tools/format.sh --check
	@tools/check-rooms.sh
	@cmake --preset gcc --log-level=WARNING && ninja -C build-gcc
	@cmake --preset clang --log-level=WARNING && ninja -C build-clang

asan: $(B)/.setup-test ## tests under the address and undefined-behaviour sanitizers (ALL=1: the longest, too)
	@cmake --preset asan --log-level=WARNING && ninja -C build-asan
	@tools/sanitized.sh $(CTEST) --test-dir build-asan $(if $(ALL),,-E '$(call one_of,$(ASAN_LONG))')

tsan: $(B)/.setup-test ## tests that have threads under the thread sanitizer (ONLY=world/tie: others)
	@cmake --preset tsan --log-level=WARNING
	@ninja -C build-tsan program make-demo golden $(if $(ONLY),all,$(addprefix test_,$(subst /,_,$(TSAN_TESTS))))
	@tools/sanitized.sh $(CTEST) --test-dir build-tsan -R '$(or $(ONLY),$(call one_of,$(TSAN_TESTS) $(TSAN_SCRIPTS)))'

wasm: $(B)/.setup-wasm ## the library for browsers (wasm32-wasi), its tests run under node: build-wasm (ONLY=body: a part)
	@tools/wasm/deps.sh
	@cmake --preset wasm --log-level=WARNING && ninja -C build-wasm
	@$(CTEST) --test-dir build-wasm $(if $(ONLY),-R '$(ONLY)')

coverage: $(B)/.setup-coverage ## lines and branches by room that tests run: out/coverage/index.html (ONLY='^asset|^body': some)
	@tools/coverage.sh $(if $(ONLY),'$(ONLY)')

valgrind: $(B)/.setup-valgrind $(B)/.configured ## some tests of every room under Valgrind (ONLY='^core': others)
	@ninja -C $(B)
	@tools/valgrind.sh '$(or $(ONLY),^constraint/|^contact/|$(call one_of,$(VALGRIND_TESTS)))'

nightly: ## everything too long for make test, one after another, with times and a summary (ONLY='stress tsan': some)
	@tools/nightly.sh $(ONLY)

fresh: ## all that a fresh clone promises, on a new Debian with nothing installed; needs root and debootstrap
	@tools/fresh-machine.sh everything

clean: ## remove everything that was built
	rm -rf build build-debug build-gcc build-clang build-asan build-tsan build-coverage build-fuzz build-wasm build-golden out

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 21

# Stamps: setting up and configuring happen once, and again when their inputs change. What changes
# in a CMakeLists.txt Ninja sees itself.
$(B)/.setup-%: tools/setup.sh
	@tools/setup.sh $*
	@mkdir -p $(B) && touch $@

$(B)/.configured: CMakePresets.json $(B)/.setup-build
	@cmake --preset release --log-level=WARNING
	@touch $@

# Once more when the benchmarks' packages are there, so that CMake finds them.
$(B)/.configured-bench: $(B)/.setup-bench $(B)/.configured
	@cmake --preset release --log-level=WARNING
	@touch $@
