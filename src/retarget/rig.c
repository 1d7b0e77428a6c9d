/* rig.c: matches the nodes of an animation's file to those of a model. */
#include "retarget/rig.h"

#include "base/memory.h"
#include "base/text.h"
#include "retarget/humanoid.h"

#include <stdlib.h>
#include <string.h>

#define FBX_TAG "_$AssimpFbx$_"

/* Largest number of links of one joint: FBX has fourteen, and three helpers. */
#define MAX_LINKS 20

/* Largest number of nodes of one name that are compared; beyond it, names mean nothing. */
#define MAX_NAMESAKES 64

static const char *name_of(const mrw_scene *scene, uint32_t node)
{
    return mrw_scene_string(scene, scene->nodes[node].name);
}

/* ---- links ----------------------------------------------------------------------------------- */

/* Returns true if `link` is the name of a link of the joint `name`. */
static bool is_link(const char *link, const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || strncmp(link, name, length) != 0) {
        return false;
    }
    const char *kind = link + length;
    return strncmp(kind, FBX_TAG, sizeof FBX_TAG - 1) == 0 || strcmp(kind, ":translation") == 0 ||
           strcmp(kind, ":unscale") == 0;
}

/* Finds links above each node that is not a link itself. Children come last, so a chain is complete
 * when its joint is. */
static void find_owners(mrwi_retarget_rig *rig)
{
    const mrw_scene *scene = rig->scene;
    for (uint32_t i = scene->nodes_count; i-- > 0;) {
        uint32_t up = scene->nodes[i].parent;
        if (rig->owner[i] != MRW_NONE) {
            continue;
        }
        for (int n = 0; n < MAX_LINKS && up != MRW_NONE && rig->owner[up] == MRW_NONE; n++) {
            if (!is_link(name_of(scene, up), name_of(scene, i))) {
                break;
            }
            rig->owner[up] = i;
            up = scene->nodes[up].parent;
        }
    }
}

uint32_t mrwi_retarget_rig_next_link(const mrwi_retarget_rig *rig, uint32_t node)
{
    uint32_t up = rig->scene->nodes[node].parent;
    return up != MRW_NONE && rig->owner[up] == mrwi_retarget_rig_joint(rig, node) ? up : MRW_NONE;
}

const char *mrwi_retarget_rig_kind(const mrwi_retarget_rig *rig, uint32_t link)
{
    return name_of(rig->scene, link) + strlen(name_of(rig->scene, rig->owner[link]));
}

/* ---- rigs ------------------------------------------------------------------------------------ */

mrw_status mrwi_retarget_rig_create(const mrw_scene *scene, mrwi_retarget_rig *out,
                                    mrw_error *error)
{
    size_t count = scene->nodes_count;
    *out = (mrwi_retarget_rig){scene, mrwi_base_alloc(count, sizeof *out->owner),
                               mrwi_base_alloc_zero(count, 1), mrwi_base_alloc_zero(count, 1)};
    if (!out->owner || !out->is_joint || !out->moves) {
        mrwi_retarget_rig_free(out);
        return mrwi_base_fail_memory(error, count * 6);
    }
    memset(out->owner, 0xff, count * sizeof *out->owner); /* MRW_NONE */
    find_owners(out);
    for (uint32_t i = 0; i < scene->joints_count; i++) {
        out->is_joint[scene->joints[i]] = 1;
    }
    for (uint32_t i = 0; i < scene->channels_count; i++) {
        if (scene->channels[i].path < MRW_PATH_WEIGHTS) {
            out->moves[mrwi_retarget_rig_joint(out, scene->channels[i].node)] = 1;
        }
    }
    return MRW_OK;
}

void mrwi_retarget_rig_free(mrwi_retarget_rig *rig)
{
    mrwi_base_free(rig->owner);
    mrwi_base_free(rig->is_joint);
    mrwi_base_free(rig->moves);
    *rig = (mrwi_retarget_rig){0};
}

/* ---- matching -------------------------------------------------------------------------------- */

typedef struct named_node {
    const char *name;
    uint32_t node;
} named_node;

typedef struct matcher {
    const mrwi_retarget_rig *base, *animation;
    named_node *index; /* nodes of base, sorted by name */
    uint32_t index_count;
    uint8_t *taken; /* 1 for a node of base that is matched */
    uint32_t *match;
    uint8_t *by;       /* mrw_name_match of each match */
    named_node *other; /* nodes of the animation, sorted by name, for steps that match one to one */
    uint32_t other_count;
    char *text; /* names of index and other */
} matcher;

static int compare_named(const void *a, const void *b)
{
    const named_node *x = a, *y = b;
    int order = x->name == y->name ? 0 : strcmp(x->name, y->name); /* equal names share a string */
    return order ? order : x->node < y->node ? -1 : x->node > y->node;
}

static void make_index(matcher *m)
{
    const mrwi_retarget_rig *base = m->base;
    m->index_count = 0;
    for (uint32_t i = 0; i < base->scene->nodes_count; i++) {
        const char *name = name_of(base->scene, i);
        if (base->owner[i] == MRW_NONE && name[0]) {
            m->index[m->index_count++] = (named_node){name, i};
        }
    }
    qsort(m->index, m->index_count, sizeof *m->index, compare_named);
}

static uint32_t lower_bound(const matcher *m, const char *name)
{
    uint32_t low = 0, high = m->index_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(m->index[middle].name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Returns the joint above a node's own, or MRW_NONE at the top. */
static uint32_t parent_joint(const mrwi_retarget_rig *rig, uint32_t node)
{
    uint32_t up = rig->scene->nodes[node].parent;
    for (uint32_t link = mrwi_retarget_rig_next_link(rig, node); link != MRW_NONE;
         link = mrwi_retarget_rig_next_link(rig, link)) {
        up = rig->scene->nodes[link].parent;
    }
    return up == MRW_NONE ? MRW_NONE : mrwi_retarget_rig_joint(rig, up);
}

/* Returns the bare name of the joint above a node's own; "" at the top. */
static const char *parent_name(const mrwi_retarget_rig *rig, uint32_t node)
{
    uint32_t parent = parent_joint(rig, node);
    return parent == MRW_NONE ? "" : mrwi_base_without_namespace(name_of(rig->scene, parent));
}

static void take(matcher *m, uint32_t node, uint32_t of_base, mrw_name_match by)
{
    m->match[node] = of_base;
    if (of_base != MRW_NONE) {
        m->taken[of_base] = 1;
        m->by[node] = (uint8_t)by;
    }
}

static void match_node(matcher *m, uint32_t node, const char *name)
{
    uint32_t best = MRW_NONE, first = lower_bound(m, name);
    int best_score = -1;
    const char *parent = parent_name(m->animation, node);
    for (uint32_t i = first; i < m->index_count && i - first < MAX_NAMESAKES; i++) {
        if ((i == first || m->index[i].name != m->index[i - 1].name) &&
            strcmp(m->index[i].name, name) != 0) {
            break;
        }
        uint32_t candidate = m->index[i].node;
        int score = 2 * m->base->is_joint[candidate] +
                    (parent[0] && strcmp(parent_name(m->base, candidate), parent) == 0);
        if (!m->taken[candidate] && score > best_score) {
            best = candidate;
            best_score = score;
        }
    }
    take(m, node, best, MRW_NAMES_EQUAL);
}

/* Matches nodes by equal names, either those that move or the others. */
static void match_nodes(matcher *m, bool moving)
{
    const mrw_scene *scene = m->animation->scene;
    for (uint32_t i = 0; i < scene->nodes_count; i++) {
        const char *name = name_of(scene, i);
        if (m->match[i] == MRW_NONE && m->animation->owner[i] == MRW_NONE && name[0] &&
            m->animation->moves[i] == moving) {
            match_node(m, i, name);
        }
    }
}

static void match_links(matcher *m)
{
    const mrwi_retarget_rig *animation = m->animation, *base = m->base;
    for (uint32_t i = 0; i < animation->scene->nodes_count; i++) {
        uint32_t owner = animation->owner[i];
        if (owner == MRW_NONE || m->match[owner] == MRW_NONE) {
            continue;
        }
        const char *kind = mrwi_retarget_rig_kind(animation, i);
        for (uint32_t link = mrwi_retarget_rig_next_link(base, m->match[owner]); link != MRW_NONE;
             link = mrwi_retarget_rig_next_link(base, link)) {
            if (!m->taken[link] && strcmp(mrwi_retarget_rig_kind(base, link), kind) == 0) {
                m->match[i] = link;
                m->taken[link] = 1;
                break;
            }
        }
    }
}

/* ---- names that are alike -------------------------------------------------------------------- */

static bool is_separator(char c)
{
    return c && strchr(":|_.- ", c);
}

/* Returns the part after the first word of a name, if the word ends in a separator and something
 * follows. */
static const char *behind_prefix(const char *name)
{
    const char *c = name;
    while (*c && !is_separator(*c)) {
        c++;
    }
    while (is_separator(*c)) {
        c++;
    }
    return *c ? c : name;
}

static bool is_named_joint(const mrwi_retarget_rig *rig, uint32_t node)
{
    const bool skinned = rig->scene->joints_count > 0;
    return rig->owner[node] == MRW_NONE && (skinned ? rig->is_joint[node] : rig->moves[node]);
}

static bool begins_with(const char *name, const char *prefix, size_t length)
{
    return (size_t)(behind_prefix(name) - name) == length && strncmp(name, prefix, length) == 0;
}

/* Returns the first word that most joints of a rig begin with: at least three, and three of four.
 * NULL if there is none. */
static const char *common_prefix(const mrwi_retarget_rig *rig, size_t *length)
{
    const mrw_scene *scene = rig->scene;
    const char *best = NULL;
    uint32_t balance = 0, joints = 0, with = 0;
    /* finds the word of a majority, if there is one */
    for (uint32_t i = 0; i < scene->nodes_count; i++) {
        const char *name = name_of(scene, i);
        if (!is_named_joint(rig, i)) {
            continue;
        }
        if (balance == 0) {
            best = name;
            *length = (size_t)(behind_prefix(name) - name);
            balance = 1;
        } else if (begins_with(name, best, *length)) {
            balance++;
        } else {
            balance--;
        }
    }
    for (uint32_t i = 0; i < scene->nodes_count && best; i++) {
        if (is_named_joint(rig, i)) {
            joints++;
            with += begins_with(name_of(scene, i), best, *length);
        }
    }
    return best && *length > 0 && with >= 3 && with >= joints - joints / 4 ? best : NULL;
}

/* Writes the form of a name that a step compares. Returns the end. */
static char *fold(char *out, const char *name, mrw_name_match by, const char *prefix, size_t length)
{
    if (by == MRW_NAMES_WITHOUT_NAMESPACE) {
        name = mrwi_base_without_namespace(name);
        const size_t size = strlen(name) + 1;
        memcpy(out, name, size);
        return out + size;
    }
    for (const char *c = name; *c && by == MRW_NAMES_ALIKE_WITHOUT_NAMESPACE; c++) {
        name = (*c == ':' || *c == '|') && c[1] ? c + 1 : name;
    }
    if (by == MRW_NAMES_WITHOUT_PREFIX && prefix && strncmp(name, prefix, length) == 0 &&
        name[length]) {
        name += length;
    }
    for (; *name; name++) {
        *out++ = is_separator(*name)            ? '_'
                 : *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a')
                                                : *name;
    }
    *out++ = '\0';
    return out;
}

/* Lists the nodes of a rig that are not matched yet, sorted by the names of a step. */
static char *list_left(const matcher *m, const mrwi_retarget_rig *rig, mrw_name_match by,
                       char *text, named_node *list, uint32_t *count)
{
    const bool of_base = rig == m->base;
    size_t length = 0;
    const char *prefix = by == MRW_NAMES_WITHOUT_PREFIX ? common_prefix(rig, &length) : NULL;
    *count = 0;
    for (uint32_t i = 0; i < rig->scene->nodes_count; i++) {
        const char *name = name_of(rig->scene, i);
        const bool left = of_base ? !m->taken[i] : m->match[i] == MRW_NONE;
        if (left && rig->owner[i] == MRW_NONE && name[0]) {
            list[(*count)++] = (named_node){text, i};
            text = fold(text, name, by, prefix, length);
        }
    }
    qsort(list, *count, sizeof *list, compare_named);
    return text;
}

/* Returns the node of a run of equal names that counts: the only one, the only joint of a skin, or,
 * in the animation, the only one that moves. MRW_NONE if there are several. */
static uint32_t only_one(const named_node *run, uint32_t count, const uint8_t *better)
{
    uint32_t found = MRW_NONE, good = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (better[run[i].node]) {
            found = run[i].node;
            good++;
        }
    }
    return good == 1 ? found : good == 0 && count == 1 ? run[0].node : MRW_NONE;
}

static uint32_t run_length(const named_node *list, uint32_t count)
{
    uint32_t n = 1;
    while (n < count && strcmp(list[n].name, list[0].name) == 0) {
        n++;
    }
    return n;
}

static void match_alike(matcher *m, mrw_name_match by)
{
    char *text = list_left(m, m->base, by, m->text, m->index, &m->index_count);
    list_left(m, m->animation, by, text, m->other, &m->other_count);
    for (uint32_t a = 0, b = 0; a < m->other_count && b < m->index_count;) {
        const int order = strcmp(m->other[a].name, m->index[b].name);
        const uint32_t of_a = run_length(m->other + a, m->other_count - a);
        const uint32_t of_b = run_length(m->index + b, m->index_count - b);
        if (order == 0) {
            const uint32_t node = only_one(m->other + a, of_a, m->animation->moves);
            const uint32_t base = only_one(m->index + b, of_b, m->base->is_joint);
            if (node != MRW_NONE && base != MRW_NONE) {
                take(m, node, base, by);
            }
        }
        a += order <= 0 ? of_a : 0;
        b += order >= 0 ? of_b : 0;
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static size_t names_of(const mrw_scene *scene)
{
    size_t size = 1;
    for (uint32_t i = 0; i < scene->nodes_count; i++) {
        size += strlen(name_of(scene, i)) + 1;
    }
    return size;
}

static void match_names(matcher *m)
{
    make_index(m);
    match_nodes(m, true); /* nodes that move choose first */
    match_nodes(m, false);
    for (int step = MRW_NAMES_WITHOUT_NAMESPACE; step <= MRW_NAMES_WITHOUT_PREFIX; step++) {
        match_alike(m, (mrw_name_match)step);
    }
}

/* Counts nodes that move, either all or the matched ones. */
static uint32_t count_moving(const matcher *m, bool matched)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->animation->scene->nodes_count; i++) {
        count += m->animation->moves[i] && (!matched || m->match[i] != MRW_NONE);
    }
    return count;
}

/* Matches bones by the meaning of their names, and the rest by the names themselves. */
static void match_bones(matcher *m)
{
    const uint32_t nodes = m->animation->scene->nodes_count;
    mrwi_retarget_humanoid base, animation;
    mrwi_retarget_humanoid_find(m->base, &base);
    mrwi_retarget_humanoid_find(m->animation, &animation);
    memset(m->taken, 0, m->base->scene->nodes_count);
    mrwi_retarget_humanoid_match(&base, &animation, m->match, nodes);
    for (uint32_t i = 0; i < nodes; i++) {
        const bool free = m->match[i] != MRW_NONE && !m->taken[m->match[i]];
        take(m, i, free ? m->match[i] : MRW_NONE, MRW_NAMES_HUMANOID);
    }
    match_names(m);
}

/* Matches the bones of human figures by the names of common rigs. It does so if equal names match
 * less than half of the nodes that move, and keeps the result if it matches more. */
static mrw_status match_bones_if_better(matcher *m, mrw_error *error)
{
    const uint32_t moving = count_moving(m, false), matched = count_moving(m, true);
    const size_t nodes = m->animation->scene->nodes_count;
    if (matched >= moving - moving / 2) {
        return MRW_OK;
    }
    uint32_t *match = mrwi_base_alloc(nodes, sizeof *match);
    uint8_t *by = mrwi_base_alloc(nodes, 1);
    const mrw_status status =
        match && by ? MRW_OK : mrwi_base_fail_memory(error, nodes * sizeof *match);
    if (!status) {
        memcpy(match, m->match, nodes * sizeof *match);
        memcpy(by, m->by, nodes);
        match_bones(m);
        if (count_moving(m, true) <= matched) {
            memcpy(m->match, match, nodes * sizeof *match);
            memcpy(m->by, by, nodes);
            memset(m->taken, 0, m->base->scene->nodes_count);
            for (size_t i = 0; i < nodes; i++) {
                take(m, (uint32_t)i, match[i], (mrw_name_match)by[i]);
            }
        }
    }
    mrwi_base_free(match);
    mrwi_base_free(by);
    return status;
}

mrw_status mrwi_retarget_rig_match(const mrwi_retarget_rig *base,
                                   const mrwi_retarget_rig *animation, uint32_t *match, uint8_t *by,
                                   mrw_error *error)
{
    const uint32_t count = base->scene->nodes_count, others = animation->scene->nodes_count;
    const size_t names = names_of(base->scene) + names_of(animation->scene);
    matcher m = {.base = base, .animation = animation, .match = match, .by = by};
    m.index = mrwi_base_alloc(count, sizeof *m.index);
    m.other = mrwi_base_alloc(others, sizeof *m.other);
    m.taken = mrwi_base_alloc_zero(count, 1);
    m.text = mrwi_base_alloc(names, 1);
    memset(match, 0xff, others * sizeof *match); /* MRW_NONE */
    mrw_status status = MRW_OK;
    if (!m.index || !m.other || !m.taken || !m.text) {
        status = mrwi_base_fail_memory(error, names + count);
        goto out;
    }
    match_names(&m);
    status = match_bones_if_better(&m, error);
    if (status) {
        goto out;
    }
    match_links(&m);
    status = mrwi_retarget_rig_match_order(base->scene, animation->scene, match, error);
    if (status) {
        goto out;
    }
    for (uint32_t i = 0; i < others; i++) {
        by[i] = name_of(animation->scene, i)[0] ? by[i] : MRW_NAMES_NONE;
    }
out:
    mrwi_base_free(m.index);
    mrwi_base_free(m.other);
    mrwi_base_free(m.taken);
    mrwi_base_free(m.text);
    return status;
}
