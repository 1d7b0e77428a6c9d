/* godot.c: a SpriteFrames resource of Godot 4 (.tres, text format 3), as its
 * ResourceFormatSaverText writes it: a texture per page, a region per picture, an animation per
 * clip and direction. */
#include "output/atlas.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* Writes a string of Godot's: quotes and backslashes escaped, control characters as \uNNNN. */
static void put_string(mrw_text *out, const char *text)
{
    mrw_text_puts(out, "\"");
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            mrw_text_add(out, "\\%c", *text);
        } else if ((unsigned char)*text < 32 || *text == 127) {
            mrw_text_add(out, "\\u%04x", (unsigned)*text);
        } else {
            mrw_text_put(out, text, 1);
        }
    }
    mrw_text_puts(out, "\"");
}

/* Writes a float, always with a point, which tells it from an integer. */
static void put_float(mrw_text *out, double value)
{
    char number[32];
    mrwi_base_format_double(value, number);
    mrw_text_puts(out, number);
    mrw_text_puts(out, strpbrk(number, ".e") ? "" : ".0");
}

/* Writes a picture's region. The margin gives a trimmed picture its full size. */
static void put_region(const mrwi_output_atlas_sprite *s, uint32_t id, mrw_text *out)
{
    mrw_text_add(out, "[sub_resource type=\"AtlasTexture\" id=\"AtlasTexture_%u\"]\n", id);
    mrw_text_add(out, "atlas = ExtResource(\"%u\")\n", s->page + 1);
    mrw_text_add(out, "region = Rect2(%u, %u, %u, %u)\n", s->x, s->y, s->width, s->height);
    if (s->trimmed) {
        mrw_text_add(out, "margin = Rect2(%u, %u, %u, %u)\n", s->offset_x, s->offset_y,
                     s->source_width - s->width, s->source_height - s->height);
    }
    mrw_text_puts(out, "\n");
}

/* Writes an animation. A picture lasts `duration` / `speed` seconds. */
static void put_animation(const mrwi_output_atlas *atlas, const mrwi_output_animation *animation,
                          bool loops, mrw_text *out)
{
    const mrwi_output_atlas_sprite *sprites = &atlas->sprites[animation->first];
    const double first = sprites[0].label->seconds, unit = first > 0.0 ? first : 1.0;
    mrw_text_puts(out, "{\n\"frames\": [");
    for (uint32_t i = 0; i < animation->count; i++) {
        const double seconds = sprites[i].label->seconds;
        mrw_text_puts(out, i == 0 ? "{\n\"duration\": " : ", {\n\"duration\": ");
        put_float(out, seconds > 0.0 ? seconds / unit : 1.0);
        mrw_text_add(out, ",\n\"texture\": SubResource(\"AtlasTexture_%u\")\n}",
                     animation->first + i);
    }
    mrw_text_add(out, "],\n\"loop\": %s,\n\"name\": &", loops ? "true" : "false");
    put_string(out, sprites[0].label->animation);
    mrw_text_puts(out, ",\n\"speed\": ");
    put_float(out, 1.0 / unit);
    mrw_text_puts(out, "\n}");
}

mrw_status mrwi_output_godot(const mrwi_output_atlas *atlas, const char *path, bool loops,
                             mrw_bytes *out, mrw_error *error)
{
    mrw_text text = {0};
    mrw_text_add(&text, "[gd_resource type=\"SpriteFrames\" load_steps=%u format=3]\n\n",
                 atlas->page_count + atlas->count + 1);
    for (uint32_t p = 0; p < atlas->page_count; p++) {
        mrw_text way = {0};
        mrwi_output_atlas_way(path, atlas->pages[p].image_path, &way);
        mrw_text_puts(&text, "[ext_resource type=\"Texture2D\" path=");
        put_string(&text, way.failed ? "" : way.data);
        mrw_text_add(&text, " id=\"%u\"]\n", p + 1);
        text.failed = text.failed || way.failed;
        mrw_text_free(&way);
    }
    mrw_text_puts(&text, "\n");
    for (uint32_t i = 0; i < atlas->count; i++) {
        put_region(&atlas->sprites[i], i, &text);
    }
    mrw_text_puts(&text, "[resource]\nanimations = [");
    for (uint32_t a = 0; a < atlas->animation_count; a++) {
        mrw_text_puts(&text, a == 0 ? "" : ", ");
        put_animation(atlas, &atlas->animations[a], loops, &text);
    }
    mrw_text_puts(&text, "]\n");
    return mrw_text_take(&text, out, error);
}
