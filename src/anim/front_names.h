/* front_names.h: reads a side and a part of the body from the name of a joint. */
#ifndef MRWI_ANIM_FRONT_NAMES_H
#define MRWI_ANIM_FRONT_NAMES_H

#include "marrow/anim.h"

/* Parts of a body, bits. */
enum {
    MRWI_ANIM_HEAD = 1,
    MRWI_ANIM_FACE = 2, /* eyes, nose, jaw: parts ahead of the head's joint */
    MRWI_ANIM_FOOT = 4,
    MRWI_ANIM_TOE = 8,
    MRWI_ANIM_HIPS = 16,
    MRWI_ANIM_TAIL = 32
};

/* The first bytes of names that are compared, with the NUL. */
#define MRWI_ANIM_FRONT_KEY 48

typedef struct mrwi_anim_front_name {
    uint32_t parts; /* 0 for controls and IK goals, which only move joints */
    char side;      /* 'l', 'r', or 0 */
    bool by_letter; /* the side is only the first letter of a word: lfoot; but leg, too, has one */
    /* The words in lower case, without side and numbers: "hand.thumb" of LeftHandThumb2. Both sides
     * have the same key. */
    char key[MRWI_ANIM_FRONT_KEY];
} mrwi_anim_front_name;

mrwi_anim_front_name mrwi_anim_front_name_of(const char *name);

#endif
