/* compiled.h: scenes as files, as `marrow compile` writes them.
 *
 *   offset  size
 *        0     8  "\x8dmarrow\n": not text, and changed by a transfer as text
 *        8     4  version, 3; 1 and 2 are read, too
 *       12     4  0x01020304: all numbers are little-endian
 *       16     8  bytes of the scene
 *       24    32  SHA-256 of the scene
 *       56     8  zero
 *       64        the scene: the blob of scene/blob.h, which has its own version */
#ifndef MRWI_LOAD_COMPILED_H
#define MRWI_LOAD_COMPILED_H

#include "load/reader.h"

/* Reads such a file. Every byte is checked as if an attacker had written it. */
mrw_status mrwi_load_compiled_read(const mrwi_load_read_job *job, mrw_scene **out,
                                   mrw_error *error);

#endif
