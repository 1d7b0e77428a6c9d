/* humanoid.c: finds the bones of a human figure by name, in the conventions of common rigs. */
#include "retarget/humanoid.h"

#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

/* The parts of a name: "Bip01 L UpperArm", "mixamorig:LeftArm" and "upper_arm.L" all have a side
 * and words, which are joined in lower case. */
typedef struct bone_name {
    char words[48];
    bool too_long; /* true if no bone has so long a name */
    int side;      /* 0: left, 1: right, -1: none */
    int number;    /* the first number, or -1 */
    int digits;    /* number of digits of that number */
    int numbers;   /* count of numbers in the name */
    int leading;   /* the first digit of the first number */
} bone_name;

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++) {
        if (strcmp(word, *list) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Copies one word in lower case and returns its end: where letters end, or a capital begins the
 * next word ("LUpperArm": l, upper, arm). Longer words are cut. */
static const char *next_word(const char *c, char word[24])
{
    int n = 0;
    for (const char *start = c; is_letter(*c); c++) {
        const bool after_lower = c > start && is_upper(*c) && !is_upper(c[-1]);
        const bool before_lower = c > start && is_upper(*c) && is_letter(c[1]) && !is_upper(c[1]);
        if (after_lower || before_lower) {
            break;
        }
        if (n < 23) {
            word[n++] = is_upper(*c) ? (char)(*c - 'A' + 'a') : *c;
        }
    }
    word[n] = '\0';
    return c;
}

/* Returns true for words that rigs put before or after the bone's own. */
static bool is_decoration(const char *word, const char *last)
{
    static const char *const list[] = {"mixamorig", "bip",      "valvebiped", "j",    "c",
                                       "cc",        "def",      "org",        "jnt",  "bn",
                                       "bone",      "joint",    "bind",       "skel", "rig",
                                       "b",         "armature", "character",  NULL};
    return is_one_of(word, list) || (strcmp(word, "base") == 0 && strcmp(last, "cc") == 0);
}

static void add_word(bone_name *out, const char *word)
{
    static const char *const sides[2][5] = {{"l", "left", "lft", "lf", NULL},
                                            {"r", "right", "rgt", "rt", NULL}};
    const size_t used = strlen(out->words), size = strlen(word);
    for (int side = 0; side < 2; side++) {
        if (is_one_of(word, sides[side])) {
            out->side = side;
            return;
        }
    }
    if (used + size < sizeof out->words) {
        memcpy(out->words + used, word, size + 1);
    } else {
        out->too_long = true;
    }
}

static const char *add_number(bone_name *out, const char *c, bool counts)
{
    const char *start = c;
    int value = 0;
    for (; is_digit(*c); c++) {
        value = value < 1000 ? 10 * value + (*c - '0') : value;
    }
    if (counts && out->numbers++ == 0) {
        out->number = value;
        out->digits = (int)(c - start);
        out->leading = *start - '0';
    }
    return c;
}

/* Returns the part of a name after its namespaces and its first `skip` words. */
static const char *behind_words(const char *name, int skip)
{
    char word[24];
    for (const char *c = name; *c; c++) {
        name = (*c == ':' || *c == '|') && c[1] ? c + 1 : name;
    }
    while (*name && (skip > 0 || !is_letter(*name))) {
        skip -= is_letter(*name);
        name = is_letter(*name) ? next_word(name, word) : name + 1;
    }
    return name;
}

/* Takes a name apart. `skip` is the number of words that all bones of the rig begin with. */
static void take_apart(const char *name, int skip, bone_name *out)
{
    char word[24] = "", last[24] = "";
    bool decorated = false; /* the last word was a decoration: "Bip01" */
    *out = (bone_name){.side = -1, .number = -1};
    name = behind_words(name, skip);
    while (*name) {
        if (is_letter(*name)) {
            memcpy(last, word, sizeof last);
            name = next_word(name, word);
            decorated = is_decoration(word, last);
            if (!decorated) {
                add_word(out, word);
            }
        } else if (is_digit(*name)) {
            name = add_number(out, name, !decorated);
        } else {
            name++;
        }
    }
}

/* ---- bones ----------------------------------------------------------------------------------- */

/* The meaning of a name. Shoulders and feet depend on the other names of the rig. */
typedef enum meaning {
    NOTHING,
    HIPS,
    HEAD,
    SPINE,
    NECK,
    CLAVICLE,
    SHOULDER,
    UPPER_ARM,
    FOREARM,
    WRIST,
    THIGH,
    SHIN,
    ANKLE,
    FOOT,
    TOES,
    FINGER, /* numbered: Biped, MakeHuman */
    THUMB,
    INDEX,
    MIDDLE,
    RING,
    LITTLE
} meaning;

typedef struct entry {
    const char *words;
    meaning means;
    int rank; /* if a rig has several names for one bone, the lowest rank wins */
} entry;

/* Bones of the middle, then those that have sides. */
static const entry middle[] = {
    {"hips", HIPS, 0},          {"hip", HIPS, 0},           {"pelvis", HIPS, 0},
    {"head", HEAD, 0},          {"neck", NECK, 0},          {"lowerneck", NECK, 0},
    {"upperneck", NECK, 0},     {"necklower", NECK, 0},     {"neckupper", NECK, 0},
    {"necktwist", NECK, 0},     {"spine", SPINE, 0},        {"chest", SPINE, 0},
    {"upperchest", SPINE, 0},   {"torso", SPINE, 0},        {"abdomen", SPINE, 0},
    {"abdomenlower", SPINE, 0}, {"abdomenupper", SPINE, 0}, {"chestlower", SPINE, 0},
    {"chestupper", SPINE, 0},   {"lowerback", SPINE, 0},    {"upperback", SPINE, 0},
    {"thorax", SPINE, 0},       {"waist", SPINE, 0},        {"spinelower", SPINE, 0},
    {"spineupper", SPINE, 0},   {"spinemid", SPINE, 0},     {NULL, NOTHING, 0}};

static const entry sided[] = {{"clavicle", CLAVICLE, 0},
                              {"collar", CLAVICLE, 0},
                              {"collarbone", CLAVICLE, 0},
                              {"shoulder", SHOULDER, 1},
                              {"upperarm", UPPER_ARM, 0},
                              {"arm", UPPER_ARM, 2},
                              {"uparm", UPPER_ARM, 0},
                              {"armupper", UPPER_ARM, 0},
                              {"humerus", UPPER_ARM, 0},
                              {"shldr", UPPER_ARM, 0},
                              {"shldrbend", UPPER_ARM, 0},
                              {"forearm", FOREARM, 0},
                              {"lowerarm", FOREARM, 0},
                              {"lowarm", FOREARM, 0},
                              {"armlower", FOREARM, 0},
                              {"elbow", FOREARM, 0},
                              {"radius", FOREARM, 0},
                              {"ulna", FOREARM, 0},
                              {"forearmbend", FOREARM, 0},
                              {"wrist", WRIST, 0},
                              {"hand", WRIST, 1},
                              {"thigh", THIGH, 0},
                              {"upleg", THIGH, 0},
                              {"upperleg", THIGH, 0},
                              {"legupper", THIGH, 0},
                              {"femur", THIGH, 0},
                              {"thighbend", THIGH, 0},
                              {"hip", THIGH, 1},
                              {"shin", SHIN, 0},
                              {"calf", SHIN, 0},
                              {"lowerleg", SHIN, 0},
                              {"lowleg", SHIN, 0},
                              {"leglower", SHIN, 0},
                              {"tibia", SHIN, 0},
                              {"leg", SHIN, 1},
                              {"knee", SHIN, 1},
                              {"ankle", ANKLE, 0},
                              {"foot", FOOT, 0},
                              {"toe", TOES, 0},
                              {"toes", TOES, 0},
                              {"toebase", TOES, 0},
                              {"toeball", TOES, 0},
                              {"ball", TOES, 0},
                              {"finger", FINGER, 0},
                              {"thumb", THUMB, 0},
                              {"index", INDEX, 0},
                              {"middle", MIDDLE, 0},
                              {"mid", MIDDLE, 0},
                              {"ring", RING, 0},
                              {"pinky", LITTLE, 0},
                              {"little", LITTLE, 0},
                              {"thumbmetacarpal", THUMB, 0},
                              {NULL, NOTHING, 0}};

static const entry *look_up(const entry *table, const char *words)
{
    while (table->words && strcmp(table->words, words) != 0) {
        table++;
    }
    return table->words ? table : NULL;
}

/* Finds the finger in "handindex", "f_index", "indexproximal". */
static const entry *look_up_finger(const char *words)
{
    static const char *const before[] = {"hand", "finger", "f"};
    static const char *const behind[] = {"proximal", "intermediate", "distal", "finger"};
    char text[sizeof((bone_name *)0)->words];
    for (int i = 0; i < 3; i++) {
        const size_t size = strlen(before[i]);
        if (strncmp(words, before[i], size) == 0 && look_up(sided, words + size)) {
            words += size;
            break;
        }
    }
    memcpy(text, words, strlen(words) + 1);
    for (int i = 0; i < 4; i++) {
        const size_t size = strlen(behind[i]), length = strlen(text);
        if (length > size && strcmp(text + length - size, behind[i]) == 0) {
            text[length - size] = '\0';
            break;
        }
    }
    const entry *found = look_up(sided, text);
    return found && found->means >= THUMB ? found : NULL;
}

/* Finds names that contain the side in the word, "lfemur" and "leftarm", and sets *side. */
static const entry *look_up_with_side(const char *words, int *side)
{
    static const char *const before[2][2] = {{"left", "l"}, {"right", "r"}};
    for (int i = 0; i < 4; i++) {
        const size_t size = strlen(before[i / 2][i % 2]);
        if (strncmp(words, before[i / 2][i % 2], size) == 0) {
            const entry *found = look_up(sided, words + size);
            found = found ? found : look_up_finger(words + size);
            if (found) {
                *side = i / 2;
                return found;
            }
        }
    }
    return NULL;
}

static meaning meaning_of(const bone_name *name, int *side, int *rank)
{
    const entry *found = NULL;
    *side = name->side;
    if (name->too_long) {
        return NOTHING;
    }
    if (*side < 0) {
        found = look_up(middle, name->words);
        found = found ? found : look_up_with_side(name->words, side);
    } else {
        found = look_up(sided, name->words);
        found = found ? found : look_up_finger(name->words);
    }
    if (!found) {
        return NOTHING;
    }
    *rank = found->rank;
    /* Only chains and toes are numbered. For other bones the first of several counts, and Blender's
     * ".001" is a copy. */
    const bool one = found->means == HIPS || found->means == HEAD ||
                     (found->means >= CLAVICLE && found->means < TOES);
    return one && (name->number > 1 || name->digits > 2) ? NOTHING : found->means;
}

/* ---- a rig ----------------------------------------------------------------------------------- */

typedef struct finder {
    const mrwi_retarget_rig *rig;
    mrwi_retarget_humanoid *out;
    int ranks[MRWI_RETARGET_BONES];
    int skip; /* number of words that most names begin with */
    bool has_collar, has_ankle, has_head;
} finder;

static const char *name_of(const mrwi_retarget_rig *rig, uint32_t node)
{
    return mrw_scene_string(rig->scene, rig->scene->nodes[node].name);
}

/* Returns true for joints and for nodes that move; in files without skins and clips, for all
 * nodes. */
static bool is_candidate(const mrwi_retarget_rig *rig, uint32_t node)
{
    const bool any = rig->scene->joints_count == 0 && rig->scene->channels_count == 0;
    return rig->owner[node] == MRW_NONE && (any || rig->is_joint[node] || rig->moves[node]);
}

/* Returns true if three of four names, and at least four, have the same word after their first
 * `skip` words. It finds the word with a vote that a majority always wins (Boyer and Moore,
 * 1981). */
static bool most_share_a_word(const finder *f, int skip)
{
    char best[24] = "", word[24];
    uint32_t balance = 0, all = 0, with = 0;
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < f->rig->scene->nodes_count; i++) {
            if (!is_candidate(f->rig, i)) {
                continue;
            }
            next_word(behind_words(name_of(f->rig, i), skip), word);
            if (round == 1) {
                all++;
                with += word[0] && strcmp(word, best) == 0;
            } else if (balance == 0) {
                memcpy(best, word, sizeof best);
                balance = 1;
            } else {
                balance += strcmp(word, best) == 0 ? 1 : UINT32_MAX;
            }
        }
    }
    return with >= 4 && with >= all - all / 4;
}

/* Levels between two bones, at most. */
#define MOST_LEVELS 64

static bool is_below(const mrw_scene *scene, uint32_t node, uint32_t above)
{
    for (int n = 0; n < MOST_LEVELS && node != MRW_NONE && node > above; n++) {
        node = scene->nodes[node].parent;
    }
    return node == above;
}

static void put_bone(finder *f, uint32_t bone, uint32_t node, int rank)
{
    if (f->out->bones[bone] == MRW_NONE || rank < f->ranks[bone]) {
        f->out->bones[bone] = node;
        f->ranks[bone] = rank;
    }
}

/* Appends a bone to a chain. A chain goes down: bones that are not below its last one belong to
 * something else. */
static void put_link(finder *f, uint32_t chain, uint32_t node)
{
    uint32_t *count = &f->out->counts[chain];
    if (*count < MRWI_RETARGET_CHAIN_ROOM &&
        (*count == 0 || is_below(f->rig->scene, node, f->out->chains[chain][*count - 1]))) {
        f->out->chains[chain][(*count)++] = node;
    }
}

/* Returns the finger's number: Biped counts from 0, "Finger0", "Finger01"; MakeHuman from 1,
 * "finger1-2". */
static int finger_of(const bone_name *name)
{
    const int finger = name->numbers > 1 ? name->leading - 1 : name->leading;
    return name->numbers > 0 && finger >= 0 && finger < 5 ? finger : -1;
}

static void put_spine(finder *f, const bone_name *name, uint32_t node)
{
    /* Rigify continues to count: spine ... spine.003, then the neck, then the head. */
    const bool counted = !f->has_head && name->digits == 3 && name->number >= 4;
    if (counted && name->number == 6) {
        put_bone(f, MRWI_RETARGET_HEAD, node, 0);
    } else {
        put_link(f, counted ? MRWI_RETARGET_NECK : MRWI_RETARGET_SPINE, node);
    }
}

static void put_sided(finder *f, meaning means, uint32_t side, uint32_t node, int rank)
{
    switch (means) {
    case CLAVICLE:
        put_bone(f, MRWI_RETARGET_CLAVICLE + side, node, rank);
        break;
    case SHOULDER:
        put_bone(f, (f->has_collar ? MRWI_RETARGET_UPPER_ARM : MRWI_RETARGET_CLAVICLE) + side, node,
                 rank);
        break;
    case UPPER_ARM:
        put_bone(f, MRWI_RETARGET_UPPER_ARM + side, node, rank);
        break;
    case FOREARM:
        put_bone(f, MRWI_RETARGET_FOREARM + side, node, rank);
        break;
    case WRIST:
        put_bone(f, MRWI_RETARGET_WRIST + side, node, rank);
        break;
    case THIGH:
        put_bone(f, MRWI_RETARGET_THIGH + side, node, rank);
        break;
    case SHIN:
        put_bone(f, MRWI_RETARGET_SHIN + side, node, rank);
        break;
    case ANKLE:
        put_bone(f, MRWI_RETARGET_FOOT + side, node, rank);
        break;
    case FOOT:
        put_bone(f, (f->has_ankle ? MRWI_RETARGET_TOES : MRWI_RETARGET_FOOT) + side, node, 1);
        break;
    case TOES:
        put_bone(f, MRWI_RETARGET_TOES + side, node, rank);
        break;
    default:
        put_link(f, MRWI_RETARGET_FINGERS + 2 * (uint32_t)(means - THUMB) + side, node);
        break;
    }
}

static void put_node(finder *f, uint32_t node)
{
    bone_name name;
    int side, rank = 0;
    take_apart(name_of(f->rig, node), f->skip, &name);
    meaning means = meaning_of(&name, &side, &rank);
    if (means == FINGER) {
        const int finger = finger_of(&name);
        means = finger < 0 ? NOTHING : (meaning)(THUMB + finger);
    }
    switch (means) {
    case NOTHING:
        break;
    case HIPS:
        put_bone(f, MRWI_RETARGET_HIPS, node, rank);
        break;
    case HEAD:
        put_bone(f, MRWI_RETARGET_HEAD, node, rank);
        break;
    case NECK:
        put_link(f, MRWI_RETARGET_NECK, node);
        break;
    case SPINE:
        put_spine(f, &name, node);
        break;
    default:
        put_sided(f, means, (uint32_t)side, node, rank);
        break;
    }
}

static void look_around(finder *f)
{
    for (uint32_t i = 0; i < f->rig->scene->nodes_count; i++) {
        bone_name name;
        int side, rank;
        if (is_candidate(f->rig, i)) {
            take_apart(name_of(f->rig, i), f->skip, &name);
            const meaning means = meaning_of(&name, &side, &rank);
            f->has_collar = f->has_collar || means == CLAVICLE;
            f->has_ankle = f->has_ankle || means == ANKLE;
            f->has_head = f->has_head || means == HEAD;
        }
    }
}

/* Finds the hips of rigs that do not name them: the nearest node above both thighs. */
static void find_hips(finder *f)
{
    const mrw_scene *scene = f->rig->scene;
    uint32_t left = f->out->bones[MRWI_RETARGET_THIGH],
             right = f->out->bones[MRWI_RETARGET_THIGH + 1];
    if (f->out->bones[MRWI_RETARGET_HIPS] != MRW_NONE || left == MRW_NONE || right == MRW_NONE) {
        return;
    }
    for (int n = 0; left != MRW_NONE && (n == 0 || !is_below(scene, right, left)); n++) {
        left = n < MOST_LEVELS ? scene->nodes[left].parent : MRW_NONE;
    }
    while (left != MRW_NONE && f->rig->owner[left] != MRW_NONE) {
        left = f->rig->owner[left];
    }
    f->out->bones[MRWI_RETARGET_HIPS] = left;
    uint32_t *spine = f->out->chains[MRWI_RETARGET_SPINE],
             *count = &f->out->counts[MRWI_RETARGET_SPINE];
    for (uint32_t i = 0; i < *count && left != MRW_NONE; i++) {
        if (spine[i] == left) { /* the spine begins above the hips */
            *count -= i + 1;
            memmove(spine, spine + i + 1, *count * sizeof *spine);
        }
    }
}

void mrwi_retarget_humanoid_find(const mrwi_retarget_rig *rig, mrwi_retarget_humanoid *out)
{
    finder f = {.rig = rig, .out = out};
    memset(out->bones, 0xff, sizeof out->bones); /* MRW_NONE */
    memset(out->counts, 0, sizeof out->counts);
    while (f.skip < 4 && most_share_a_word(&f, f.skip)) {
        f.skip++;
    }
    look_around(&f);
    for (uint32_t i = 0; i < rig->scene->nodes_count; i++) {
        if (is_candidate(rig, i)) {
            put_node(&f, i);
        }
    }
    find_hips(&f);
}

void mrwi_retarget_humanoid_face(const mrwi_retarget_rig *rig, uint32_t out[MRWI_RETARGET_FACE])
{
    static const char *const eyes[] = {"eye", "eyeball", "faceeye", "adjfaceeye", NULL};
    const mrw_scene *scene = rig->scene;
    memset(out, 0xff, MRWI_RETARGET_FACE * sizeof *out); /* MRW_NONE */
    for (uint32_t i = 0; i < scene->nodes_count; i++) {
        bone_name name;
        take_apart(mrw_scene_string(scene, scene->nodes[i].name), 0, &name);
        const int part = name.side < 0                 ? (strcmp(name.words, "nose") == 0 ? 0 : -1)
                         : is_one_of(name.words, eyes) ? 1 + name.side
                         : strcmp(name.words, "ear") == 0 ? 3 + name.side
                                                          : -1;
        if (part >= 0 && rig->is_joint[i] && !name.too_long && out[part] == MRW_NONE) {
            out[part] = i;
        }
    }
}

/* ---- two rigs -------------------------------------------------------------------------------- */

/* Matches two chains. The shorter one decides which bones are matched. */
static void match_chain(const uint32_t *base, uint32_t base_count, const uint32_t *animation,
                        uint32_t count, uint32_t *match)
{
    const uint32_t least = count < base_count ? count : base_count;
    for (uint32_t i = 0; i < least; i++) {
        const uint32_t last = least > 1 ? least - 1 : 1;
        match[animation[(2 * i * (count - 1) + last) / (2 * last)]] =
            base[(2 * i * (base_count - 1) + last) / (2 * last)];
    }
}

void mrwi_retarget_humanoid_match(const mrwi_retarget_humanoid *base,
                                  const mrwi_retarget_humanoid *animation, uint32_t *match,
                                  uint32_t count)
{
    memset(match, 0xff, count * sizeof *match); /* MRW_NONE */
    for (uint32_t i = 0; i < MRWI_RETARGET_BONES; i++) {
        if (animation->bones[i] != MRW_NONE) {
            match[animation->bones[i]] = base->bones[i];
        }
    }
    for (uint32_t i = 0; i < MRWI_RETARGET_CHAINS; i++) {
        if (i >= MRWI_RETARGET_FINGERS) { /* fingers are matched one by one from the knuckles on */
            for (uint32_t k = 0; k < animation->counts[i] && k < base->counts[i]; k++) {
                match[animation->chains[i][k]] = base->chains[i][k];
            }
        } else {
            match_chain(base->chains[i], base->counts[i], animation->chains[i],
                        animation->counts[i], match);
        }
    }
}
