/* test_load_files.c: the glTF reader and the world: files, folders, links, damaged content, memory,
 * the locale, the models of the corpus. */
#include "load_gltf.h"

#include "base/memory.h"
#include "load/demo.h"
#include "load/uri.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ----------------------------------------------------------------------------------- */

static void remove_folder(void)
{
    char command[PATH_MAX + 20];
    snprintf(command, sizeof command, "chmod -R u+rwx '%s'", test_folder());
    ck_assert_int_eq(system(command), 0);
    test_folder_remove();
}

static mrw_scene *load_in(const char *name, const mrw_load_def *def)
{
    mrw_scene *scene = NULL;
    memset(&error, 0, sizeof error);
    mrw_load_file(test_path(name), def, &scene, &error);
    return scene;
}

static void expect_file_error(const char *name, const char *part)
{
    ck_assert_ptr_null(load_in(name, NULL));
    ck_assert_int_eq(error.status, MRW_ERROR_INPUT);
    ck_assert_msg(strstr(error.text, part), "\"%s\" lacks \"%s\"", error.text, part);
    ck_assert_ptr_null(strchr(error.text, '\n'));
}

START_TEST(test_bad_files)
{
    expect_file_error("none.glb", "no such file");
    ck_assert_int_eq(mkdir(test_path("dir"), 0700), 0);
    expect_file_error("dir", "folder");
    test_write(test_path("empty.glb"), "", 0);
    expect_file_error("empty.glb", "empty");
    test_write(test_path("text.glb"), "hello, world", 12);
    expect_file_error("text.glb", "this is not glTF");
    test_write(test_path("a.fbx"), "Kaydara FBX Binary  \0", 21);
    expect_file_error("a.fbx", "FBX");
    test_write(test_path("b.gltf"), "ply\nformat ascii 1.0\n", 21);
    expect_file_error("b.gltf", "PLY");
    test_write(test_path("c.xyz"), "1 2 3", 5);
    expect_file_error("c.xyz", "unknown format");
    ck_assert_int_eq(mkfifo(test_path("fifo.glb"), 0600), 0);
    expect_file_error("fifo.glb", "not a regular file");
    if (geteuid() != 0) {
        test_write(test_path("secret.glb"), "glTF", 4);
        ck_assert_int_eq(chmod(test_path("secret.glb"), 0), 0);
        expect_file_error("secret.glb", "permission denied");
    }
    mrw_load_def small = mrw_load_def_default();
    small.max_file_size = 4;
    ck_assert_ptr_null(load_in("text.glb", &small));
    ck_assert_ptr_nonnull(
        strstr(error.text, "has more than 4 bytes; allow more with --max-file-size"));
    remove_folder();
}
END_TEST

/* Writes a GLB of `bin` whose JSON is the given text. */
static size_t make_glb(uint8_t *out, const char *json)
{
    uint32_t json_size = ((uint32_t)strlen(json) + 3) & ~3u;
    uint32_t bin_size = ((uint32_t)bin.size + 3) & ~3u;
    uint32_t words[5] = {0x46546C67, 2, 28 + json_size + bin_size, json_size, 0x4E4F534A};
    memset(out, ' ', 20 + json_size);
    memcpy(out, words, 20);
    memcpy(out + 20, json, strlen(json));
    uint32_t chunk[2] = {bin_size, 0x004E4942};
    memcpy(out + 20 + json_size, chunk, 8);
    memcpy(out + 28 + json_size, bin.data, bin_size);
    return words[2];
}

START_TEST(test_glb)
{
    static uint8_t glb[4096];
    reset();
    PUT(float, TRIANGLE);
    size_t size = make_glb(
        glb, "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36}],\"bufferViews\":[{"
             "\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"componentType\":"
             "5126,\"count\":3,\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
             "\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0}]}");
    mrw_scene *s = NULL;
    ck_assert_int_eq(mrw_load_memory(glb, size, "m", NULL, NULL, &s, &error), MRW_OK);
    ck_assert_str_eq(mrw_scene_string(s, s->format), "glb2");
    CHECK_CORNER(s, positions, 3, position, 2, 0, 1, 0);
    mrw_scene_free(s);
    for (size_t cut = 0; cut < size; cut++) { /* every truncation is an error */
        ck_assert_int_eq(mrw_load_memory(glb, cut, "m", NULL, NULL, &s, &error), MRW_ERROR_INPUT);
        ck_assert_ptr_null(s);
    }
    ck_assert_ptr_nonnull(strstr(error.text, "cut short"));
    glb[size - 44] = 40; /* of the 36 bytes left */
    ck_assert_int_eq(mrw_load_memory(glb, size, "m", NULL, NULL, &s, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "chunk 1 reaches past the end"));
    glb[4] = 1;
    ck_assert_int_eq(mrw_load_memory(glb, size, "m", NULL, NULL, &s, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(error.text, "version 1"));
}
END_TEST

/* Loads a GLB whose JSON has a length of 1 more than a multiple of 4. The JSON chunk has `padding`
 * bytes behind it, which its length counts or not. */
static void check_unpadded(uint32_t padding, bool counted)
{
    static const char json[] =
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36}],\"bufferViews\":[{"
        "\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
        "\"count\":3,\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
        "\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0}]}";
    static uint8_t glb[1024];
    uint32_t length = (uint32_t)sizeof json - 1;
    char padded[512];
    memcpy(padded, json, sizeof json);
    for (; length % 4 != 1; length++) {
        padded[length] = ' ';
    }
    const uint32_t at = 20 + length + padding, said = counted ? length + padding : length;
    const uint32_t words[5] = {0x46546C67, 2, at + 8 + 36, said, 0x4E4F534A};
    const uint32_t chunk[2] = {36, 0x004E4942};
    memset(glb, ' ', sizeof glb);
    memcpy(glb, words, 20);
    memcpy(glb + 20, padded, length);
    memcpy(glb + at, chunk, 8);
    memcpy(glb + at + 8, bin.data, 36);
    mrw_scene *s = NULL;
    ck_assert_msg(mrw_load_memory(glb, words[2], "m", NULL, NULL, &s, &error) == MRW_OK, "%u: %s",
                  padding, error.text);
    CHECK_CORNER(s, positions, 3, position, 2, 0, 1, 0);
    mrw_scene_free(s);
}

/* The specification, "Chunks", counts the padding. Real writers leave out one or the other. */
START_TEST(test_unpadded_chunks)
{
    reset();
    PUT(float, TRIANGLE);
    check_unpadded(3, true);
    check_unpadded(3, false);
    check_unpadded(0, true);
}
END_TEST

/* External buffers: percent-encoded names below the folder; nothing outside it. */
START_TEST(test_external_buffers)
{
    static const struct {
        const char *uri, *part;
    } cases[] = {{"sub%20dir/a.bin", NULL},
                 {"sub dir/a.bin", NULL},
                 {"./sub%20dir//a.bin", NULL},
                 {"/etc/hostname", "outside"},
                 {"../a.bin", "outside"},
                 {"sub%20dir/../short.bin", "its data has 4"}, /* ".." goes before it is opened */
                 {"sub%20dir/..%2f../a.bin", "outside"},
                 {"link/hostname", "outside"},
                 {"file.bin", "outside"},
                 {"https://x.org/a.bin", "outside"},
                 {"none.bin", "does not exist"},
                 {"sub%20dir", "is a folder"},
                 {"fifo", "not a regular file"},
                 {"short.bin", "has 4"},
                 {"", "does not exist"},
                 {"a%00b", "could not be read"}};
    reset();
    PUT(float, TRIANGLE);
    ck_assert_int_eq(mkdir(test_path("sub dir"), 0700), 0);
    test_write(test_path("sub dir/a.bin"), bin.data, 36);
    test_write(test_path("short.bin"), bin.data, 4);
    ck_assert_int_eq(mkfifo(test_path("fifo"), 0600), 0);
    ck_assert_int_eq(symlink("/etc", test_path("link")), 0);
    ck_assert_int_eq(symlink("/etc/hostname", test_path("file.bin")), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char json[1024];
        snprintf(
            json, sizeof json,
            "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"%s\"}],"
            "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":"
            "0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],\"meshes\":[{"
            "\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0}]}",
            cases[i].uri);
        test_write(test_path("m.gltf"), json, strlen(json));
        if (cases[i].part) {
            expect_file_error("m.gltf", cases[i].part);
            continue;
        }
        mrw_scene *s = load_in("m.gltf", NULL);
        ck_assert_msg(s, "%s: %s", cases[i].uri, error.text);
        mrw_scene_free(s);
    }
    remove_folder();
}
END_TEST

/* Without openat2 (an old kernel, an emulator): through no link at all, otherwise the same. */
START_TEST(test_open_by_components)
{
    ck_assert_int_eq(mkdir(test_path("dir"), 0700), 0);
    test_write(test_path("dir/a.bin"), "1234", 4);
    ck_assert_int_eq(symlink("dir", test_path("link")), 0);
    ck_assert_int_eq(symlink("dir/a.bin", test_path("file")), 0);
    static const struct {
        const char *path;
        int code;
    } cases[] = {{"dir/a.bin", 0},        {"./dir//a.bin", 0}, {"dir", 0},
                 {"none", ENOENT},        {"file", ELOOP},     {"link/a.bin", ELOOP},
                 {"dir/a.bin/x", ENOTDIR}};
    int root = mrwi_base_open_folder(test_folder());
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int fd = mrwi_base_open_by_components(root, cases[i].path, O_RDONLY);
        ck_assert_msg(fd >= 0 ? cases[i].code == 0 : errno == cases[i].code, "%s", cases[i].path);
        if (fd >= 0) {
            close(fd);
        }
    }
    close(root);
    remove_folder();
}
END_TEST

/* Textures: as written, by basename beside the model, in texture_dirs; else a checker. */
START_TEST(test_texture_search)
{
    static const struct {
        const char *uri;
        bool dirs;
        const char *warning; /* NULL: found */
    } cases[] = {{"tex%20a.png", false, NULL},
                 {"C:\\\\art\\\\tex a.png", false, NULL},
                 {"/home/x/tex a.png", false, NULL},
                 {"other.png", false, "does not exist"},
                 {"../other.png", false, "is outside"}, /* though its basename does not exist */
                 {"other.png", true, NULL},
                 {"../x/other.png", true, NULL},
                 {"text.png", false, "not a PNG"}};
    uint8_t *png;
    size_t size;
    ck_assert_int_eq(mrwi_load_uri_data("data:image/png;base64," PNG_1X1, &png, &size),
                     MRWI_BASE_READ_OK);
    ck_assert_int_eq(mkdir(test_path("dir"), 0700), 0);
    test_write(test_path("tex a.png"), png, size);
    test_write(test_path("dir/other.png"), png, size);
    test_write(test_path("text.png"), "no picture", 10);
    mrwi_base_free(png);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char json[1024], dir[PATH_MAX];
        snprintf(json, sizeof json,
                 "{\"asset\":{\"version\":\"2.0\"},\"images\":[{\"uri\":\"%s\"}],\"textures\":[{"
                 "\"source\":0}],\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorTexture\":{"
                 "\"index\":0}}}],\"accessors\":[{\"componentType\":5126,\"count\":3,\"type\":"
                 "\"VEC3\"},{\"componentType\":5126,\"count\":3,\"type\":\"VEC2\"}],\"meshes\":[{"
                 "\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1},"
                 "\"material\":0}]}],\"nodes\":[{\"mesh\":0}]}",
                 cases[i].uri);
        test_write(test_path("m.gltf"), json, strlen(json));
        snprintf(dir, sizeof dir, "%s/dir", test_folder());
        const char *dirs[] = {"/nonexistent", dir};
        mrw_load_def def = mrw_load_def_default();
        def.texture_dirs = dirs;
        def.texture_dir_count = cases[i].dirs ? 2 : 0;
        mrw_scene *s = load_in("m.gltf", &def);
        ck_assert_msg(s, "%s: %s", cases[i].uri, error.text);
        ck_assert_uint_eq(s->images_count, 1);
        bool found = (s->images[0].flags & MRW_IMAGE_MISSING) == 0;
        ck_assert_msg(found == (!cases[i].warning), "%s", cases[i].uri);
        ck_assert_uint_eq(s->warnings_count, found ? 0 : 1);
        ck_assert_msg(found || has_warning(s, cases[i].warning), "%s", cases[i].uri);
        mrw_scene_free(s);
    }
    remove_folder();
}
END_TEST

/* The import helper opens the pictures of what is drawn, too, and no others; it names all maps.
 * Beside a normal map no bump map is drawn. */
START_TEST(test_unused_textures)
{
    static const char obj[] = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl shown\n"
                              "f 1/1 2/1 3/1\n";
    static const char mtl[] = "newmtl unused\nmap_Kd unused.png\nnewmtl shown\nmap_Kd shown.png\n"
                              "map_Ks a.png\nmap_d b.png\nmap_Ke c.png\nbump d.png\nnorm e.png\n";
    static const struct {
        mrw_map map;
        const char *path;
    } maps[] = {{MRW_MAP_BASE_COLOR, "shown.png"}, {MRW_MAP_SPECULAR, "a.png"},
                {MRW_MAP_OPACITY, "b.png"},        {MRW_MAP_EMISSIVE, "c.png"},
                {MRW_MAP_HEIGHT, "d.png"},         {MRW_MAP_NORMAL, "e.png"}};
    test_write(test_path("a.obj"), obj, strlen(obj));
    test_write(test_path("a.mtl"), mtl, strlen(mtl));
    for (int clips_only = 0; clips_only < 2; clips_only++) {
        mrw_load_def def = mrw_load_def_default();
        def.clips_only = clips_only;
        mrw_scene *s = load_in("a.obj", &def);
        ck_assert_msg(s, "%s", error.text);
        ck_assert_uint_eq(s->warnings_count, clips_only ? 0 : 5);
        ck_assert(clips_only || has_warning(s, "shown.png"));
        ck_assert_uint_ge(s->images_count, 1);
        for (uint32_t i = 0; i < s->images_count; i++) {
            bool shown = false;
            for (size_t k = 0; k < sizeof maps / sizeof *maps; k++) {
                if (strcmp(mrw_scene_string(s, s->images[i].path), maps[k].path) == 0) {
                    shown = mrw_map_info_of(maps[k].map)->drawn && maps[k].map != MRW_MAP_HEIGHT;
                }
            }
            bool unseen = (s->images[i].flags & MRW_IMAGE_UNSEEN) != 0;
            ck_assert(unseen == (clips_only || !shown));
        }
        const mrw_material *material = &s->materials[s->meshes[0].material];
        for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
            const uint32_t texture = material->maps[maps[i].map].texture;
            ck_assert((texture == MRW_NONE) == clips_only);
            ck_assert(clips_only ||
                      strcmp(mrw_scene_string(s, s->images[s->textures[texture].image].path),
                             maps[i].path) == 0);
        }
        mrw_scene_free(s);
    }
    remove_folder();
}
END_TEST

START_TEST(test_uri)
{
    uint8_t *data;
    size_t size;
    char out[16];
    ck_assert_int_eq(mrwi_load_uri_data("data:;base64,TWFycm93", &data, &size), MRWI_BASE_READ_OK);
    ck_assert_uint_eq(size, 6);
    ck_assert_mem_eq(data, "Marrow", 6);
    mrwi_base_free(data);
    ck_assert_int_eq(mrwi_load_uri_data("data:x;base64,TW%46y cm8%3D", &data, &size),
                     MRWI_BASE_READ_OK);
    ck_assert_uint_eq(size, 5);
    ck_assert_mem_eq(data, "Marro", 5);
    mrwi_base_free(data);
    ck_assert_int_eq(mrwi_load_uri_data("data:,a%20%zzb", &data, &size), MRWI_BASE_READ_OK);
    ck_assert_uint_eq(size, 6);
    ck_assert_mem_eq(data, "a %zzb", 6);
    mrwi_base_free(data);
    ck_assert_int_eq(mrwi_load_uri_data("data:;base64", &data, &size), MRWI_BASE_READ_FAILED);
    ck_assert_int_eq(mrwi_load_uri_data("data:;base64,!!!!", &data, &size), MRWI_BASE_READ_FAILED);
    ck_assert_int_eq(mrwi_load_uri_data("data:;base64,A", &data, &size), MRWI_BASE_READ_FAILED);
    ck_assert(mrwi_load_uri_decode("a%2Fb", out, sizeof out));
    ck_assert_str_eq(out, "a/b");
    ck_assert(!mrwi_load_uri_decode("a%00b", out, sizeof out));
    ck_assert(!mrwi_load_uri_decode("0123456789abcdef", out, sizeof out));
    ck_assert(mrwi_load_uri_has_scheme("http://x") && !mrwi_load_uri_has_scheme("C:\\x"));
    ck_assert_str_eq(mrwi_base_basename("a\\b/c"), "c");
}
END_TEST

/* ---- bad content ----------------------------------------------------------------------------- */

START_TEST(test_bad_content)
{
#define MESH               "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]" ONE_NODE
#define ACC(offset, count) "],'accessors':[" A(offset, 5126, count, VEC3) "],"
    static const struct {
        const char *rest, *part;
    } cases[] = {
        {ACC(0, 3) MESH ",", "damaged or cut short"},
        {ACC(4, 3) MESH, "accessor 0: it extends to byte 40"},
        {ACC(0, 4000000000) MESH, "accessor 0: it extends to byte"},
        {ACC(9007199254740992, 3) MESH, "byteOffset"},
        {ACC(-4, 3) MESH, "byteOffset"},
        {ACC(0.5, 3) MESH, "byteOffset"},
        {ACC('0', 3) MESH, "byteOffset"},
        {ACC(0, 2.5) MESH, "count"},
        {"],'accessors':[{'componentType':5126,'count':4000000000,'type':'VEC3'}]," MESH,
         "contains more"},
        {"],'accessors':[{'bufferView':7,'componentType':5126,'count':3,'type':'VEC3'}]," MESH,
         "'bufferView' is 7"},
        {"],'accessors':[{'bufferView':0,'componentType':5124,'count':3,'type':'VEC3'}]," MESH,
         "componentType"},
        {"],'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC2'}]," MESH,
         "mesh 0 primitive 0: its POSITION"},
        {"],'accessors':{}", "'accessors' must be an array"},
        {"],'accessors':[0]", "entry 0 of 'accessors'"},
        {"],'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}]" ONE_NODE, "has 0 accessors"},
        {",{'buffer':2,'byteLength':4}],'accessors':[{'bufferView':1,'componentType':5126,'count':"
         "1,"
         "'type':'VEC3'}]," MESH,
         "bufferView 1: 'buffer' is 2"},
        {",{'buffer':0,'byteOffset':8,'byteLength':36}],'accessors':[{'bufferView':1,"
         "'componentType':5126,'count':3,'type':'VEC3'}]," MESH,
         "past the end of buffer 0"},
        {",{'buffer':0,'byteLength':36,'byteStride':8}],'accessors':[{'bufferView':1,"
         "'componentType':5126,'count':3,'type':'VEC3'}]," MESH,
         "byteStride is 8"},
        {"],'accessors':[" A(0, 5126, 3, VEC3) "," A(
             0, 5121, 3,
             SCALAR) "],'meshes':[{"
                     "'primitives':[{'attributes':{'POSITION':0},'indices':1}]}]" ONE_NODE,
         "but it has 3"},
        {"],'accessors':[{'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':4}}]"
         "," MESH,
         "count"},
        {"],'accessors':[{'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':1,"
         "'indices':{'bufferView':0,'byteOffset':3,'componentType':5121},'values':"
         "{'bufferView':0}}}]," MESH,
         "sparse index 0 is 63"},
        {"],'accessors':[" A(0, 5126, 3, VEC3) "," A(
             0, 5126, 2, VEC3) "],'meshes':[{'primitives':"
                               "[{'attributes':{'POSITION':0,'NORMAL':1}}]}]" ONE_NODE,
         "has 2 elements"},
        {"],'nodes':[{'children':[1]},{'children':[0]}]", "its own ancestor"},
        {"],'nodes':[{'children':[0]}]", "its own ancestor"},
        {"],'nodes':[{'children':[2]},{'children':[2]},{}]", "two parents"},
        {"],'nodes':[{'children':[9]}]", "node 0: 'children' is 9"},
        {"],'nodes':[{'translation':[1,2]}]", "3 finite numbers"},
        {"],'nodes':[{'scale':[1,1e999,1]}]", "3 finite numbers"},
        {"],'nodes':[{'matrix':[1,2,3]}]", "16 finite numbers"},
        {"],'nodes':[{'name':5}]", "must be a string"},
        {"],'skins':[{'joints':[]}]", "0 joints"},
        {"],'skins':[{'joints':[0,1]}],'nodes':[{}]", "skin 0: 'joints' is 1"},
        {"],'accessors':[" A(0, 5126, 3, VEC3) "],'skins':[{'joints':[0],'inverseBindMatrices':0}],"
                                               "'nodes':[{}]",
         "inverseBindMatrices"},
        {"],'scene':1,'scenes':[{}]", "'scene' is 1"},
        {"],'scenes':[{'nodes':[0]}]", "has 0 nodes"},
        {"],'materials':[{'alphaMode':'X'}]", "alphaMode"},
        {"],'nodes':[{}],'accessors':[" A(0, 5126, 3, SCALAR) "," A(
             0, 5126, 2, VEC3) "],"
                               "'animations':[{'samplers':[{'input':0,'output':1}],'channels':[{'"
                               "sampler':0,'target':"
                               "{'node':0,'path':'scale'}}]}]",
         "animation 0: channel 0: its output, accessor 1"},
        {"],'nodes':[{}],'animations':[{'samplers':[],'channels':[{'sampler':0,'target':"
         "{'node':0,'path':'scale'}}]}]",
         "has 0 samplers"},
        {"],'extensionsRequired':['KHR_meshopt_compression']", "KHR_meshopt_compression, which"},
        {"],'extensionsRequired':['FOO']", "extension FOO"},
        {",{'buffer':0,'byteLength':36,'extensions':{'EXT_meshopt_compression':{'buffer':0,"
         "'byteLength':36,'byteStride':12,'count':3,'mode':'ATTRIBUTES'}}}],'accessors':["
         "{'bufferView':1,'componentType':5126,'count':3,'type':'VEC3'}]," MESH,
         "damaged"},
        {",{'buffer':0,'byteLength':36,'extensions':{'EXT_meshopt_compression':{'buffer':0,"
         "'byteLength':36,'byteStride':6,'count':6,'mode':'ATTRIBUTES'}}}],'accessors':["
         "{'bufferView':1,'componentType':5126,'count':3,'type':'VEC3'}]," MESH,
         "does not fit"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        reset();
        PUT(float, 1, 0.5f, 0, 1, 0, 0, 0, 1, 0); /* as bytes 0, 0, 128: no index below 3 */
        mrw_scene *s = try_load(gltf("%s", cases[i].rest));
        ck_assert_msg(!s, "case %zu was loaded", i);
        ck_assert_int_eq(error.status, MRW_ERROR_INPUT);
        for (char *c = error.text; *c != '\0'; c++) {
            *c = *c == '"' ? '\'' : *c;
        }
        ck_assert_msg(strstr(error.text, cases[i].part), "case %zu: \"%s\" lacks \"%s\"", i,
                      error.text, cases[i].part);
        ck_assert(strncmp(error.text, "t.gltf: ", 8) == 0);
        ck_assert_msg(strchr(error.text, ';'), "no remedy: %s", error.text);
    }
}
END_TEST

START_TEST(test_joint_past_the_skin)
{
    reset();
    PUT(float, TRIANGLE);
    PUT(uint8_t, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0);
    PUT(uint8_t, 255, 0, 0, 0, 0, 255, 0, 0, 255, 0, 0, 0);
    ck_assert_ptr_null(
        try_load(gltf("],'accessors':[" A(0, 5126, 3, VEC3) "," A(36, 5121, 3, VEC4) "," N(
            48, 5121, 3,
            VEC4) "],'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':1,"
                  "'WEIGHTS_0':2}}]}],'skins':[{'joints':[0]}],'nodes':[{'mesh':0,'skin':0}]")));
    ck_assert_ptr_nonnull(strstr(
        error.text, "mesh 0 primitive 0: vertex 1 follows joint 1, but its skin has 1; export"));
}
END_TEST

/* A member of an object that is null says the same as none, wherever it is. */
START_TEST(test_null_is_absent)
{
    static const char with[] = "],'accessors':[" A(
        0, 5126, 3,
        VEC3) ",{'bufferView':0,'byteOffset':36,'componentType':5126,"
              "'count':2,'type':'SCALAR','normalized':null,'sparse':null,'min':null}," A(
                  44, 5126, 2, VEC3) "],'meshes':[{'name':null,'weights':null,'extras':null,'"
                                     "primitives':[{'attributes':{"
                                     "'POSITION':0,'NORMAL':null},'indices':null,'material':null,'"
                                     "mode':null,'targets':null}]}],"
                                     "'materials':null,'skins':null,'extensions':null,'"
                                     "extensionsRequired':null,'scenes':null,"
                                     "'animations':[{'name':null,'channels':[{'sampler':0,'target':"
                                     "{'node':0,'path':"
                                     "'translation','extensions':null}}],'samplers':[{'input':1,'"
                                     "output':2,'interpolation':"
                                     "null}]}],'nodes':[{'mesh':0,'name':null,'children':null,'"
                                     "rotation':null,'matrix':null,"
                                     "'camera':null,'skin':null,'extras':{'a':null}}],'scene':null";
    char without[sizeof with];
    size_t used = 0;
    for (const char *c = with; *c; c++) { /* each 'key':null goes, with one comma beside it */
        const char *null = strstr(c, "':null");
        const char *key = strchr(c + 1, '\'');
        if (*c == '\'' && null && key == null) {
            c = null + 5;
            if (used > 0 && without[used - 1] == ',') {
                used--;
            } else if (c[1] == ',') {
                c++;
            }
        } else {
            without[used++] = *c;
        }
    }
    without[used] = '\0';
    ck_assert_ptr_null(strstr(without, "null"));
    reset();
    PUT(float, TRIANGLE);
    PUT(float, 0, 1);
    PUT(float, 0, 0, 0, 1, 2, 3);
    mrw_scene *a = try_load(gltf("%s", with));
    ck_assert_msg(a, "%s", error.text);
    ck_assert_uint_eq(a->clips_count, 1);
    mrw_scene *b = try_load(gltf("%s", without));
    ck_assert_msg(b, "%s", error.text);
    ck_assert_mem_eq(mrw_scene_hash(a), mrw_scene_hash(b), 32);
    mrw_scene_free(a);
    mrw_scene_free(b);
    /* A required one is missing then; an entry of an array is not a member. */
    ck_assert_ptr_null(try_load("{\"asset\":null}"));
    ck_assert_ptr_nonnull(strstr(error.text, "no \"asset\""));
    ck_assert_ptr_null(try_load(gltf("],'nodes':[null]")));
}
END_TEST

static void expect_extension_warning(const char *rest, const char *expected)
{
    reset();
    PUT(float, TRIANGLE);
    mrw_scene *s = try_load(gltf("],%s,'accessors':[" A(0, 5126, 3, VEC3) "]," MESH, rest));
    ck_assert_msg(s, "%s", error.text);
    ck_assert_uint_eq(s->warnings_count, expected ? 1 : 0);
    if (expected) {
        char all[500];
        snprintf(all, sizeof all, "it uses extensions that marrow does not read: %s", expected);
        ck_assert_str_eq(mrw_scene_string(s, s->warnings[0]), all);
    }
    mrw_scene_free(s);
}

/* One warning names all that are not read, and what they may change. A required one that can't
 * change shapes is no reason to refuse the file. KTX2 is read; images that are not say so. */
START_TEST(test_extensions_not_read)
{
    expect_extension_warning("'extensionsUsed':['KHR_materials_unlit','KHR_mesh_quantization']",
                             NULL);
    expect_extension_warning("'extensionsUsed':['VRM','FOO','KHR_materials_volume','FOO'],"
                             "'extensionsRequired':['KHR_materials_volume','KHR_xmp_json_ld']",
                             "FOO (unknown: may change shapes and the look); "
                             "KHR_materials_volume (may change the look); "
                             "VRM, KHR_xmp_json_ld (no effect on what is drawn)");
    expect_extension_warning("'extensionsRequired':['EXT_texture_avif','KHR_texture_basisu']",
                             "EXT_texture_avif (only textures)");
    expect_extension_warning("'extensionsUsed':['KHR_meshopt_compression','EXT_texture_avif']",
                             "EXT_texture_avif (only textures); "
                             "KHR_meshopt_compression (may change shapes)");
    expect_extension_warning(
        "'extensionsUsed':['A','B','C','D','E','F','G','H','I','J','\\u001b']",
        "A, B, C, D, E, F, G, H and 3 more (unknown: may change shapes and the look)");
    expect_extension_warning("'extensionsUsed':[1,null,{}]", NULL);
    expect_extension_warning("'extensionsUsed':7", NULL);
    char many[3000] = "'extensionsUsed':['X0'"; /* not all are looked at */
    for (int i = 1; i < 200; i++) {
        snprintf(many + strlen(many), sizeof many - strlen(many), ",'X%d'", i);
    }
    strcat(many, "]");
    expect_extension_warning(many, "X0, X1, X2, X3, X4, X5, X6, X7 and 56 more (unknown: may "
                                   "change shapes and the look)");
}
END_TEST

START_TEST(test_bad_text)
{
    static const char *const cases[][2] = {
        {"{", "line 1"},
        {"{}", "no \"asset\""},
        {"{\"asset\":{\"version\":\"1.0\"}}", "glTF 1.0"},
        {"{\"asset\":{\"version\":\"3.0\"}}", "needs glTF 3.0"},
        {"{\"asset\":{\"version\":\"2.1\",\"minVersion\":\"2.1\"}}", "needs glTF 2.1"},
        {"{\"asset\":{\"version\":2}}", "must be a string"},
        {"{\"asset\":{\"version\":\"2.0\"}} x", "line 1"},
        {"{\"asset\":[NaN]}", "line 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_ptr_null(try_load(cases[i][0]));
        ck_assert_msg(strstr(error.text, cases[i][1]), "%s", error.text);
    }
    char *deep = calloc(1, 200001); /* nesting deeper than any stack */
    memcpy(deep, "{\"a\":", 5);
    memset(deep + 5, '[', 199995);
    ck_assert_ptr_null(try_load(deep));
    free(deep);
}
END_TEST

/* ---- the whole ------------------------------------------------------------------------------- */

START_TEST(test_demos)
{
    mrw_scene *s = NULL;
    ck_assert_int_eq(mrw_load_file("demo:nobody", NULL, &s, &error), MRW_ERROR_INPUT);
    ck_assert_ptr_null(s);
    for (size_t i = 0; i < mrwi_load_demo_count; i++) {
        ck_assert_ptr_nonnull(strstr(error.text, mrwi_load_demo_at(i).name));
    }
    for (size_t i = 0; i < mrwi_load_demo_count; i++) {
        char path[64];
        mrw_error why;
        snprintf(path, sizeof path, "demo:%s", mrwi_load_demo_at(i).name);
        mrw_status status = mrw_load_file(path, NULL, &s, &why);
        ck_assert_msg(status == MRW_OK, "%s", why.text);
        ck_assert_uint_gt(s->draws_count, 0);
        ck_assert_uint_eq(s->warnings_count, 0);
        mrw_scene_free(s);
    }
}
END_TEST

/* Two images and a mesh lie in a buffer of 9 bytes that says 90. Images are left out, the mesh is
 * refused, and what was decoded for each is freed, which the address sanitizer sees. */
START_TEST(images_of_a_short_buffer)
{
    const char *json =
        "{'asset':{'version':'2.0'},'buffers':[{'byteLength':90,'uri':'data:application/"
        "octet-stream;base64,AAAAAAAAAAAA'}],'bufferViews':[{'buffer':0,'byteLength':90}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}],"
        "'images':[{'bufferView':0,'mimeType':'image/png'},{'bufferView':0,'mimeType':'image/png'}"
        "],'textures':[{'source':0},{'source':1}],'materials':[{"
        "'occlusionTexture':{'index':0},'emissiveTexture':{'index':1},'emissiveFactor':[1,1,1]}],"
        "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'material':0}]}],"
        "'nodes':[{'mesh':0}],'scenes':[{'nodes':[0]}]}";
    char quoted[2000];
    snprintf(quoted, sizeof quoted, "%s", json);
    for (char *c = quoted; *c != '\0'; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    ck_assert_ptr_null(try_load(quoted));
    ck_assert_msg(strstr(error.text, "it says 90 bytes, but its data has 9"), "%s", error.text);
}
END_TEST

/* Fails every allocation of a load in turn. */
START_TEST(test_out_of_memory)
{
    reset();
    PUT(float, TRIANGLE);
    PUT(uint8_t, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    PUT(uint8_t, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0);
    PUT(float, 0, 1, 2);
    const char *json = gltf("],'accessors':[" A(0, 5126, 3, VEC3) "," A(36, 5121, 3, VEC4) "," A(
        48, 5121, 3, VEC4) "," A(60, 5126, 3,
                                 SCALAR) "],'images':[{'uri':'data:image/png;base64," PNG_1X1
                                         "'}],'textures'"
                                         ":[{'source':0}],'materials':[{'pbrMetallicRoughness':{'"
                                         "baseColorTexture':{'index':0}}}],"
                                         "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'"
                                         "JOINTS_0':1,'WEIGHTS_0':2},"
                                         "'material':0,'targets':[{'POSITION':0}]}]}],'skins':[{'"
                                         "joints':[1]}],'nodes':[{'mesh':0,"
                                         "'skin':0},{}],'animations':[{'samplers':[{'input':3,'"
                                         "output':0}],'channels':[{'sampler':0,"
                                         "'target':{'node':1,'path':'scale'}}]}]");
    for (uint64_t n = 1;; n++) {
        mrwi_base_alloc_fail_at(n);
        mrw_scene *s = try_load(json);
        if (mrwi_base_alloc_fail_pending()) {
            mrwi_base_alloc_fail_at(0);
            ck_assert_ptr_nonnull(s);
            ck_assert_uint_gt(n, 10);
            ck_assert_uint_eq(s->images[0].flags & MRW_IMAGE_MISSING, 0);
            mrw_scene_free(s);
            break;
        }
        ck_assert_msg(error.status == MRW_ERROR_MEMORY, "allocation %d: %s", (int)n, error.text);
    }
}
END_TEST

/* Makes a locale with a decimal comma current; false when this machine has none and can make none.
 */
static bool set_comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (setlocale(LC_ALL, names[i])) {
            return true;
        }
    }
    char command[PATH_MAX + 80];
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>/dev/null",
             test_folder());
    return system(command) == 0 && setenv("LOCPATH", test_folder(), 1) == 0 &&
           setlocale(LC_ALL, "de_DE.UTF-8");
}

/* cJSON reads numbers with strtod, which obeys the locale. */
START_TEST(test_comma_locale)
{
    if (set_comma_locale()) {
        ck_assert_str_eq(localeconv()->decimal_point, ",");
        mrw_scene *s = load("{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"translation\":[1.5,2,"
                            "-3e-1]}]}");
        setlocale(LC_ALL, "C");
        check_floats(s->nodes[0].rest.translation, (const double[]){1.5, 2, -0.3}, 3, 1e-7);
        mrw_scene_free(s);
    } else {
        SKIP("test_comma_locale: no such locale is installed");
    }
    remove_folder();
}
END_TEST

/* ---- the corpus ------------------------------------------------------------------------------ */

static bool is_gltf_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".gltf") == 0 || strcmp(dot, ".glb") == 0);
}

/* Loads all below a folder: fine, or refused, but nothing else. */
static void load_all(const char *root, int *loaded, int *refused)
{
    DIR *dir = opendir(root);
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", root, e->d_name);
        struct stat status;
        if (e->d_name[0] == '.' || stat(path, &status) != 0) {
            continue;
        }
        if (S_ISDIR(status.st_mode)) {
            load_all(path, loaded, refused);
        } else if (is_gltf_name(e->d_name)) {
            mrw_scene *s = NULL;
            mrw_error why;
            mrw_status got = mrw_load_file(path, NULL, &s, &why);
            ck_assert_msg(got == MRW_OK || got == MRW_ERROR_INPUT, "%s", path);
            *(got == MRW_OK ? loaded : refused) += 1;
            mrw_scene_free(s);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

START_TEST(test_corpus)
{
    static const char *const roots[] = {"../shared/models", "../shared/conformance"};
    for (size_t i = 0; i < 2; i++) {
        struct stat status;
        if (stat(roots[i], &status) != 0) {
            SKIP("test_corpus: there is no %s", roots[i]);
            continue;
        }
        int loaded = 0, refused = 0;
        load_all(roots[i], &loaded, &refused);
        ck_assert_int_gt(loaded, refused);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("load files");
    TCase *tc = tcase_create("load files");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, test_bad_files);
    tcase_add_test(tc, test_glb);
    tcase_add_test(tc, test_unpadded_chunks);
    tcase_add_test(tc, test_external_buffers);
    tcase_add_test(tc, test_open_by_components);
    tcase_add_test(tc, test_texture_search);
    tcase_add_test(tc, test_unused_textures);
    tcase_add_test(tc, test_uri);
    tcase_add_test(tc, test_bad_content);
    tcase_add_test(tc, test_joint_past_the_skin);
    tcase_add_test(tc, test_null_is_absent);
    tcase_add_test(tc, test_extensions_not_read);
    tcase_add_test(tc, test_bad_text);
    tcase_add_test(tc, test_demos);
    tcase_add_test(tc, images_of_a_short_buffer);
    tcase_add_test(tc, test_out_of_memory);
    tcase_add_test(tc, test_comma_locale);
    tcase_add_test(tc, test_corpus);
    suite_add_tcase(s, tc);
    return s;
}

TEST_MAIN(suite())
