/* kernels.c: the instruction set a user asked for must be there: never a silent fallback. */
#include "cli.h"

#include <stdlib.h>

mrw_status cli_check_isa(const mrw_settings *settings, mrw_error *error)
{
    const char *asked = settings->isa != MRW_ISA_AUTO ? mrw_isa_name(settings->isa) : NULL;
    const char *place = "--isa";
    mrw_isa isa = MRW_ISA_AUTO;
    if (asked == NULL) {
        asked = getenv("MARROW_ISA");
        place = "MARROW_ISA";
    }
    if (asked == NULL || asked[0] == '\0') {
        return MRW_OK;
    }
    if (!mrw_isa_from_name(asked, &isa)) {
        return cli_fail(error, MRW_ERROR_USAGE,
                        "%s: unknown instruction set; there are auto, scalar, sse2, avx2, neon",
                        place);
    }
    if (isa == MRW_ISA_AUTO || mrw_isa_available(isa)) {
        return MRW_OK;
    }
    return cli_fail(error, MRW_ERROR_UNSUPPORTED,
                    "%s %s: this machine or this build has no such kernels; the fastest here is %s",
                    place, asked, mrw_isa_name(mrw_isa_best()));
}
