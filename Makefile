# marrow: `make demo` shows it, `make check` tests it; both install what is missing first.
#
#   make                  build/marrow, build/libmarrow.a, build/libmarrow.so
#   BUILD=dir             build elsewhere          CC=clang       the other compiler
#   DEBUG=1               -O0 -g, asserts on       WERROR=1       warnings are errors
#   SANITIZE=address,undefined                     OPT=-O3        another optimisation level
#   V=1                   show whole commands          GL=1           with the OpenGL backend
#   make test-ROOM        build and run the tests of one room
#   make kernels          every kernel against the scalar one, then timed
#   make bench            how fast it is here: `marrow bench`; make bench-table: into the README
#   make man              the manual pages, in build/man, by lowdown
#   make style            the rules of src/STYLE.md that a script can check
#   make structure        figures of how the sources are built: fails over scripts/structure.limits
#   make fuzz SECONDS=600  fuzzes readers for so much CPU time, an equal share for each target
#   make asan             the suite under sanitizers
#   make tsan             what uses threads under ThreadSanitizer
#   make faults           lets every allocation and call of the system fail, MOST= per kind at most
#   make gl-check         OpenGL: its tests, and our goldens by both renderers; gl-asan is of it
#   make same             the proof of sameness on this machine; make same-arm64 under qemu
#   make install PREFIX=/usr/local LIBDIR=$PREFIX/lib DESTDIR=     stripped, but with DEBUG=1
#   make uninstall        the same, undone; make install-check: tries both
#   make static           build/static/marrow, which needs no library; make tarball: it and the rest
#   make dist             all files of a release; make dist-check: tries them
#   make deb              Debian packages, in build/deb; make deb-check: in a clean Debian 12
#   make record-symbols   adds new public functions to tests/libmarrow.symbols

BUILD ?= build
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
DESTDIR ?=
OPENEXR ?= -lOpenEXRCore
OPT ?= -O2
# The C++ compiler beside CC: of one file, of the import helper.
CXX := $(subst gcc,g++,$(subst clang,clang++,$(patsubst cc,c++,$(CC))))
ARCH := $(shell $(CC) -dumpmachine 2>/dev/null | cut -d- -f1)

# V=1 shows whole commands; otherwise a line says what is made.
say = $(if $(V),,@printf '  %-8s %s\n' $1 $2;)

# ---- flags -----------------------------------------------------------------------------------
# -ffp-contract=off and friends are the determinism contract: no FMA, no reassociation.
# The two -fno-ipa flags are against a bug of gcc 12, not of ours. In a loop that walks two arrays of
# a struct in steps of different size, it can write the address as 0 + 256 - 3 b + 4 i with i from b
# on (induction variables); two later analyses take the 0 for a null pointer, the store for one that
# never happens and the function for one without effects, and its calls go. Met at -O2 in a shading
# stage; test-base has the case in ten lines of plain C, which fails without these flags where the
# compiler still has the bug.
CONTRACT := -std=c11 -ffp-contract=off -fno-fast-math -fexcess-precision=standard \
            -fno-ipa-pure-const -fno-ipa-modref
ifneq (,$(findstring clang,$(CC)))
CONTRACT := -std=c11 -ffp-contract=off -fno-fast-math
endif
CXX_CONTRACT := $(patsubst -std=c11,-std=c++17,$(filter-out -fexcess-precision=standard,$(CONTRACT)))
WARN := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wconversion $(if $(WERROR),-Werror)
# The library promises to work on stacks of 64 kB (tests/test_stacks.c).
FRAMES = $(if $(SANITIZE)$(DEBUG),,$(if $(findstring src/,$<),-Wframe-larger-than=34000))
CPPFLAGS += -D_GNU_SOURCE -Iinclude -Isrc -isystem /usr/include/stb $(SYSTEM_INCLUDES)
# Lines alone, no variables: gcc compiles the shading kernels in two thirds of the time, and test
# programs are a third as large. Tables for unwinding are then debug information, which strip removes.
# DEBUG=1 has both.
MODE := $(if $(DEBUG),$(if $(filter-out file,$(origin OPT)),$(OPT),-O0) $(if $(SANITIZE),-g1,-g),$(OPT) -g1 -DNDEBUG -fno-asynchronous-unwind-tables)
SAN := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
CFLAGS_ALL = $(CONTRACT) $(WARN) $(FRAMES) $(MODE) $(SAN) -fPIC -fvisibility=hidden -fno-math-errno -fopenmp \
             -pthread $(CFLAGS)
CXXFLAGS_ALL = $(CXX_CONTRACT) $(filter-out -Wmissing-prototypes,$(WARN)) $(MODE) $(SAN) -fPIC \
               -fvisibility=hidden -fno-rtti -pthread $(CXXFLAGS)
LDLIBS += -lcjson -lmeshoptimizer -ldeflate -linih -lutf8proc $(OPENEXR) -lgif -lwebpmux -lwebp -ljpeg -lzstd -lm
# Makes the leak check fast: see there.
LSAN_ROOTS = $(if $(findstring address,$(SANITIZE)),$(BUILD)/obj/tests/lsan_roots.o)
LDFLAGS_ALL = $(SAN) -fopenmp -pthread $(LDFLAGS)
# The command has GNU's OpenMP in it, and sets it up before it starts (src/cli/main.c). That of clang
# reads its settings later. OPENMP= links the shared one, whose idle threads spin for a while.
OPENMP ?= $(if $(findstring clang,$(CC)),,-Wl,--as-needed -l:libgomp.a)

# Only these files get instruction-set flags, and never FMA.
# (AVX-512 has fused operations of its own; `make instructions` looks that none is used.)
ISA_FLAGS = $(if $(findstring _avx2.c,$1),-mavx2 -mno-fma) \
            $(if $(findstring _avx512.c,$1),-mavx512f -mavx512dq -mavx512bw -mavx512vl)
# stb's JPEG writer counts on signed numbers that wrap.
OWN_FLAGS = $(if $(findstring bench/stb.c,$1),-fwrapv) $(if $(SANITIZE),$(call SAN_FLAGS,$1))
# Sanitizers take long to compile the large kernels, and most tests. The two checks that are left out in
# kernels see what AddressSanitizer sees, too. Tests are hardly optimised, but those that compute much;
# rooms that compute little are not optimised at all. The evaluator of test_aov.c, which casts a ray per
# pixel, does without sanitizers.
SAN_KERNELS := src/shade/shade_ src/raster/cover_ src/compare/flip_ src/skin/skin_ tests/test_streams
SAN_OPTIMISED := abuffer anim_kernels compare compare_flip cover_kernels coverage environment fragments golden kernels \
    levels occlusion perform png_encode raster_front shade shadow skin skin_dual tone
SAN_PLAIN := bench cli diff golden host options report session suite viewer
SAN_FLAGS = $(if $(strip $(foreach name,$(SAN_KERNELS),$(findstring $(name),$1))),-fno-sanitize=object-size \
                -fno-sanitize=pointer-overflow) \
            $(if $(strip $(foreach room,$(SAN_PLAIN),$(filter src/$(room)/%,$1))),-O0) \
            $(if $(findstring tests/test_aov,$1),-fno-sanitize=all,$(if $(findstring tests/test_,$1),$(if \
                $(filter $(SAN_OPTIMISED:%=tests/test_%.c),$1),,-O0)))

# ---- sources ---------------------------------------------------------------------------------
# ROOMS can be narrowed while working on a few of them: make ROOMS="base image" test-image
ROOMS ?= base image overlay scene retarget sandbox load anim skin view light shade raster options output frame bake session plan simple compare explain suite report diff golden
SOURCES := $(foreach room,$(ROOMS),$(wildcard src/$(room)/*.c src/$(room)/*/*.c))
# The import helper and its module are the only programs that see assimp and libdraco, and only helpers
# confine themselves: the library links neither of these nor libseccomp, and no C++.
IMPORT_SOURCES := $(wildcard src/import/*.c)
CONFINE_SOURCES := src/sandbox/confine.c
SOURCES := $(filter-out $(CONFINE_SOURCES),$(SOURCES))
ifneq ($(ARCH),x86_64)
SOURCES := $(filter-out %_sse2.c %_avx2.c %_avx512.c,$(SOURCES))
endif
ifneq ($(ARCH),aarch64)
SOURCES := $(filter-out %_neon.c,$(SOURCES))
endif
# The command is src/cli, the program around it (src/host), what `marrow bench` measures, what `marrow
# help` says and what `marrow view` shows; with GL=1 also src/gl, of which the plain one has the table
# that `marrow help backend` shows. Only this knows of OpenGL: neither the library nor the plain command
# links any of it (tests/test_linkage.c).
CLI_ROOMS := bench cli help host viewer $(if $(GL),gl)
CLI_SOURCES := $(wildcard $(CLI_ROOMS:%=src/%/*.c)) $(if $(GL),,src/gl/left_out.c)
GL_LIBS = $(if $(GL),-lepoxy -lglfw)
OBJECTS := $(SOURCES:%.c=$(BUILD)/obj/%.o)
IMPORT_OBJECTS := $(IMPORT_SOURCES:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/src/import/draco_mesh.o
CONFINE_OBJECTS := $(CONFINE_SOURCES:%.c=$(BUILD)/obj/%.o)
CLI_OBJECTS := $(CLI_SOURCES:%.c=$(BUILD)/obj/%.o)
TESTS := $(patsubst tests/test_%.c,%,$(wildcard tests/test_*.c))
# What tests OpenGL itself is there with GL=1 alone.
TESTS := $(filter-out $(if $(GL),,gl gl_%),$(TESTS))

# ---- build -----------------------------------------------------------------------------------
.PHONY: all lib clean
IMPORTERS := $(BUILD)/marrow-import $(BUILD)/marrow-import.so
all: $(BUILD)/marrow $(BUILD)/libmarrow.a $(BUILD)/libmarrow.so $(IMPORTERS)

lib: $(BUILD)/libmarrow.a

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,compile,$<)$(CC) $(CPPFLAGS) $(CFLAGS_ALL) $(call ISA_FLAGS,$<) $(call OWN_FLAGS,$<) -MMD -MP -c -o $@ $<

$(BUILD)/obj/%.o: %.cc $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,compile,$<)$(CXX) $(CPPFLAGS) $(CXXFLAGS_ALL) -MMD -MP -c -o $@ $<

$(BUILD)/libmarrow.a: $(OBJECTS)
	@rm -f $@
	$(call say,archive,$@)$(AR) rcs $@ $^

$(BUILD)/libmarrow.so: $(OBJECTS) src/libmarrow.map
	$(call say,link,$@)$(CC) -shared -Wl,-soname,libmarrow.so.1 -Wl,--version-script=src/libmarrow.map \
	    $(LDFLAGS_ALL) -o $@ $(OBJECTS) $(LDLIBS)

$(BUILD)/marrow: $(CLI_OBJECTS) $(BUILD)/libmarrow.a $(LSAN_ROOTS)
	$(call say,link,$@)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS) $(GL_LIBS) $(OPENMP)

# Whether the command has OpenGL is known to it alone: private, or build/flags would inherit it and
# change with the target that is asked for.
$(CLI_OBJECTS): private CPPFLAGS += $(if $(GL),-DMARROW_GL)
$(CLI_OBJECTS): $(BUILD)/gl
$(BUILD)/gl: FORCE
	@mkdir -p $(@D)
	@echo '$(GL)' | cmp -s - $@ || echo '$(GL)' >$@

# The import helper. It and its module take of the library what they need, and show none of it.
IMPORT_LIBS = -lassimp -ldraco -l:libstdc++.so.6
IMPORT_MAIN = $(filter-out %/import/module.o %/import/module_draco.o,$(IMPORT_OBJECTS)) $(CONFINE_OBJECTS) \
    $(BUILD)/libmarrow.a
$(BUILD)/marrow-import: $(IMPORT_MAIN)
	$(call say,link,$@)$(CC) $(LDFLAGS_ALL) -Wl,--as-needed -o $@ $^ $(LDLIBS) $(IMPORT_LIBS) -lseccomp

$(BUILD)/marrow-import.so: $(filter-out %/import/main.o,$(IMPORT_OBJECTS)) $(BUILD)/libmarrow.a
	$(call say,link,$@)$(CC) -shared $(LDFLAGS_ALL) -Wl,--as-needed -Wl,--exclude-libs,ALL -o $@ $^ $(LDLIBS) \
	    $(IMPORT_LIBS)

# Where the installed helper is; only this file knows, so that another PREFIX rebuilds only it.
$(BUILD)/obj/src/load/importer_find.o: private CPPFLAGS += -DMRWI_LOAD_LIBEXEC='"$(PREFIX)/libexec/marrow"'
$(BUILD)/obj/src/load/importer_find.o: $(BUILD)/prefix
$(BUILD)/prefix: FORCE
	@mkdir -p $(@D)
	@echo '$(PREFIX)' | cmp -s - $@ || echo '$(PREFIX)' >$@

# A changed flag rebuilds everything; that warnings are errors changes no object.
FLAGS_LINE = $(CC) $(CPPFLAGS) $(filter-out -Werror,$(CFLAGS_ALL) $(CXXFLAGS))
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(FLAGS_LINE)' | cmp -s - $@ || echo '$(FLAGS_LINE)' >$@
.PHONY: FORCE
FORCE:

clean:
	rm -rf $(BUILD)

# The demo models are part of the library.
$(BUILD)/obj/src/load/demo.o: $(wildcard assets/*.glb)

# So is the studio.
$(BUILD)/obj/src/light/environment_studio.o: assets/studio.env assets/studio-dim.hdr

# So are shaders, of the command.
$(BUILD)/obj/src/gl/shaders.o: $(wildcard src/gl/shaders/*) $(addprefix src/shade/,shade_numbers.h mode_values.h environment_brdf.h tone_values.h)

# So is the manual.
$(BUILD)/obj/src/help/chapters.o: $(wildcard src/help/*.md)

# So are the scripts of shells.
$(BUILD)/obj/src/help/shells.o: $(wildcard src/completions/*)

# So is the page of the HTML report.
$(BUILD)/obj/src/report/html_page.o: $(wildcard src/report/page*.html src/report/page*.css src/report/page*.js)

# ---- the two commands a newcomer needs -------------------------------------------------------
.PHONY: demo check
demo:
	@GL=$(GL) scripts/setup.sh build
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) scripts/demo.sh

check:
	@GL=$(GL) scripts/setup.sh check
	@$(MAKE) --no-print-directory check-now

# ---- tests -----------------------------------------------------------------------------------
.PHONY: check-now tests layers symbols style structure headers instructions format format-check \
    assets assets-check look-check studio gallery golden golden-check manual-check corpus-check additions-check
check-now: layers style headers format-check
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory symbols structure instructions tests
	@$(MAKE) --no-print-directory golden-check assets-check look-check manual-check corpus-check first-hours \
	    additions-check bench-check
	@$(MAKE) --no-print-directory install-check # links anew, for another prefix

# Every test program runs, also after one has failed; the last line counts them. The longest start
# first, so that no processor waits for one of them at the end.
LONG_TESTS := cli_bench golden cli_signals cli cli_test cli_paths growth cli_stream kernels aov
TESTS := $(filter $(TESTS),$(LONG_TESTS)) $(filter-out $(LONG_TESTS),$(TESTS))
tests: $(TESTS:%=$(BUILD)/tests/%) $(BUILD)/marrow $(BUILD)/libmarrow.so $(IMPORTERS) \
    $(BUILD)/tests/fake_importer
	@BUILD=$(BUILD) scripts/run_tests.sh $(TESTS)

$(BUILD)/tests/%: $(BUILD)/obj/tests/test_%.o $(BUILD)/libmarrow.a $(LSAN_ROOTS)
	@mkdir -p $(@D)
	$(call say,link,$@)$(CC) $(LDFLAGS_ALL) -o $@ $^ -lcheck -lsubunit -lrt $(LDLIBS)
.SECONDARY: # keep the objects of the tests
$(BUILD)/tests/png_libpng $(BUILD)/tests/png_read: LDLIBS += -lpng
$(BUILD)/tests/gif: LDLIBS += -lwebpdemux
$(BUILD)/tests/sandbox: LDLIBS += -lseccomp
$(BUILD)/tests/sequence: LDFLAGS_ALL += -rdynamic
# One of the cases is imported.
$(BUILD)/tests/golden: | $(if $(filter aarch64,$(ARCH)),$(BUILD)/marrow-import.so,$(IMPORTERS))
# Lanes that other kernels include, in loops of their own.
$(BUILD)/tests/kernels: $(patsubst %.c,$(BUILD)/obj/%.o,$(filter-out $(if $(filter x86_64,$(ARCH)),,%_sse2.c %_avx2.c \
    %_avx512.c) $(if $(filter aarch64,$(ARCH)),,%_neon.c),$(wildcard tests/environment_lanes_*.c)))
# The viewer, which is a part of the command.
$(BUILD)/tests/viewer: $(filter $(BUILD)/obj/src/viewer/%,$(CLI_OBJECTS))
$(BUILD)/tests/viewer: LDLIBS := $(BUILD)/libmarrow.a $(LDLIBS)
# Runs the command in its own process, to let allocations fail.
$(BUILD)/tests/cli_init: $(filter-out %/main.o,$(CLI_OBJECTS))
$(BUILD)/tests/cli_init: LDFLAGS_ALL += -Wl,--wrap=realloc -Wl,--wrap=strndup
$(BUILD)/tests/cli_init: LDLIBS := $(BUILD)/libmarrow.a $(LDLIBS)

# These draw with OpenGL, in their own process.
GL_OBJECTS = $(filter-out %/cli/main.o,$(CLI_OBJECTS))
$(patsubst %,$(BUILD)/tests/%,$(filter gl gl_%,$(TESTS))): $(GL_OBJECTS)
$(patsubst %,$(BUILD)/tests/%,$(filter gl gl_%,$(TESTS))): LDLIBS := $(BUILD)/libmarrow.a $(LDLIBS) $(GL_LIBS)

# Stands in for the import helper in the tests of the sandbox, and misbehaves.
FAKE_OBJECTS = $(BUILD)/obj/tests/fake_importer.o $(CONFINE_OBJECTS)
$(BUILD)/tests/fake_importer: $(FAKE_OBJECTS) $(BUILD)/libmarrow.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS) -lseccomp

# Whatever a test runs, it is what was built of these sources: the command, the helper, the libraries.
# Of a few rooms there is no command.
test-sandbox: $(BUILD)/tests/fake_importer
test-%: $(BUILD)/tests/% $(if $(filter file,$(origin ROOMS)),all)
	MARROW=$(abspath $(BUILD))/marrow MARROW_IMPORTER=$(abspath $(BUILD))/marrow-import $<

# All kernels of all instruction sets of this machine: the same bits, and how fast.
.PHONY: kernels
kernels: $(BUILD)/tests/kernels
	$< --time

# Figures, not tests.
.PHONY: bench bench-table bench-shade bench-rows bench-check
bench: all
	@$(BUILD)/marrow bench

bench-table: all
	@BUILD=$(BUILD) scripts/bench_table.py

# Shading alone, which the command does not see apart from drawing; and rows that no user needs.
bench-shade bench-rows: bench-%: $(BUILD)/tests/bench/%
	$<

# Both of them start, and print figures; how large they are does not matter.
bench-check: $(patsubst tests/bench/bench_%.c,$(BUILD)/tests/bench/%,$(wildcard tests/bench/bench_*.c))
	@for bench in $^; do $$bench --quick >$(BUILD)/tests/bench/figures || exit 1; done
	@echo "bench-check: $(words $^) programs of tests/bench run"

$(BUILD)/tests/bench/rows: $(filter $(BUILD)/obj/src/bench/%,$(CLI_OBJECTS))
$(BUILD)/tests/bench/rows: LDLIBS := $(BUILD)/libmarrow.a $(LDLIBS)
$(BUILD)/tests/bench/%: $(BUILD)/obj/tests/bench/bench_%.o $(BUILD)/libmarrow.a
	@mkdir -p $(@D)
	$(call say,link,$@)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS)
.PRECIOUS: $(BUILD)/obj/tests/bench/bench_%.o

# Which room may use which: by includes, and by symbols once they are built.
layers:
	@scripts/check_layers.py --self-test
	@scripts/check_layers.py

symbols: all
	@scripts/check_layers.py --build $(BUILD)

# The rules of src/STYLE.md that a script can check.
style:
	@scripts/check_style.py --self-test
	@scripts/check_style.py
	@scripts/check_map.py --self-test
	@scripts/check_map.py
	@scripts/structure.py --self-test
	@scripts/check_look.py --self-test

# Figures of how the sources are built; over a limit of scripts/structure.limits it fails. The
# globals are those of this build. All figures: scripts/structure.py --all.
structure: all
	@scripts/structure.py --build $(BUILD)

headers:
	@scripts/check_headers.sh

# Fuzzing of readers, by clang's libFuzzer: each target has an equal share of SECONDS of CPU time.
.PHONY: fuzz
SECONDS ?= 60
fuzz:
	@scripts/setup.sh ci
	@$(MAKE) --no-print-directory BUILD=build-fuzz CC=clang OPT=-O1 \
	    SANITIZE=fuzzer,address,undefined,float-cast-overflow build-fuzz/tests/fuzzer
	@$(MAKE) --no-print-directory BUILD=build-fuzz/seeds OPT=-O1 build-fuzz/seeds/tests/fbx_seeds
	@mkdir -p build-fuzz/tests && cp build-fuzz/seeds/tests/fbx_seeds build-fuzz/tests/
	@BUILD=build-fuzz SECONDS_ALL=$(SECONDS) scripts/fuzz.sh

# The scanners of src/import that see bytes before assimp does.
SCANNERS = $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard src/import/fbx_*.c src/import/dae*.c) \
    $(addprefix src/import/,edits.c beyond.c curve.c visibility.c mtl.c))
$(BUILD)/tests/fuzz: $(SCANNERS)
$(BUILD)/tests/fuzz: LDLIBS := $(BUILD)/libmarrow.a $(LDLIBS)
$(BUILD)/tests/fuzzer: $(BUILD)/obj/tests/fuzz/fuzz.o $(BUILD)/obj/tests/fuzz/mutator.o $(SCANNERS) $(BUILD)/libmarrow.a
	@mkdir -p $(@D)
	$(call say,link,$@)$(CC) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS)
$(BUILD)/tests/fbx_seeds: $(BUILD)/obj/tests/fuzz/fbx_seeds.o
	@mkdir -p $(@D)
	$(call say,link,$@)$(CC) $(LDFLAGS_ALL) -o $@ $^ -lcheck -lsubunit -lrt -lm

# Nothing fused, nothing approximate in the compiled kernels.
instructions: $(BUILD)/libmarrow.a
	@scripts/check_instructions.sh $<

FORMATTED = $(wildcard include/marrow/*.h src/*/*.[ch] src/*/*.cc src/*/*/*.[ch] scripts/draco/*.cc tests/*.[ch] tests/bench/*.[ch] tests/fuzz/*.[ch])
format:
	clang-format -i $(FORMATTED)

format-check:
	@clang-format --dry-run -Werror $(FORMATTED)

# The models in assets/ are what the generator writes.
assets:
	scripts/make_assets.py --out assets

# The studio's picture, prepared for surfaces: after it, build again.
studio: $(BUILD)/tests/studio
	$< --write

gallery: all
	@BUILD=$(BUILD) scripts/gallery.sh

assets-check:
	@scripts/make_assets.py --check

# Three metal models of our own are about as bright as in three.js.
look-check: all
	@scripts/check_look.py $(BUILD)/marrow

# The manual pages, from what `marrow help` prints. Installing works without what makes them.
.PHONY: man
man: all
	@if command -v lowdown >/dev/null && command -v python3 >/dev/null; then \
	    scripts/make_man.py --build $(BUILD) --out $(BUILD)/man; \
	else echo "no manual pages: they need the packages lowdown and python3"; fi

# The README and the chapters of src/help: C programs compile against both libraries and run, and so do
# commands. The manual pages have all options, and nothing that mandoc or groff complain of.
manual-check: all
	@BUILD=$(BUILD) scripts/check_manual.py
	@scripts/make_man.py --build $(BUILD) --out $(BUILD)/man --check
	@BUILD=$(BUILD) scripts/bench_table.py --check

# Poses and pictures against those of other programs, where the corpus is there.
corpus-check: all
	@BUILD=$(BUILD) scripts/check_corpus.py
	@BUILD=$(BUILD) scripts/check_repro.py

# A map, an option and a format more in a copy of the tree: what has to be touched, and that all are
# found. new-format-check: the format alone.
additions-check: all
	@scripts/check_additions.py --build $(BUILD) --make "$(MAKE)"
.PHONY: new-format-check
new-format-check: all
	@scripts/check_additions.py --build $(BUILD) --make "$(MAKE)" --only format

# The HTML report, opened and used in headless Chromium.
.PHONY: report-check
report-check: all
	@BUILD=$(BUILD) scripts/check_report.py

# Sprite sheets, by the parsers of PixiJS and Phaser, which npm fetches.
.PHONY: sprites-check
sprites-check: all
	@BUILD=$(BUILD) scripts/check_sprites.sh

# The completions of bash, zsh and fish, each typed into its shell.
.PHONY: completions-check
completions-check: all
	@BUILD=$(BUILD) scripts/check_completions.sh

# Commands that `timeout` ends, 50 times each; test-cli_signals does it twice.
.PHONY: signals-check
signals-check: all
	@BUILD=$(BUILD) scripts/check_signals.sh

# The first hours of an artist, a build engineer and a backend developer.
.PHONY: first-hours
first-hours: all
	@BUILD=$(BUILD) scripts/first_hours.sh

# Our own goldens, as anybody would run theirs. tests/test_golden.c runs them over all kernels.
golden-check: all
	@$(BUILD)/marrow test golden --out $(BUILD)/golden-results

# Writes golden/ anew: look at every picture before committing it.
golden: all
	$(BUILD)/marrow test golden --out $(BUILD)/golden-results --update --prune --force

# With OpenGL, in a build of its own: what tests it, under Mesa's software driver where there is no
# other, and our goldens by both renderers; a driver that calls anything of it deprecated or not
# portable fails it.
.PHONY: gl-check gl-asan
GL_TESTS := linkage gl gl_opinion gl_window
gl-check:
	@GL=1 scripts/setup.sh check
	$(MAKE) BUILD=build-gl GL=1 all $(GL_TESTS:%=build-gl/tests/%)
	@BUILD=build-gl scripts/run_tests.sh $(GL_TESTS)
	build-gl/marrow test golden --backend gl --against-backend soft -v --out build-gl/opinion \
	    2>build-gl/opinion.log || { cat build-gl/opinion.log; exit 1; }
	@! grep 'the OpenGL driver reports' build-gl/opinion.log
	$(MAKE) gl-asan

# What tests OpenGL itself, 1,000 pictures among it, under sanitizers: nothing is left, and a leak made
# on purpose is found. The library is that of build-gl: its kernels take sanitizers very long to
# compile, and `make asan` has them.
gl-asan:
	$(MAKE) BUILD=build-gl GL=1 build-gl/libmarrow.a
	@mkdir -p build-gl-asan
	@cmp -s build-gl/libmarrow.a build-gl-asan/libmarrow.a || cp build-gl/libmarrow.a build-gl-asan
	$(MAKE) -o build-gl-asan/libmarrow.a BUILD=build-gl-asan GL=1 DEBUG=1 OPT=-O1 \
	    SANITIZE=address,undefined build-gl-asan/tests/gl build-gl-asan/tests/gl_leak
	BUILD=build-gl-asan scripts/gl_asan.sh

# A device that is reset: the command is run with it.
$(BUILD)/tests/gl_reset.so: $(BUILD)/obj/tests/gl_reset.o
	@mkdir -p $(@D)
	$(call say,link,$@)$(CC) $(LDFLAGS_ALL) -shared -o $@ $^ -lepoxy
$(BUILD)/tests/gl_opinion $(BUILD)/tests/gl_window: | $(BUILD)/tests/gl_reset.so

# Forgets what its store of meshes and textures has.
$(BUILD)/tests/gl_leak: $(BUILD)/obj/tests/test_gl.o $(GL_OBJECTS) $(BUILD)/libmarrow.a
	@mkdir -p $(@D)
	$(call say,link,$@)$(CC) $(LDFLAGS_ALL) -Wl,--wrap=gl_store_free \
	    -Wl,--defsym,__wrap_gl_store_free=gl_store_tidy -o $@ $^ -lcheck -lsubunit -lrt \
	    $(BUILD)/libmarrow.a $(LDLIBS) $(GL_LIBS)

# ---- sanitizers and the proof of sameness ----------------------------------------------------
.PHONY: asan tsan clang-check same same-arm64 faults
MOST ?= 0
faults: all $(BUILD)/faults.so
	scripts/faults.py --marrow $(BUILD)/marrow --preload $(BUILD)/faults.so --most $(MOST)
$(BUILD)/faults.so: tests/faults/faults.c
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -std=c11 -Wall -Wextra -Werror -O1 -shared -fPIC -o $@ $<
# By clang, which compiles the shading kernels with sanitizers in half of gcc's time. Each program runs
# its tests in one process, which looks for leaks once: a process per test takes 380 s more. FORKS names
# programs whose tests change their process, and those that mostly wait for commands.
asan: FORKS := against coverage draco sandbox viewer $(filter cli cli_%,$(TESTS))
asan:
	@scripts/setup.sh ci
	CK_FORK=no FORKS="$(FORKS)" $(MAKE) BUILD=build-asan CC=clang DEBUG=1 OPT=-O1 SANITIZE=address,undefined,float-cast-overflow \
	    LDFLAGS="-fuse-ld=lld -shared-libasan -Wl,-rpath,$$(dirname "$$(clang -print-file-name=libclang_rt.asan-$(ARCH).so)")" \
	    tests

TSAN := hosts sequence perform frame frame_mix load_threads load_unseen raster png_encoder apng run run_shared session_cache
tsan:
	@scripts/setup.sh ci
	$(MAKE) BUILD=build-tsan CC=clang OPT=-O1 SANITIZE=thread build-tsan/marrow $(TSAN:%=build-tsan/tests/%)
	BUILD=build-tsan scripts/tsan.sh $(TSAN)

# What promises the same bits by itself: each kernel against the scalar one, encoders, goldens.
SAME := golden draco shade kernels coverage cover_kernels raster_front fragments skin skin_dual tone streams targets anim_kernels compare compare_flip png_encode webp_read

# All of it, optimised by clang; `make asan` has the suite by clang.
clang-check:
	@scripts/setup.sh ci
	scripts/check_conversions.py
	$(MAKE) BUILD=build-clang CC=clang instructions all $(SAME:%=build-clang/tests/%)
	BUILD=build-clang scripts/run_tests.sh $(SAME)

# The same pixels, whatever the compiler and the optimisation level. PROVEN="build build-clang" leaves
# out builds whose tests have passed.
same:
	scripts/same.sh

# The same on arm64, cross-built and run under qemu-user.
# (A helper does not start under the emulator, and assimp is not asked for: of the importer there is a
# module for Draco meshes alone.)
SAME_ARM64 := golden:scalar golden:neon golden:exact $(filter-out golden,$(SAME))
same-arm64:
	@scripts/setup.sh arm64
	$(MAKE) BUILD=build-arm64 CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar \
	    OPENEXR=-l:libOpenEXRCore-3_1.so.30 \
	    IMPORT_SOURCES="src/import/draco.c src/import/module_draco.c" \
	    IMPORT_LIBS="-ldraco -l:libstdc++.so.6" build-arm64/marrow-import.so \
	    $(foreach test,$(SAME_ARM64),build-arm64/tests/$(firstword $(subst :, ,$(test))))
	OBJDUMP=aarch64-linux-gnu-objdump scripts/check_instructions.sh build-arm64/libmarrow.a
	MARROW_TEST_QUARTER=1 BUILD=build-arm64 RUN=qemu-aarch64 CK_FORK=no scripts/run_tests.sh $(SAME_ARM64)

# ---- a command that runs anywhere ------------------------------------------------------------
# build/static/marrow: statically linked, of the same objects as build/marrow but for module.o, which
# can load no module.
.PHONY: static static-check static-arm64 static-check-arm64
STATIC = $(BUILD)/static
ARM64 = BUILD=build-arm64 CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar STRIP=aarch64-linux-gnu-strip \
    OPENEXR=-l:libOpenEXRCore-3_1.so.30
STATIC_OWN = src/load/module
STATIC_LINKED = -lcjson -lmeshoptimizer -ldeflate -linih -lutf8proc -lOpenEXRCore -lz -lgif -lwebpmux -lwebp -ljpegcore -ljpeg -lzstd -lm
STATIC_BUILT = $(STATIC)/lib/libcjson.a $(STATIC)/lib/libmeshoptimizer.a $(STATIC)/lib/libOpenEXRCore.a \
    $(STATIC)/lib/libjpegcore.a
static:
	@scripts/setup.sh static
	@$(MAKE) --no-print-directory $(STATIC)/marrow

static-check: static all
	@BUILD=$(BUILD) scripts/check_static.sh

# The import helper, of this machine, works for the command that is emulated.
static-check-arm64: static-arm64 all
	@RUN=qemu-aarch64 BUILD=build-arm64 MARROW_IMPORTER=$(abspath $(BUILD))/marrow-import scripts/check_static.sh

static-arm64:
	@scripts/setup.sh static-arm64
	@$(MAKE) --no-print-directory $(ARM64) build-arm64/static/marrow

$(STATIC_BUILT) &: scripts/static_libs.sh $(BUILD)/flags
	$(call say,build,$(STATIC)/lib)CC=$(CC) CXX=$(CXX) AR=$(AR) scripts/static_libs.sh build/sources $(STATIC)/lib

$(STATIC)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,compile,"$< (static)")$(CC) $(CPPFLAGS) -DMARROW_STATIC $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

$(STATIC)/marrow: $(STATIC_OWN:%=$(STATIC)/obj/%.o) $(CLI_OBJECTS) $(BUILD)/libmarrow.a $(STATIC_BUILT)
	$(call say,link,$@)$(CC) -static $(LDFLAGS_ALL) -Wl,--gc-sections -Wl,-z,noseparate-code -Wl,--build-id=none \
	    -Wl,--no-warnings -L$(STATIC)/lib -o $@.full $(filter %.o,$^) $(BUILD)/libmarrow.a $(STATIC_LINKED)
	@$(STRIP) -o $@ $@.full

# The whole of it for machines that build nothing: see scripts/make_tarball.py. What libmarrow.so needs
# lies in lib/marrow.
.PHONY: tarball tarball-check tarball-arm64 tarball-now
PACKED = $(BUILD)/dist
PRESET = 9
tarball:
	@scripts/setup.sh static
	@$(MAKE) --no-print-directory man
	@$(MAKE) --no-print-directory tarball-now

tarball-check: tarball $(BUILD)/tests/fake_importer
	@BUILD=$(BUILD) PRESET=$(PRESET) TARBALL=$(PACKED)/marrow-$(VERSION)-linux-$(ARCH).tar.xz \
	    scripts/check_tarball.sh

tarball-arm64: man
	@scripts/setup.sh static-arm64
	@mkdir -p build-arm64
	@rm -rf build-arm64/man && cp -r $(BUILD)/man build-arm64/man
	@$(MAKE) --no-print-directory -o man $(ARM64) PACKED=$(PACKED) tarball-now

tarball-now: all $(STATIC)/marrow $(STATIC)/libmarrow.so $(STATIC)/marrow-import
	@rm -rf $(STATIC)/staged
	@$(MAKE) --no-print-directory -o all -o man install DESTDIR=$(abspath $(STATIC)/staged) >$(STATIC)/install.log 2>&1 || \
	    { cat $(STATIC)/install.log; exit 1; }
	@mkdir -p $(PACKED)
	@scripts/make_tarball.py --build $(BUILD) --staged $(STATIC)/staged$(PREFIX) --arch $(ARCH) --strip $(STRIP) \
	    --preset $(PRESET) --out $(PACKED)

# DT_RPATH, the older of two ways, also holds for libraries that libraries need.
$(STATIC)/marrow-import: $(BUILD)/marrow-import
	@mkdir -p $(@D)
	$(call say,link,$@)$(CC) $(LDFLAGS_ALL) -Wl,--as-needed -Wl,--disable-new-dtags -Wl,-rpath,'$$ORIGIN/lib' -o $@ \
	    $(IMPORT_MAIN) $(LDLIBS) $(IMPORT_LIBS) -lseccomp

$(STATIC)/libmarrow.so: $(OBJECTS) src/libmarrow.map
	@mkdir -p $(@D)
	$(call say,link,$@)$(CC) -shared -Wl,-soname,libmarrow.so.1 -Wl,--version-script=src/libmarrow.map \
	    -Wl,-rpath,'$$ORIGIN/marrow' $(LDFLAGS_ALL) -o $@ $(OBJECTS) $(LDLIBS)

# ---- installing ------------------------------------------------------------------------------
.PHONY: install uninstall install-check record-symbols
TO = $(DESTDIR)$(PREFIX)
TO_LIB = $(DESTDIR)$(LIBDIR)
STRIP ?= strip
TELL_LOADER ?= scripts/tell_loader.sh
MAN = $(TO)/share/man
INSTALLED_MAN = $(MAN)/man1/marrow.1 $(MAN)/man1/marrow-*.1 $(MAN)/man7/marrow-*.7
INSTALL_STRIPPED = install $(if $(DEBUG),,-s --strip-program=$(STRIP))
VERSION := $(shell sed -n 's/\#define MRW_VERSION "\(.*\)"/\1/p' include/marrow/base.h)
# A program that links libmarrow.a has to link these, too.
STATIC_LIBS = $(LDLIBS) -fopenmp
DOC = $(TO)/share/doc/marrow
DOCUMENTS := LICENSE README.md CHANGELOG.md
EXAMPLES := program.c picture.c picture.py Makefile
# A shell's completions are installed if they are there: bash, zsh, fish.
COMPLETIONS ?= src/completions
COMPLETION_FILES = marrow.bash:share/bash-completion/completions/marrow \
    marrow.zsh:share/zsh/site-functions/_marrow marrow.fish:share/fish/vendor_completions.d/marrow.fish
INSTALLED_COMPLETIONS = $(foreach file,$(COMPLETION_FILES),$(lastword $(subst :, ,$(file))))
install: all man
	install -d $(TO)/bin $(TO_LIB)/pkgconfig $(TO_LIB)/cmake/marrow $(TO)/libexec/marrow \
	    $(TO)/include/marrow $(DOC)/examples
	$(INSTALL_STRIPPED) -m 755 $(BUILD)/marrow $(TO)/bin/
	$(INSTALL_STRIPPED) -m 755 $(BUILD)/marrow-import $(TO)/libexec/marrow/
	$(INSTALL_STRIPPED) -m 644 $(BUILD)/marrow-import.so $(TO)/libexec/marrow/
	$(INSTALL_STRIPPED) -m 644 $(BUILD)/libmarrow.so $(TO_LIB)/libmarrow.so.1
	ln -sf libmarrow.so.1 $(TO_LIB)/libmarrow.so
	install -m 644 $(BUILD)/libmarrow.a $(TO_LIB)/
	$(if $(DEBUG),,$(STRIP) --strip-debug $(TO_LIB)/libmarrow.a)
	rm -f $(TO)/include/marrow/*.h # of an earlier version
	install -m 644 include/marrow/*.h $(TO)/include/marrow/
	scripts/package_files.sh $(BUILD)/package '$(PREFIX)' '$(LIBDIR)' $(VERSION) $(STATIC_LIBS)
	install -m 644 $(BUILD)/package/*.pc $(TO_LIB)/pkgconfig/
	install -m 644 $(BUILD)/package/*.cmake $(TO_LIB)/cmake/marrow/
	scripts/examples.sh $(BUILD)/examples
	install -m 644 $(DOCUMENTS) $(DOC)/
	install -m 644 $(EXAMPLES:%=$(BUILD)/examples/%) $(DOC)/examples/
	rm -f $(INSTALLED_MAN) # of an earlier version
	for section in 1 7; do \
	    [ ! -d $(BUILD)/man/man$$section ] || { install -d $(MAN)/man$$section && \
	        install -m 644 $(BUILD)/man/man$$section/* $(MAN)/man$$section/; } || exit 1; done
	for file in $(COMPLETION_FILES); do \
	    [ ! -f $(COMPLETIONS)/$${file%%:*} ] || \
	        install -D -m 644 $(COMPLETIONS)/$${file%%:*} $(TO)/$${file#*:} || exit 1; done
	$(if $(DESTDIR),,@$(TELL_LOADER) $(LIBDIR))

# Folders that are empty then go, too, whoever made them, but those that any system has.
uninstall:
	rm -f $(TO)/bin/marrow $(addprefix $(TO)/libexec/marrow/,marrow-import marrow-import.so) \
	    $(addprefix $(TO_LIB)/,libmarrow.a libmarrow.so libmarrow.so.1) \
	    $(addprefix $(TO_LIB)/pkgconfig/,marrow.pc marrow-static.pc) \
	    $(addprefix $(TO_LIB)/cmake/marrow/,marrow-config.cmake marrow-config-version.cmake) \
	    $(addprefix $(DOC)/,$(DOCUMENTS) $(EXAMPLES:%=examples/%)) \
	    $(addprefix $(TO)/,$(INSTALLED_COMPLETIONS)) $(TO)/include/marrow/*.h $(INSTALLED_MAN)
	scripts/remove_empty.sh '$(DESTDIR)' $(LIBDIR)/pkgconfig $(LIBDIR)/cmake/marrow \
	    $(addprefix $(PREFIX)/,bin libexec/marrow include/marrow share/man/man1 share/man/man7 \
	    share/doc/marrow/examples $(dir $(INSTALLED_COMPLETIONS)))
	$(if $(DESTDIR),,@$(TELL_LOADER))

# Adds new functions to the list of what libmarrow.so exports, with this version. It removes none: a
# function that goes needs another soname.
SYMBOLS := tests/libmarrow.symbols
record-symbols: $(BUILD)/libmarrow.so
	@nm -D --defined-only $< | sed -n 's/.* [A-Z] \(mrw_[a-z0-9_]*\)@@MARROW_1$$/\1 $(VERSION)/p' | \
	    cat $(SYMBOLS) - | LC_ALL=C sort -s -u -k1,1 >$(BUILD)/symbols
	@mv $(BUILD)/symbols $(SYMBOLS)

install-check: all
	@BUILD=$(BUILD) scripts/check_install.sh

# scripts/install.sh with releases that the check makes up. RELEASE=file.tar.xz: that one, too.
.PHONY: install-sh-check
install-sh-check:
	@scripts/check_install_sh.sh

# The GitHub action, step by step, and the Containerfiles. MARROW_STATIC=path: this command is run as
# in a container.
.PHONY: action-check container-check
action-check: all
	@scripts/check_action.py --build $(BUILD)
container-check:
	@scripts/check_container.sh

# Debian packages, in $(BUILD)/deb. deb-check installs them in a clean Debian 12, as root.
.PHONY: deb deb-check
deb: all
	@BUILD=$(BUILD) scripts/make_deb.sh

deb-check: all
	@BUILD=$(BUILD) scripts/check_deb.sh

# All files of a release. dist-check tries everything that is handed out; dist-check-quick is its part
# for CI.
.PHONY: dist dist-check dist-check-quick
dist:
	@scripts/setup.sh deb
	@BUILD=$(BUILD) scripts/dist.sh

dist-check:
	@scripts/setup.sh deb
	@BUILD=$(BUILD) scripts/check_dist.sh --all

dist-check-quick:
	@BUILD=$(BUILD) scripts/check_dist.sh

-include $(wildcard $(BUILD)/static/obj/src/*/*.d $(BUILD)/obj/src/*/*.d $(BUILD)/obj/src/*/*/*.d $(BUILD)/obj/tests/*.d $(BUILD)/obj/tests/*/*.d)
