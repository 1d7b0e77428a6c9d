/* fuzz.c: libFuzzer's entry. MARROW_FUZZ names the target of the table in targets.h. */
#include "targets.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const fuzz_target *find_target(void)
{
    const char *name = getenv("MARROW_FUZZ");
    for (size_t i = 0; name && i < FUZZ_TARGET_COUNT; i++) {
        if (strcmp(fuzz_targets[i].name, name) == 0) {
            return &fuzz_targets[i];
        }
    }
    fprintf(stderr, "fuzz: set MARROW_FUZZ to a target:");
    for (size_t i = 0; i < FUZZ_TARGET_COUNT; i++) {
        fprintf(stderr, " %s", fuzz_targets[i].name);
    }
    fprintf(stderr, "\n");
    exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const fuzz_target *target;
    if (!target) {
        target = find_target();
    }
    target->run(data, size);
    return 0;
}
