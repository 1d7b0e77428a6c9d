/* front_names.h: what joints are by their names: a side of the body, and a part of it. */
#ifndef MRWI_ANIM_FRONT_NAMES_H
#define MRWI_ANIM_FRONT_NAMES_H

#include "marrow/anim.h"

/* Parts of a body, bits. */
enum {
    MRWI_ANIM_HEAD = 1,
    MRWI_ANIM_FACE = 2, /* eyes, nose, jaw: what lies ahead of the head's joint */
    MRWI_ANIM_FOOT = 4,
    MRWI_ANIM_TOE = 8,
    MRWI_ANIM_HIPS = 16,
    MRWI_ANIM_TAIL = 32
};

/* Bytes of the names that are told apart, with the NUL. */
#define MRWI_ANIM_FRONT_KEY 48

typedef struct mrwi_anim_front_name {
    uint32_t parts; /* 0 for what only moves joints: controls, goals of IK */
    char side;      /* 'l', 'r', or 0 */
    bool by_letter; /* a word only begins with that of the side: lfoot, but leg, too */
    /* Words in lower case without the side and without numbers: "hand.thumb" of LeftHandThumb2;
     * both sides have the same. */
    char key[MRWI_ANIM_FRONT_KEY];
} mrwi_anim_front_name;

mrwi_anim_front_name mrwi_anim_front_name_of(const char *name);

#endif
