/* parts.c: parts of scenes in goldens: made once for all cases, written and read as lines. */
#include "golden/parts.h"

#include "base/sha256.h"
#include "base/text.h"

#include <string.h>

/* ---- parts shared by cases ------------------------------------------------------------------- */

typedef struct mrwi_golden_parts_entry {
    uint8_t hash[32];
    mrwi_explain_part_list parts;
    struct mrwi_golden_parts_entry *next;
} entry;

void mrwi_golden_parts_begin(mrwi_golden_parts_kept *kept)
{
    *kept = (mrwi_golden_parts_kept){.first = NULL};
    pthread_mutex_init(&kept->lock, NULL);
}

void mrwi_golden_parts_end(mrwi_golden_parts_kept *kept)
{
    mrwi_base_arena_free(&kept->arena);
    pthread_mutex_destroy(&kept->lock);
}

mrw_status mrwi_golden_parts_find(mrwi_golden_parts_kept *kept, const mrw_scene *scene,
                                  mrwi_explain_part_list *out, mrw_error *error)
{
    const uint8_t *hash = mrw_scene_hash(scene);
    mrw_status status = MRW_OK;
    pthread_mutex_lock(&kept->lock);
    entry *found = kept->first;
    while (found && memcmp(found->hash, hash, sizeof found->hash) != 0) {
        found = found->next;
    }
    if (!found) {
        found = mrwi_base_arena_alloc(&kept->arena, 1, sizeof *found);
        if (!found) {
            status = mrwi_base_fail_memory(error, sizeof *found);
            goto out;
        }
        status = mrwi_explain_parts_make(scene, &kept->arena, &found->parts, error);
        if (status) {
            goto out;
        }
        memcpy(found->hash, hash, sizeof found->hash);
        found->next = kept->first;
        kept->first = found;
    }
    *out = found->parts;
out:
    pthread_mutex_unlock(&kept->lock);
    return status;
}

/* ---- lines of golden.txt --------------------------------------------------------------------- */

void mrwi_golden_parts_put(const mrwi_explain_part *part, mrw_text *out)
{
    char hash[65];
    mrwi_base_sha256_text(part->hash, hash);
    mrw_text_add(out, "%s ", mrwi_explain_part_word(part->kind));
    mrwi_golden_lines_put_quoted(out, part->name);
    mrw_text_add(out, " %s", hash);
    for (uint32_t i = 0; i < part->fact_count; i++) {
        const mrwi_explain_fact *fact = &part->facts[i];
        mrw_text_add(out, " %s", fact->key);
        if (fact->text) {
            mrw_text_puts(out, " ");
            mrwi_golden_lines_put_quoted(out, fact->text);
        }
        for (uint32_t v = 0; v < fact->count; v++) {
            mrw_text_puts(out, " ");
            mrwi_golden_lines_put_number(out, fact->values[v]);
        }
    }
}

void mrwi_golden_parts_put_all(const mrwi_explain_part_list *parts, mrw_text *out)
{
    for (uint32_t i = 0; i < parts->count; i++) {
        mrw_text_puts(out, "part ");
        mrwi_golden_parts_put(&parts->items[i], out);
        mrw_text_puts(out, "\n");
    }
}

static bool begins_number(char c)
{
    return c == '-' || (c >= '0' && c <= '9');
}

/* Reads a fact. *values is memory for all numbers of the line, and moves on. */
static mrw_status read_fact(mrwi_golden_lines *lines, mrwi_base_arena *arena, double **values,
                            mrwi_explain_fact *out, mrw_error *error)
{
    char key[32], text[4096];
    *out = (mrwi_explain_fact){.values = *values};
    mrw_status status = mrwi_golden_lines_word(lines, key, sizeof key, error);
    if (status) {
        return status;
    }
    out->key = mrwi_base_copy_text(arena, key);
    if (!out->key) {
        return mrwi_base_fail_memory(error, sizeof key);
    }
    if (mrwi_golden_lines_peek(lines) == '"') {
        status = mrwi_golden_lines_quoted(lines, text, sizeof text, error);
        if (status) {
            return status;
        }
        out->text = mrwi_base_copy_text(arena, text);
        if (!out->text) {
            return mrwi_base_fail_memory(error, sizeof text);
        }
    }
    while (begins_number(mrwi_golden_lines_peek(lines))) {
        status = mrwi_golden_lines_double(lines, *values, error);
        if (status) {
            return status;
        }
        *values += 1;
        out->count++;
    }
    return MRW_OK;
}

static mrw_status read_kind(mrwi_golden_lines *lines, uint32_t *out, mrw_error *error)
{
    char word[32];
    mrw_status status = mrwi_golden_lines_word(lines, word, sizeof word, error);
    if (status) {
        return status;
    }
    for (uint32_t kind = MRW_PART_NODES; kind < MRW_PART_END; kind++) {
        if (strcmp(word, mrwi_explain_part_word(kind)) == 0) {
            *out = kind;
            return MRW_OK;
        }
    }
    return mrwi_golden_lines_fail(lines, error, "unknown scene part");
}

static int digit(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

mrw_status mrwi_golden_parts_read(mrwi_golden_lines *lines, mrwi_base_arena *arena,
                                  mrwi_explain_part *out, mrw_error *error)
{
    char name[4096], hash[65];
    *out = (mrwi_explain_part){.name = ""};
    mrw_status status = read_kind(lines, &out->kind, error);
    if (status) {
        return status;
    }
    status = mrwi_golden_lines_quoted(lines, name, sizeof name, error);
    if (status) {
        return status;
    }
    status = mrwi_golden_lines_hash(lines, hash, error);
    if (status) {
        return status;
    }
    for (int i = 0; i < 32; i++) {
        out->hash[i] = (uint8_t)(16 * digit(hash[2 * i]) + digit(hash[2 * i + 1]));
    }
    const size_t most = mrwi_golden_lines_spaces(lines);
    double *values = mrwi_base_arena_alloc(arena, most, sizeof *values);
    out->facts = mrwi_base_arena_alloc(arena, most, sizeof *out->facts);
    out->name = mrwi_base_copy_text(arena, name);
    if (!values || !out->facts || !out->name) {
        return mrwi_base_fail_memory(error, most * sizeof *out->facts);
    }
    while (mrwi_golden_lines_peek(lines) != '\0') {
        status = read_fact(lines, arena, &values, &out->facts[out->fact_count], error);
        if (status) {
            return status;
        }
        out->fact_count++;
    }
    return MRW_OK;
}
