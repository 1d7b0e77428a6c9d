#!/bin/sh
# Each public header compiles alone, as C and as C++, without a warning.
set -eu
for header in include/marrow/*.h; do
    ${CC:-cc} -std=c11 -Wall -Wextra -Werror -Iinclude -fsyntax-only -x c "$header"
    ${CXX:-c++} -std=c++11 -Wall -Wextra -Werror -Wno-pragma-once-outside-header -Iinclude \
        -fsyntax-only -x c++ "$header"
done
