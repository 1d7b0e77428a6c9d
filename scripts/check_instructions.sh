#!/bin/sh
# No instruction that would give other bits than plain arithmetic: fused multiply-add, approximate
# reciprocals and roots, dot products and horizontal sums. Compilers are told not to use them; this
# looks into what they made. OBJDUMP names another disassembler, for another architecture.
#
# Usage: scripts/check_instructions.sh ARCHIVE...
set -eu

x86='vfn?m(add|sub)[a-z0-9]*|v4fn?madd[a-z]*|v?rcp(14|28)?[ps][sdh]|v?rsqrt(14|28)?[ps][sdh]|v?dpp[sd]|v?h(add|sub)p[sd]|vdpbf16ps'
arm='fn?m(add|sub)|fml[as][a-z0-9]*|fcmla|fadda|faddv|faddp|fmaxn?m?v|frecp[esx]|frsqrt[es]|bfdot'

for archive in "$@"; do
    "${OBJDUMP:-objdump}" -d --no-show-raw-insn "$archive" |
        awk -v forbidden="^($x86|$arm)\$" '
            /file format/ { file = $1; sub(/:$/, "", file) }
            /^[0-9a-f]+ <.*>:$/ { name = $2 }
            NF > 1 && $1 ~ /^[0-9a-f]+:$/ && $2 ~ forbidden { print file ": " name " " $2; bad++ }
            NF > 1 && $1 ~ /^[0-9a-f]+:$/ { seen++ }
            END {
                if (!seen) print "no instructions found"
                exit bad > 0 || !seen
            }'
done
