/* doctor_hash.h: the pixel hash every machine must find for the pictures of `marrow doctor`. */
#ifndef MARROW_CLI_DOCTOR_HASH_H
#define MARROW_CLI_DOCTOR_HASH_H

/* Changes only with MRW_PIXEL_VERSION, or with the built-in models. */
#define MRW_DOCTOR_HASH "a826468ea932b573b72b5b7b531a4a5f4f38002a39e9654589bfd6c1c0b9adf7"

#endif
