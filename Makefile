# marrow: `make demo` shows it, `make check` tests it; both install what is missing first.
#
#   make                  build/marrow, build/libmarrow.a, build/libmarrow.so
#   BUILD=dir             build elsewhere          CC=clang       the other compiler
#   DEBUG=1               -O0 -g, asserts on       WERROR=1       warnings are errors
#   SANITIZE=address,undefined                     OPT=-O3        another optimisation level
#   make test-ROOM        build and run the tests of one room
#   make asan tsan        the suite under sanitizers
#   make same             the proof of sameness on this machine; make same-arm64 under qemu
#   make install PREFIX=/usr/local DESTDIR=

BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
OPT ?= -O2
ARCH := $(shell $(CC) -dumpmachine | cut -d- -f1)

# ---- flags -----------------------------------------------------------------------------------
# -ffp-contract=off and friends are the determinism contract: no FMA, no reassociation.
CONTRACT := -std=c11 -ffp-contract=off -fno-fast-math -fexcess-precision=standard
ifneq (,$(findstring clang,$(CC)))
CONTRACT := -std=c11 -ffp-contract=off -fno-fast-math
endif
WARN := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wconversion $(if $(WERROR),-Werror)
CPPFLAGS += -D_GNU_SOURCE -Iinclude -Isrc -isystem /usr/include/stb $(SYSTEM_INCLUDES)
MODE := $(if $(DEBUG),-O0 -g,$(OPT) -g -DNDEBUG)
SAN := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer)
CFLAGS_ALL = $(CONTRACT) $(WARN) $(MODE) $(SAN) -fPIC -fvisibility=hidden -fno-math-errno -fopenmp \
             -pthread $(CFLAGS)
LDLIBS += -lcjson -lmeshoptimizer -ldeflate -lm
LDFLAGS_ALL = $(SAN) -fopenmp -pthread $(LDFLAGS)

# Only these files get instruction-set flags, and never FMA.
ISA_FLAGS = $(if $(findstring _avx2.c,$1),-mavx2 -mno-fma)

# ---- sources ---------------------------------------------------------------------------------
# ROOMS can be narrowed while working on a few of them: make ROOMS="base image" test-image
ROOMS ?= base image scene load anim skin view raster options frame
SOURCES := $(foreach room,$(filter-out frame,$(ROOMS)),$(wildcard src/$(room)/*.c)) \
           $(if $(filter frame,$(ROOMS)),$(wildcard src/frame*.c))
ifneq ($(ARCH),x86_64)
SOURCES := $(filter-out %_sse2.c %_avx2.c,$(SOURCES))
endif
ifneq ($(ARCH),aarch64)
SOURCES := $(filter-out %_neon.c,$(SOURCES))
endif
CLI_SOURCES := $(wildcard src/cli/*.c)
OBJECTS := $(SOURCES:%.c=$(BUILD)/obj/%.o)
CLI_OBJECTS := $(CLI_SOURCES:%.c=$(BUILD)/obj/%.o)
TESTS := $(patsubst tests/test_%.c,%,$(wildcard tests/test_*.c))

# ---- build -----------------------------------------------------------------------------------
.PHONY: all lib clean
all: $(BUILD)/marrow $(BUILD)/libmarrow.a $(BUILD)/libmarrow.so

lib: $(BUILD)/libmarrow.a

$(BUILD)/obj/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS_ALL) $(call ISA_FLAGS,$<) -MMD -MP -c -o $@ $<

$(BUILD)/libmarrow.a: $(OBJECTS)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/libmarrow.so: $(OBJECTS)
	$(CC) -shared -Wl,-soname,libmarrow.so.0 $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS)

$(BUILD)/marrow: $(CLI_OBJECTS) $(BUILD)/libmarrow.a
	$(CC) $(LDFLAGS_ALL) -o $@ $^ $(LDLIBS)

# A changed flag rebuilds everything.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(CPPFLAGS) $(CFLAGS_ALL)' | cmp -s - $@ || echo '$(CC) $(CPPFLAGS) $(CFLAGS_ALL)' >$@
.PHONY: FORCE
FORCE:

clean:
	rm -rf $(BUILD)

# ---- tests -----------------------------------------------------------------------------------
$(BUILD)/tests/%: $(BUILD)/obj/tests/test_%.o $(BUILD)/libmarrow.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS_ALL) -o $@ $^ -lcheck -lsubunit -lrt $(LDLIBS)
.PRECIOUS: $(BUILD)/obj/tests/test_%.o $(BUILD)/tests/%

test-%: $(BUILD)/tests/%
	$<

-include $(wildcard $(BUILD)/obj/src/*.d $(BUILD)/obj/src/*/*.d $(BUILD)/obj/tests/*.d)
