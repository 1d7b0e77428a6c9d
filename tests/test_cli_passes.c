/* test_cli_passes.c: `marrow render --aov`: files of passes, what they are called and hold, the
 * answer in JSON, what is refused. The numbers themselves: test_aov.c. */
#include "cli_fixture.h"
#include "exr_reader.h"
#include "png_fixture.h"

#define MODEL "demo:figure --size 40x30"

static uint8_t data[4000000]; /* of the file read last */

static void open_exr(const char *path, exr_file *file)
{
    const size_t size = slurp(path, (char *)data, sizeof data);
    ck_assert_msg(size > 0, "%s is not there", path);
    exr_open(file, data, size);
}

static const float *floats_of(const exr_file *file, const char *name)
{
    const exr_channel *channel = exr_find(file, name);
    ck_assert_msg(channel && channel->type == 2, "no FLOAT channel %s", name);
    return (const float *)(const void *)channel->values;
}

static const uint32_t *numbers_of(const exr_file *file, const char *name)
{
    const exr_channel *channel = exr_find(file, name);
    ck_assert_msg(channel && channel->type == 0, "no UINT channel %s", name);
    return (const uint32_t *)(const void *)channel->values;
}

static void read_floats(const exr_file *file, const char *name, const char *type, size_t count,
                        float *out_floats)
{
    uint32_t size = 0;
    const uint8_t *value = exr_attribute(file, name, type, &size);
    ck_assert_msg(value && size == 4 * count, "%s is no %s", name, type);
    memcpy(out_floats, value, size);
}

/* ---- one file -------------------------------------------------------------------------------- */

START_TEST(all_in_one_file)
{
    exr_file file;
    shell("marrow render " MODEL " --aov depth,position --aov id,uv -o a.exr --json=a.json");
    assert_status(0);
    open_exr("a.exr", &file);
    ck_assert_uint_eq(file.width, 40);
    ck_assert_uint_eq(file.height, 30);
    ck_assert_uint_eq(file.channel_count, 7);
    ck_assert_ptr_nonnull(floats_of(&file, "uv.U"));
    ck_assert_ptr_nonnull(floats_of(&file, "uv.V"));
    /* positions are what depth and the camera say: K and world_to_camera alone */
    float k[9], world[16];
    read_floats(&file, "K", "m33f", 9, k);
    read_floats(&file, "world_to_camera", "m44f", 16, world);
    const float *z = floats_of(&file, "Z");
    const float *p[3] = {floats_of(&file, "position.X"), floats_of(&file, "position.Y"),
                         floats_of(&file, "position.Z")};
    const uint32_t *id = numbers_of(&file, "id");
    int seen = 0;
    for (size_t i = 0; i < (size_t)40 * 30; i++) {
        ck_assert_int_eq(id[i] > 0, isfinite(z[i]));
        if (id[i] == 0) {
            continue;
        }
        const double depth = (double)z[i];
        const double at[3] = {((double)(i % 40) + 0.5 - (double)k[2]) / (double)k[0] * depth,
                              ((double)(i / 40) + 0.5 - (double)k[5]) / (double)k[4] * depth,
                              depth};
        for (size_t r = 0; r < 3; r++) {
            double sum = (double)world[4 * r + 3];
            for (size_t c = 0; c < 3; c++) {
                sum += (double)world[4 * r + c] * (double)p[c][i];
            }
            ck_assert_double_le(fabs(sum - at[r]), 1e-5);
        }
        seen++;
    }
    ck_assert_int_ge(seen, 50);
    exr_close(&file);
}
END_TEST

/* The JSON of .out or a file. */
static cJSON *read_json(const char *path)
{
    static char text[100000];
    slurp(path, text, sizeof text);
    cJSON *json = cJSON_Parse(text);
    ck_assert_msg(json, "no JSON: %s", text);
    return json;
}

static const cJSON *picture_of(const cJSON *json, int index)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItem(json, "pictures"), index);
}

static const char *string_of(const cJSON *picture, const char *pass, const char *key)
{
    const cJSON *passes = cJSON_GetObjectItem(picture, "passes");
    return cJSON_GetStringValue(
        cJSON_GetObjectItem(cJSON_GetObjectItemCaseSensitive(passes, pass), key));
}

/* bake finds where the rays to joints meet the surface by itself: at the pixel of a joint, and
 * those around it, depths must be about as far. */
START_TEST(depths_are_those_of_bake)
{
    static char text[200000];
    exr_file file;
    int compared = 0;
    shell("marrow render demo:figure --clip Walk --time 0.5 --size 256 --aov depth -o d.exr && "
          "marrow bake demo:figure --clip Walk --time 0.5 --size 256 --joints j.json >bake.out");
    assert_status(0);
    open_exr("d.exr", &file);
    const float *z = floats_of(&file, "Z");
    slurp("j.json", text, sizeof text);
    cJSON *json = cJSON_Parse(text);
    ck_assert_ptr_nonnull(json);
    const cJSON *joint;
    cJSON_ArrayForEach(joint, cJSON_GetObjectItem(json, "joints"))
    {
        const cJSON *surface = cJSON_GetObjectItem(joint, "surface_depth");
        const int x = (int)cJSON_GetNumberValue(cJSON_GetObjectItem(joint, "x"));
        const int y = (int)cJSON_GetNumberValue(cJSON_GetObjectItem(joint, "y"));
        double least = INFINITY, most = 0.0;
        for (int i = 0; i < 9; i++) {
            const double here = (double)z[(size_t)(y + i / 3 - 1) * 256 + (size_t)(x + i % 3 - 1)];
            least = here < least ? here : least;
            most = here > most ? here : most;
        }
        if (cJSON_IsNumber(surface) && isfinite(most)) {
            ck_assert_double_ge(surface->valuedouble, least - 1e-4);
            ck_assert_double_le(surface->valuedouble, most + 1e-4);
            compared += most - least < 0.02; /* the figure is a metre and a half tall */
        }
    }
    ck_assert_int_ge(compared, 20);
    cJSON_Delete(json);
    exr_close(&file);
}
END_TEST

START_TEST(the_answer_has_cameras_hashes_and_a_legend)
{
    exr_file file;
    float k[9], near_plane, far_plane;
    uint32_t size = 0;
    shell("marrow render " MODEL " --aov depth,id -o a.exr --json");
    assert_status(0);
    cJSON *json = read_json(".out");
    const cJSON *picture = picture_of(json, 0), *camera = cJSON_GetObjectItem(picture, "camera");
    open_exr("a.exr", &file);
    read_floats(&file, "K", "m33f", 9, k);
    read_floats(&file, "near", "float", 1, &near_plane);
    read_floats(&file, "far", "float", 1, &far_plane);
    const uint8_t *orthographic = exr_attribute(&file, "orthographic", "int", &size);
    ck_assert_uint_eq(exr_u32(orthographic), 0);
    for (int i = 0; i < 9; i++) {
        const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItem(camera, "K"), i);
        ck_assert_float_eq((float)item->valuedouble, k[i]);
    }
    ck_assert_float_eq((float)cJSON_GetObjectItem(camera, "near")->valuedouble, near_plane);
    ck_assert_float_eq((float)cJSON_GetObjectItem(camera, "far")->valuedouble, far_plane);
    ck_assert(cJSON_IsFalse(cJSON_GetObjectItem(camera, "orthographic")));
    ck_assert_int_eq(cJSON_GetArraySize(cJSON_GetObjectItem(camera, "world_to_camera")), 16);
    ck_assert_int_ge(
        cJSON_GetArraySize(cJSON_GetObjectItem(cJSON_GetObjectItem(json, "legend"), "ids")), 5);
    ck_assert_str_eq(string_of(picture, "depth", "file"), "a.exr");
    /* SHA-256 of sizes and values, as sha256sum has it */
    FILE *values = fopen("values", "wb");
    const uint32_t head[3] = {40, 30, 1};
    fwrite(head, 4, 3, values);
    fwrite(floats_of(&file, "Z"), 4, (size_t)40 * 30, values);
    fclose(values);
    char hash[65];
    snprintf(hash, sizeof hash, "%s", string_of(picture, "depth", "hash"));
    exr_close(&file);
    cJSON_Delete(json);
    shell("sha256sum < values");
    ck_assert_int_eq(strncmp(out, hash, 64), 0);
}
END_TEST

/* Names and hashes by MurmurHash3's own numbers: "CryptoObject" is 3ae39a58. */
START_TEST(cryptomatte_has_its_attributes)
{
    exr_file file;
    uint32_t size = 0;
    char manifest[2000] = "";
    shell("marrow render " MODEL " --aov cryptomatte -o c.exr");
    assert_status(0);
    open_exr("c.exr", &file);
    ck_assert_uint_eq(file.channel_count, 24);
    const uint8_t *text = exr_attribute(&file, "cryptomatte/3ae39a5/name", "string", &size);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(size, 12);
    ck_assert_mem_eq(text, "CryptoObject", size);
    text = exr_attribute(&file, "cryptomatte/3ae39a5/hash", "string", &size);
    ck_assert_mem_eq(text, "MurmurHash3_32", size);
    text = exr_attribute(&file, "cryptomatte/3ae39a5/conversion", "string", &size);
    ck_assert_mem_eq(text, "uint32_to_float32", size);
    ck_assert_ptr_nonnull(exr_attribute(&file, "cryptomatte/be359d6/manifest", "string", &size));
    text = exr_attribute(&file, "cryptomatte/3ae39a5/manifest", "string", &size);
    ck_assert_uint_lt(size, sizeof manifest);
    memcpy(manifest, text, size);
    cJSON *json = cJSON_Parse(manifest);
    ck_assert_int_eq(cJSON_GetArraySize(json), 5);
    const char *body = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "Body"));
    ck_assert_ptr_nonnull(body);
    /* the middle of the picture is all body: one id, all of the pixel */
    const size_t middle = 15 * 40 + 20;
    const exr_channel *id = exr_find(&file, "CryptoObject00.r");
    ck_assert_ptr_nonnull(id);
    ck_assert_uint_eq(exr_u32(id->values + 4 * middle), strtoul(body, NULL, 16));
    ck_assert_float_eq(floats_of(&file, "CryptoObject00.g")[middle], 1.0f);
    ck_assert_float_eq(floats_of(&file, "CryptoObject02.a")[middle], 0.0f);
    cJSON_Delete(json);
    exr_close(&file);
    shell("! command -v exrheader || exrheader c.exr | grep -c 'cryptomatte/3ae39a5/'");
    assert_status(0);
}
END_TEST

/* ---- a file a pass --------------------------------------------------------------------------- */

/* Values of a PFM, checked to be of one channel; rows from the top into to. */
static void read_pfm(const char *path, uint32_t width, uint32_t height, float *to)
{
    char head[32];
    const size_t size = slurp(path, (char *)data, sizeof data);
    const int length = snprintf(head, sizeof head, "Pf\n%u %u\n-1.0\n", width, height);
    ck_assert_uint_eq(size, (size_t)length + 4 * (size_t)width * height);
    ck_assert_mem_eq(data, head, (size_t)length);
    for (uint32_t y = 0; y < height; y++) {
        memcpy(to + (size_t)(height - 1 - y) * width, data + length + 4 * (size_t)y * width,
               4 * (size_t)width);
    }
}

START_TEST(a_file_a_pass)
{
    static float z[40 * 30], distance[40 * 30];
    exr_file file;
    shell("marrow render " MODEL " --aov depth,distance -o 'x_{aov}.pfm' && "
          "marrow render " MODEL " --aov depth,distance -o 'x_{aov}.exr' -q && "
          "marrow render " MODEL " --aov depth,distance -o all.exr -q");
    assert_status(0);
    ck_assert_int_eq(count_files("."), 7); /* and .out, .err */
    read_pfm("x_depth.pfm", 40, 30, z);
    read_pfm("x_distance.pfm", 40, 30, distance);
    open_exr("x_depth.exr", &file);
    ck_assert_uint_eq(file.channel_count, 1);
    ck_assert_mem_eq(floats_of(&file, "Z"), z, sizeof z);
    exr_close(&file);
    open_exr("x_distance.exr", &file);
    ck_assert_mem_eq(floats_of(&file, "distance"), distance, sizeof distance);
    exr_close(&file);
    open_exr("all.exr", &file);
    ck_assert_mem_eq(floats_of(&file, "Z"), z, sizeof z);
    ck_assert_mem_eq(floats_of(&file, "distance"), distance, sizeof distance);
    exr_close(&file);
}
END_TEST

/* Numbers in a PNG are grey of 16 bits; colours are the picture as it always is, byte by byte. */
START_TEST(pictures_and_numbers_as_png)
{
    unsigned char h[64];
    shell("marrow render " MODEL " --aov color,id -o '{aov}.png' && "
          "marrow render " MODEL " -o plain.png && cmp color.png plain.png");
    assert_status(0);
    ck_assert_msg(slurp("id.png", (char *)h, sizeof h) > 33, "no picture");
    ck_assert_uint_eq(h[24], 16);
    ck_assert_uint_eq(h[25], 0); /* grey */
    shell("marrow render " MODEL " --aov color --bits 16 --background none -o c.png && "
          "marrow render " MODEL
          " --bits 16 --background none -o plain.png && cmp c.png plain.png");
    assert_status(0);
}
END_TEST

START_TEST(numbers_that_are_too_large)
{
    shell("marrow render " MODEL " --aov id --id Hat=65535 -o id.png");
    assert_status(0);
    shell("marrow render " MODEL " --aov id --id Hat=65536 -o id.png");
    assert_refused(2, "--id Hat=65536: .png files store numbers only up to 65535, .exr files store "
                      "all; use -o 'id.exr'");
    shell("marrow render " MODEL " --aov id --id Hat=65536 --aov-view -o seen.png && "
          "marrow render " MODEL " --aov material --id Hat=65536 -o material.png");
    assert_status(0);
}
END_TEST

/* ---- ways of rendering ----------------------------------------------------------------------- */

/* The same files whatever the threads and shards; frames that show the same, too. */
START_TEST(sequences_shards_and_threads)
{
    shell("marrow render " MODEL " --clip Walk --frames 0-3,0 --aov depth,id -j 1 "
          "-o 'a/{frame}.exr' -q && "
          "marrow render " MODEL " --clip Walk --frames 0-3 --aov depth,id -j 3 -o 'b/{frame}.exr' "
          "-q && for i in 1 2 3; do "
          "marrow render " MODEL " --clip Walk --frames 0-3 --aov depth,id --shard $i/3 "
          "-o 'c/{frame}.exr' -q; done; diff -r a b && diff -r a c && ls a | wc -l");
    assert_status(0);
    ck_assert_str_eq(out, "4\n");
    /* each of 3 files a pass, of 3 frames that do not move */
    shell("marrow render " MODEL " --pose rest --aov depth,id,distance -o 'd/{aov}.exr' -q && "
          "marrow render demo:figure --size 40x30 --clip Walk --times 1000,1001,1002 "
          "--aov depth,id,triangle -o 'e/{frame}_{aov}.exr' && cmp e/0_depth.exr e/2_depth.exr && "
          "cmp e/0_id.exr e/1_id.exr && ls d e | wc -l");
    assert_status(0);
    ck_assert_str_eq(out, "15\n"); /* 3 and 9 files, and what ls says around them */
}
END_TEST

/* Neighbours are those of the sequence, not of the shard, the view or the duplicates. */
START_TEST(flow_of_shards_and_views)
{
    exr_file file;
    for (int each = 0; each < 2; each++) {
        shell("rm -rf a b c && for i in 1 2; do "
              "marrow render " MODEL " --clip Run --frames 0-3 %s --aov flow-forward,flow-backward "
              "--shard $i/2 -o 'a/{frame}.exr' -q; done; "
              "marrow render " MODEL " --clip Run --frames 0-3 %s --aov flow-forward,flow-backward "
              "-o 'b/{frame}.exr' -q && "
              "marrow render " MODEL " --clip Run --frames 0-3 %s --aov flow-forward,flow-backward "
              "--views left,front -o 'c/{view}{frame}.exr' -q && diff -r a b && "
              "marrow render " MODEL " --clip Run --frames 0-3 %s --aov flow-forward,flow-backward "
              "--views front -o 'd/{view}{frame}.exr' -q && for i in 0 1 2 3; do "
              "cmp c/front$i.exr d/front$i.exr || exit 1; done",
              each ? "--fit frame" : "", each ? "--fit frame" : "", each ? "--fit frame" : "",
              each ? "--fit frame" : "");
        assert_status(0);
    }
    /* the next picture is the one that is asked for next, whichever that is; alone it is a frame
     * away */
    shell("marrow render " MODEL " --clip Run --fit clip --fps 20 --frames 1-2 --aov flow-forward "
          "-o 'e/{frame}.exr' -q && "
          "marrow render " MODEL " --clip Run --fit clip --fps 20 --frames 1 --aov flow-forward "
          "-o f.exr -q && cmp f.exr e/1.exr");
    assert_status(0);
    open_exr("f.exr", &file);
    const float *x = floats_of(&file, "flow-forward.X"), *seen = floats_of(&file, "flow-forward.A");
    float most = 0.0f;
    for (size_t i = 0; i < (size_t)40 * 30; i++) {
        most = seen[i] > 0.0f && fabsf(x[i]) > most ? fabsf(x[i]) : most;
    }
    ck_assert_float_gt(most, 0.1f);
    exr_close(&file);
    /* Middlebury's form */
    shell("marrow render " MODEL " --clip Run --fit clip --fps 20 --frames 1 --aov flow-forward "
          "-o f.flo -q");
    assert_status(0);
    const size_t size = slurp("f.flo", (char *)data, sizeof data);
    ck_assert_uint_eq(size, 12 + (size_t)40 * 30 * 8);
    ck_assert_mem_eq(data, "PIEH\x28\0\0\0\x1e\0\0\0", 12);
    exr_file both;
    static uint8_t flo[12 + 40 * 30 * 8];
    memcpy(flo, data, sizeof flo);
    open_exr("f.exr", &both);
    for (size_t i = 0; i < (size_t)40 * 30; i++) {
        float uv[2];
        memcpy(uv, flo + 12 + 8 * i, 8);
        const bool known = floats_of(&both, "flow-forward.A")[i] > 0.0f;
        ck_assert_float_eq(uv[0], known ? floats_of(&both, "flow-forward.X")[i] : 1e10f);
        ck_assert_float_eq(uv[1], known ? floats_of(&both, "flow-forward.Y")[i] : 1e10f);
    }
    exr_close(&both);
}
END_TEST

START_TEST(standard_output_and_plans)
{
    shell("marrow render " MODEL " --aov depth -o a.exr -q && marrow render " MODEL
          " --aov depth -o - > b.exr && cmp a.exr b.exr");
    assert_status(0);
    shell("marrow render " MODEL " --aov 'depth, id' -o 'x_{aov}.exr' --dry-run");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(out, "x_depth.exr\t"));
    ck_assert_ptr_nonnull(strstr(out, "x_id.exr\t"));
    ck_assert(!exists("x_id.exr"));
    shell("marrow render " MODEL " --aov depth,id -o 'x_{aov}.exr' --dry-run --json");
    assert_status(0);
    cJSON *json = read_json(".out");
    ck_assert_str_eq(string_of(picture_of(json, 0), "id", "file"), "x_id.exr");
    ck_assert_ptr_null(cJSON_GetObjectItem(picture_of(json, 0), "camera"));
    ck_assert_ptr_null(cJSON_GetObjectItem(picture_of(json, 0), "file"));
    cJSON_Delete(json);
    /* called after the model where -o says nothing */
    shell("marrow render " MODEL " demo:blob --aov depth -q && ls *.exr");
    assert_status(0);
    ck_assert_str_eq(out, "a.exr\nb.exr\nblob.exr\nfigure.exr\n");
}
END_TEST

/* ---- passes to look at ----------------------------------------------------------------------- */

/* Bit for bit what shading modes draw. */
START_TEST(views_are_shading_modes)
{
    static const char *const rows[][2] = {
        {"normal", "normal"},
        {"uv", "uv"},
        {"depth", "depth"},
        {"joint", "joint"},
        {"weights:hips", "weights:hips"},
        {"albedo", "channel:base"},
    };
    shell("marrow render " MODEL " --clip Walk --frames 3,9 --aov normal,uv,depth,joint,albedo "
          "--aov weights:hips --aov-view --background none --ground --ao "
          "-o 'v/{aov}_{frame}.png' --json");
    assert_status(0);
    cJSON *json = read_json(".out");
    ck_assert_str_eq(string_of(picture_of(json, 1), "normal", "file"), "v/normal_9.png");
    ck_assert_uint_eq(strlen(string_of(picture_of(json, 1), "normal", "hash")), 64);
    ck_assert_ptr_nonnull(cJSON_GetObjectItem(picture_of(json, 1), "camera"));
    cJSON_Delete(json);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char safe[64];
        snprintf(safe, sizeof safe, "%s", rows[i][0]);
        for (char *p = safe; *p; p++) {
            *p = *p == ':' ? '_' : *p;
        }
        shell("marrow render " MODEL " --clip Walk --frames 3,9 --shading %s --aa 1 --background "
              "none -o 's/{frame}.png' && cmp s/3.png v/%s_3.png && cmp s/9.png v/%s_9.png",
              rows[i][1], safe, safe);
        assert_status(0);
    }
}
END_TEST

/* Beside the picture; models of --add and several of a command, in sheets and animations. */
START_TEST(views_in_all_ways)
{
    shell("marrow render " MODEL " --aov color,id,position,flow-forward --aov-view --clip Run "
          "--frames 2 && marrow render " MODEL " --clip Run --frames 2 -o c.png && "
          "cmp c.png figure_color.png && ls");
    assert_status(0);
    ck_assert_str_eq(out, "c.png\nfigure_color.png\nfigure_flow-forward.png\nfigure_id.png\n"
                          "figure_position.png\n");
    assert_png("figure_id.png", 40, 30, 2);
    assert_png("figure_flow-forward.png", 40, 30, 2);
    shell("marrow render " MODEL " --clip Walk --count 4 --sheet 2 --aov id --aov-view -o s.png && "
          "marrow render " MODEL " --clip Walk --count 4 --aov normal --aov-view -o a.apng && "
          "marrow render " MODEL " --clip Walk --count 4 --shading normal --aa 1 -o b.apng && "
          "cmp a.apng b.apng");
    assert_status(0);
    shell("marrow render " MODEL " demo:blob --add demo:swatches --aov normal,id --aov-view -o m/ "
          "&& marrow render demo:blob --size 40x30 --add demo:swatches --shading normal --aa 1 -o "
          "x.png && cmp x.png m/blob_normal.png && ls m | wc -l");
    assert_status(0);
    ck_assert_str_eq(out, "4\n");
}
END_TEST

/* ---- depth for training ---------------------------------------------------------------------- */

/* A NumPy array as NEP 1 describes it: its header word for word, its values. */
static void read_npy(const char *path, const char *type, const char *shape, size_t values, void *to)
{
    static char bytes[200000];
    char header[200];
    const size_t size = slurp(path, bytes, sizeof bytes);
    const size_t length = (uint8_t)bytes[8] + 256u * (uint8_t)bytes[9];
    ck_assert_uint_lt(length, sizeof header);
    ck_assert_mem_eq(bytes, "\x93NUMPY\x01\x00", 8);
    ck_assert_uint_eq((10 + length) % 64, 0);
    ck_assert_uint_eq(size, 10 + length + 4 * values);
    ck_assert_int_eq(bytes[10 + length - 1], '\n');
    const int used =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                 type, shape);
    ck_assert_mem_eq(bytes + 10, header, (size_t)used);
    for (size_t i = (size_t)used; i + 1 < length; i++) {
        ck_assert_int_eq(bytes[10 + i], ' ');
    }
    memcpy(to, bytes + 10 + length, 4 * values);
}

/* A grey PNG of 16 bits has floor(z * scale + 1/2), and 0 where z is infinite. */
static void assert_deep_png(const char *path, uint32_t width, uint32_t height, const float *z,
                            double scale)
{
    static uint8_t rows[100000];
    static chunk chunks[64];
    const mrw_bytes file = {data, slurp(path, (char *)data, sizeof data)};
    const int count = read_chunks(&file, chunks, 64);
    const size_t stride = 2 * (size_t)width;
    size_t packed = 0, got = 0;
    uint8_t *stream = calloc(1, file.size);
    for (int i = 0; i < count; i++) {
        if (memcmp(chunks[i].type, "IDAT", 4) == 0) {
            memcpy(stream + packed, chunks[i].data, chunks[i].size);
            packed += chunks[i].size;
        }
    }
    ck_assert_int_eq(chunks[0].data[8], 16); /* bits, of grey */
    ck_assert_int_eq(chunks[0].data[9], 0);
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    ck_assert_int_eq(libdeflate_zlib_decompress(d, stream, packed, rows, sizeof rows, &got), 0);
    libdeflate_free_decompressor(d);
    free(stream);
    ck_assert_uint_eq(got, (stride + 1) * height);
    unfilter(rows, stride, height, 2);
    for (uint32_t i = 0; i < width * height; i++) {
        const uint8_t *at = rows + (i / width) * (stride + 1) + 1 + 2 * (i % width);
        const double wanted = z[i] < (float)INFINITY ? floor((double)z[i] * scale + 0.5) : 0.0;
        ck_assert_int_eq(256 * at[0] + at[1], (int)wanted);
    }
}

/* The .npy has the .pfm's values from the top; the .png has them times the scale, rounded. */
START_TEST(depth_as_numbers)
{
    static float z[1200], same[1200], normals[3600];
    static uint32_t ids[1200];
    shell("marrow render " MODEL " --aov depth,id,normal -o '{aov}.npy' && marrow render " MODEL
          " --aov depth -o d.pfm && marrow render " MODEL
          " --aov depth,id --depth-scale 5000 -o '{aov}.png' --json");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(out, "\"scale\": 5000"));
    read_pfm("d.pfm", 40, 30, z);
    read_npy("depth.npy", "<f4", "(30, 40)", 1200, same);
    read_npy("id.npy", "<u4", "(30, 40)", 1200, ids);
    read_npy("normal.npy", "<f4", "(30, 40, 3)", 3600, normals);
    ck_assert_mem_eq(z, same, sizeof z);
    int seen = 0;
    for (int i = 0; i < 1200; i++) {
        ck_assert_int_eq(ids[i] != 0, z[i] < (float)INFINITY);
        seen += ids[i] != 0;
    }
    ck_assert_int_gt(seen, 80);
    assert_deep_png("depth.png", 40, 30, z, 5000.0);
}
END_TEST

/* ---- what is refused ------------------------------------------------------------------------- */

START_TEST(bad_input)
{
    static const struct {
        int status;
        const char *arguments, *said;
    } rows[] = {
        {2, "--aov dept",
         "unknown pass 'dept'; did you mean depth? `marrow help aov` lists the passes"},
        {2, "--aov depth,,id", "unknown pass ''"},
        {2, "--aov depth,oddity", "; `marrow help aov` lists the passes"},
        {2, "--aov depth,weights:hips", "its own option, --aov weights:JOINT"},
        {2, "--aov weights:", "its own option, --aov weights:JOINT"},
        {2, "-o '{aov}.png'", "add --aov LIST"},
        {2, "--aov depth --overlay label -o a.exr",
         "--overlay draws only over pictures; with --aov, only the color pass in a .png is a "
         "picture"},
        {2, "--aov color --overlay label -o a.exr", "--overlay draws only over pictures"},
        {2, "--aov color --overlay label --overlay-alone -o a.png",
         "--overlay-alone and --aov cannot be combined"},
        {2, "--aov depth -o a.png",
         "--aov depth: .png files cannot store it, but .exr, .pfm, .npy can; use -o 'a.exr', "
         "--depth-scale 1000 for integers, or --aov-view"},
        {2, "--aov normal -o a.png", "use -o 'a.exr', or --aov-view"},
        {2, "--depth-scale 1000 -o a.png", "--depth-scale has no effect without --aov"},
        {2, "--aov id --depth-scale 1000 -o a.png",
         "--depth-scale is for --aov depth or distance in a .png; use -o 'a.png'"},
        {2, "--aov depth --depth-scale 1000 -o a.exr", "use -o 'a.png'"},
        {2, "--aov depth --depth-scale 0 -o a.png", "--depth-scale"},
        {2, "--aov depth --depth-scale nan -o a.png", "--depth-scale"},
        {2, "--aov depth --depth-scale 10 --aov-view -o a.png", "cannot be combined"},
        {3, "--aov depth --depth-scale 1e6 -o a.png", "is too large for a .png with --depth-scale"},
        {2, "--aov depth,id -o a.npy", "one file per pass"},
        {2, "--aov uv -o b/{aov}.pfm", "use -o 'b/{aov}.exr'"},
        {2, "--aov depth -o a.flo", "--aov depth: .flo files cannot store it"},
        {2, "--aov depth,id -o a.pfm",
         "--aov lists 2 passes, but only an .exr file can contain several; use -o 'a.exr', or -o "
         "'a_{aov}.pfm' for one file per pass"},
        {2, "--aov depth -o a.jpg",
         "the name must end in .png, .exr, .pfm, .flo, .npy, .apng, .gif, .webp, .mp4, .webm or "
         ".mov"},
        {2, "--aov depth --sheet 3 -o a.png", "contact sheets show pictures, not passes"},
        {2, "--aov depth -o a.apng", "animations show pictures, not passes"},
        {2, "--aov-view", "--aov-view has no effect without --aov"},
        {2, "--aov depth --aov-view -o a.exr", "--aov-view writes only pictures; use -o 'a.png'"},
        {2, "--aov depth,id --aov-view -o a.png",
         "--aov lists 2 passes, but a picture shows only one; use -o 'a_{aov}.png'"},
        {2, "--aov depth,id --aov-view --sheet 2 -o a.png", "give --aov-view and one pass"},
        {3, "--aov color --aov weights:hipps --aov-view -o '{aov}.png'",
         "--aov weights:JOINT: there is no joint \"hipps\"; did you mean hips"},
        {3, "--aov weights:hipps -o a.exr",
         "--aov weights:JOINT: there is no joint \"hipps\"; did you mean hips"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        shell("marrow render " MODEL " %s", rows[i].arguments);
        assert_refused(rows[i].status, rows[i].said);
    }
    ck_assert(!exists("color.png")); /* what can't be is known before anything is written */
    shell("marrow render " MODEL " --aov weights:$(printf %%0248d 0) -o a.exr");
    assert_refused(2, ": names in an .exr have at most 255 bytes");
    shell("marrow bake demo:blob -o 'a_{aov}.obj'");
    assert_refused(2, "{aov} in -o stands for the name of a pass of render --aov");
    shell("marrow render " MODEL " --aov depth,id -o c.exr 2>/dev/full; mkdir d.exr && marrow "
          "render " MODEL " --aov depth -o d.exr/x/y.exr -q && marrow render " MODEL
          " --aov depth -o d.exr/x -q");
    assert_status(0);
    ck_assert(exists("d.exr/x/figure.exr"));
}
END_TEST

START_TEST(help_tells_all)
{
    shell("marrow help aov");
    assert_status(0);
    ck_assert_ptr_nonnull(strstr(out, "  depth"));
    ck_assert_ptr_nonnull(strstr(out, "  weights:JOINT"));
    ck_assert_ptr_nonnull(strstr(out, "a float .exr .pfm"));
    ck_assert_ptr_nonnull(strstr(out, "a whole number .png .exr"));
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("cli_passes");
    TCase *tc = tcase_create("cli_passes");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, enter, test_folder_remove);
    tcase_add_test(tc, depth_as_numbers);
    tcase_add_test(tc, all_in_one_file);
    tcase_add_test(tc, depths_are_those_of_bake);
    tcase_add_test(tc, the_answer_has_cameras_hashes_and_a_legend);
    tcase_add_test(tc, cryptomatte_has_its_attributes);
    tcase_add_test(tc, a_file_a_pass);
    tcase_add_test(tc, pictures_and_numbers_as_png);
    tcase_add_test(tc, numbers_that_are_too_large);
    tcase_add_test(tc, sequences_shards_and_threads);
    tcase_add_test(tc, flow_of_shards_and_views);
    tcase_add_test(tc, standard_output_and_plans);
    tcase_add_test(tc, views_are_shading_modes);
    tcase_add_test(tc, views_in_all_ways);
    tcase_add_test(tc, bad_input);
    tcase_add_test(tc, help_tells_all);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
