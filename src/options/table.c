/* table.c: the one table of options. Everything else about options is read from it. */
#include "options/table.h"

#include <string.h>

#define ON(command) (1u << MRW_COMMAND_##command)
#define RENDER      ON(RENDER)
#define TEST        ON(TEST)
#define PICTURES    (ON(RENDER) | ON(DIFF))
#define POSING      (PICTURES | ON(BAKE))
#define READING     (POSING | ON(INFO) | ON(COMPILE) | ON(INIT))
#define DRAWING     (POSING | ON(INFO) | TEST)
#define REPORTING   (TEST | ON(DIFF) | ON(REPORT))
#define ANSWERING   (ON(RENDER) | ON(BAKE) | ON(INFO) | ON(DOCTOR) | ON(BENCH) | REPORTING)
#define WORKING     (READING | ON(DOCTOR) | REPORTING | ON(ACCEPT))
#define WRITING     (POSING | ON(COMPILE) | ON(INIT))
#define ALL         (WORKING | ON(BENCH) | ON(HELP))
/* What a new suite is worth setting up with. */
#define STARTING  ON(INIT)
#define AT(field) offsetof(mrw_settings, field)

/* Plain rows: long name, short name, argument, words for the default, help, group, commands, kind,
 * field. */
#define ROW(long_name, letter, value, preset, text, heading, owners, form, field)                  \
    ROW_WITH(long_name, letter, value, preset, text, heading, owners, form, field, .alias = NULL)
/* Rows that say more. */
#define ROW_WITH(long_name, letter, value, preset, text, heading, owners, form, field, ...)        \
    {                                                                                              \
        .shown.name = long_name, .shown.short_name = letter, .shown.argument = value,              \
        .shown.default_text = preset, .shown.help = text, .shown.group = MRW_OPTIONS_##heading,    \
        .shown.commands = owners, .kind = MRWI_OPTIONS_##form, .offset = AT(field), __VA_ARGS__    \
    }
#define RANGE(from, to) .least = (from), .most = (to)

/* clang-format off */
const mrwi_options_option mrwi_options[] = {
    ROW("output", 'o', "PATH", NULL,
        "a file, a template such as out/{clip}_{frame:04}.png, a folder/; - for stdout, but in "
        "bake",
        OUTPUT, WRITING, TEXT, output.path),
    ROW_WITH("sheet", 0, "COLUMNS", NULL,
        "lay all frames out in one contact sheet of so many columns",
        OUTPUT, RENDER, INTEGER, output.sheet, RANGE(1, 1000)),
    ROW("png", 0, "fast|best", "fast",
        "best: files a tenth or two smaller, for half a second of a CPU a picture of 1280x720",
        OUTPUT, RENDER, CHOICE, output.png),
    ROW("force", 0, NULL, NULL,
        "overwrite files even where no -o was given; test, accept: write goldens even when CI is "
        "set",
        OUTPUT, RENDER | ON(COMPILE) | ON(INIT) | TEST | ON(ACCEPT), FLAG, output.force),
    ROW("dry-run", 0, NULL, NULL, "list what would be written, write nothing",
        OUTPUT, RENDER | ON(ACCEPT), FLAG, output.dry_run),
    ROW("json", 0, NULL, NULL, "answer in JSON on stdout",
        OUTPUT, ANSWERING, FLAG, output.json),
    ROW("joints", 0, "FILE", NULL,
        "every joint's matrix, pixel, depth and whether it is hidden: a JSON line a time; - for "
        "stdout",
        OUTPUT, ON(BAKE), TEXT, output.joints),

    ROW("clip", 0, "NAME|INDEX|GLOB|all", "the first",
        "clip to play: name as info prints it, full name, index from 0, pattern; repeatable",
        ANIMATION, POSING | STARTING, TEXTS, animation.clips),
    ROW("anim", 0, "FILE", NULL,
        "add the clips of another file, whose joints are matched by name; repeatable",
        ANIMATION, READING, TEXTS, animation.anims),
    ROW("blend", 0, "CLIP:WEIGHT,...", NULL,
        "play the weighted mean of clips: Walk:0.7,Run:0.3",
        ANIMATION, POSING, BLEND, animation.blend),
    ROW("sync", 0, NULL, NULL,
        "blended clips start and end together, however long they are",
        ANIMATION, POSING, FLAG, animation.sync),
    ROW("layer", 0, "CLIP[@NODE]", NULL,
        "lay a clip over what plays, on that node and all below it; repeatable",
        ANIMATION, POSING, AT, animation.layers),
    ROW("additive", 0, NULL, NULL,
        "layers add what they change from their own first pose",
        ANIMATION, POSING, FLAG, animation.additive),
    ROW("together", 0, NULL, NULL,
        "play all clips of --clip at once; what a later one animates wins",
        ANIMATION, POSING, FLAG, animation.together),
    ROW("root-motion", 0, "keep|strip|loop", "keep",
        "strip: walk on the spot; loop: with --wrap loop walk on and on",
        ANIMATION, POSING, CHOICE, animation.root_motion),
    ROW("pose", 0, "clip|rest|bind", "clip",
        "rest: nodes as stored in the file; bind: joints where the mesh was bound",
        ANIMATION, POSING, CHOICE, animation.pose),
    ROW("frames", 0, "LIST", NULL,
        "frame numbers: 0-47x2,60,-1 (x: step; negative: from the end)",
        ANIMATION, POSING, FRAMES, animation.frames),
    ROW_WITH("times", 0, "LIST", NULL,
        "times in seconds from the clip's start: 0.5,1.25 (--time is the same)",
        ANIMATION, POSING, TIMES, animation.times, .alias = "time"),
    ROW_WITH("count", 0, "N", NULL, "N frames spread evenly over the clip",
        ANIMATION, POSING | STARTING, INTEGER, animation.count, RANGE(1, MRW_MAX_FRAMES)),
    ROW("fps", 0, "N|N/D|file", "30",
        "frames a second; 23.976, 29.97, 59.94 are exact; file: what the file's keys suggest",
        ANIMATION, POSING, RATE, animation.fps),
    ROW("loop", 0, NULL, NULL, "leave out the end frame that repeats the first",
        ANIMATION, POSING, FLAG, animation.loop),
    ROW("wrap", 0, "none|clamp|loop|pingpong", "none",
        "what lies outside the clip; none refuses such frames and clamps times",
        ANIMATION, POSING, CHOICE, animation.wrap),

    ROW("size", 0, "WxH|N", "512x512", "size of the picture in pixels, up to 16384 a side",
        PICTURE, POSING | STARTING, SIZE, picture.width),
    ROW("aa", 0, "1|2|4|8", "4", "samples a pixel",
        PICTURE, PICTURES | STARTING, SAMPLES, picture.samples),
    ROW("shading", 0, "lit|lambert|unlit", "lit",
        "lit: key, fill and rim light; lambert: one light; unlit: raw texture bytes",
        PICTURE, PICTURES | STARTING, CHOICE, picture.shading),
    ROW("filter", 0, "nearest|bilinear|trilinear", "trilinear", "how textures are read",
        PICTURE, PICTURES, CHOICE, picture.filter),
    ROW("background", 0, "COLOR|none", "#e6e8eb",
        "#rgb, #rrggbb or a name; none writes RGBA with a clear background",
        PICTURE, PICTURES, COLOR, picture.background),

    ROW("fit", 0, "clip|frame|rest|all", "clip, a still: frame",
        "what the camera frames: the whole clip, each frame, the rest pose, all clips",
        CAMERA, POSING | STARTING, CHOICE, camera.fit),
    ROW_WITH("margin", 0, "SHARE", "0.05", "free border, as a share of the smaller side",
        CAMERA, POSING, FLOAT, camera.view.margin, RANGE(0, 0.45)),
    ROW_WITH("azimuth", 0, "DEGREES", "30",
        "0 sees the front; positive turns counter-clockwise from above",
        CAMERA, POSING | STARTING, FLOAT, camera.view.azimuth_degrees, RANGE(-36000, 36000)),
    ROW_WITH("elevation", 0, "DEGREES", "15", "90 looks straight down",
        CAMERA, POSING | STARTING, FLOAT, camera.view.elevation_degrees, RANGE(-90, 90)),
    ROW_WITH("eye", 0, "X,Y,Z", NULL, "place the camera there instead of framing the model",
        CAMERA, POSING, VECTOR, camera.view.eye,
        .marks = AT(camera.view.has_eye)),
    ROW_WITH("target", 0, "X,Y,Z", "the model's centre", "what the camera looks at",
        CAMERA, POSING, VECTOR, camera.view.target,
        .marks = AT(camera.view.has_target)),
    ROW("up", 0, "X,Y,Z", "0,1,0", "which way is up in the picture",
        CAMERA, POSING, VECTOR, camera.view.up),
    ROW_WITH("fov", 0, "DEGREES", "35", "full vertical angle of view",
        CAMERA, POSING, FLOAT, camera.view.fov_degrees, RANGE(1, 170)),
    ROW("ortho", 0, NULL, NULL, "parallel projection",
        CAMERA, POSING, FLAG, camera.view.orthographic),
    ROW_WITH("near", 0, "DISTANCE", "from the model", "nearest distance that is drawn",
        CAMERA, POSING, FLOAT, camera.view.near_plane, RANGE(1e-6, 1e9)),
    ROW_WITH("far", 0, "DISTANCE", "from the model", "farthest distance that is drawn",
        CAMERA, POSING, FLOAT, camera.view.far_plane, RANGE(1e-6, 1e9)),
    ROW("camera", 0, "NAME|INDEX", NULL, "a camera of the file, with its animation",
        CAMERA, POSING, TEXT, camera.name),
    ROW("follow", 0, "NODE", NULL,
        "move the camera with a node, which stays at one point of the picture",
        CAMERA, POSING, TEXT, camera.follow),

    ROW("translate", 0, "X,Y,Z", "0,0,0", "move the model",
        MODEL, POSING, VECTOR, model.translate),
    ROW("rotate", 0, "X,Y,Z", "0,0,0", "turn the model: degrees about X, then Y, then Z",
        MODEL, POSING, VECTOR, model.rotate),
    ROW("scale", 0, "S|X,Y,Z", "1", "scale the model",
        MODEL, POSING, SCALE, model.scale),
    ROW("skinning", 0, "linear|dual-quaternion", "linear",
        "dual-quaternion: joints that twist and bend keep their volume",
        MODEL, POSING, CHOICE, model.skinning),
    ROW_WITH("max-influences", 0, "N", "all of them",
        "keep the strongest N joint weights of each vertex",
        MODEL, POSING, INTEGER, model.max_influences, RANGE(1, 65535)),
    ROW("add", 0, "MODEL[@NODE]", NULL,
        "draw another model too, fixed to a node of the first one or free; repeatable",
        MODEL, POSING, AT, model.added),
    ROW("texture-dir", 0, "DIR", NULL, "also look for textures there; repeatable",
        MODEL, READING, TEXTS, model.texture_dirs),

    ROW("match", 'k', "GLOB", NULL, "only cases whose name (CASE or SUITE/CASE) matches",
        CASES, TEST, TEXT, cases.match),
    ROW("tag", 0, "TAG", NULL, "only cases with this tag",
        CASES, TEST, TEXT, cases.tag),
    ROW("last-failed", 0, NULL, NULL, "only cases that failed in the last run",
        CASES, TEST, FLAG, cases.last_failed),
    ROW("list", 0, NULL, NULL, "list the cases (bench: the rows) that would run, run nothing",
        CASES, TEST | ON(BENCH), FLAG, cases.list),
    ROW("fail-fast", 0, NULL, NULL, "start no case after one has failed",
        CASES, TEST, FLAG, cases.fail_fast),
    ROW_WITH("repeat", 0, "N", "1", "run each case N times; runs that differ are a failure",
        CASES, TEST, INTEGER, cases.repeat, RANGE(1, 1000)),
    ROW("against", 0, "MARROW", NULL,
        "compare with what another marrow draws, instead of with the goldens",
        CASES, TEST, TEXT, cases.against),

    ROW_WITH("update", 0, "missing|changed|all", NULL,
        "write goldens: missing ones; missing and changed ones, as without a value; all",
        GOLDENS, TEST, MAYBE, goldens.update, .shown.optional = true, .least = 2),
    ROW("from", 0, "DIR", NULL, "a results folder, such as one that CI has kept",
        GOLDENS, ON(ACCEPT), TEXT, goldens.from),
    ROW("allow-blank", 0, NULL, NULL,
        "also take pictures that are blank, one colour or cut by every border",
        GOLDENS, TEST | ON(ACCEPT), FLAG, goldens.allow_blank),
    ROW("prune", 0, NULL, NULL, "remove goldens that no case uses",
        GOLDENS, TEST, FLAG, goldens.prune),

    ROW("compare", 0, "exact|pixel|perceptual", "exact",
        "pixel: few pixels differ by much; perceptual: little is seen to differ (FLIP)",
        COMPARE, ON(DIFF), CHOICE, compare.pictures.mode),
    ROW_WITH("max-delta", 0, "N", "0", "pixel: by how much a channel may differ, up to 255",
        COMPARE, ON(DIFF), INTEGER, compare.pictures.max_delta, RANGE(0, 255)),
    ROW_WITH("max-pixels", 0, "N", "0", "pixel: how many pixels may differ by more",
        COMPARE, ON(DIFF), AMOUNT, compare.pictures.max_pixels, RANGE(0, 1e9)),
    ROW_WITH("max-ratio", 0, "SHARE", "0", "pixel: or which share of what is drawn, 0 to 1",
        COMPARE, ON(DIFF), NUMBER, compare.pictures.max_ratio, RANGE(0, 1)),
    ROW_WITH("max-flip", 0, "SHARE", "0.05",
        "perceptual: the largest mean error; a pixel may have 10 times as much",
        COMPARE, ON(DIFF), NUMBER, compare.pictures.max_flip, RANGE(0, 1)),
    ROW("ignore-antialiasing", 0, NULL, NULL,
        "pixel: leave out anti-aliased edges, as other programs draw them",
        COMPARE, ON(DIFF), FLAG, compare.pictures.ignore_antialiasing),
    ROW("mask", 0, "MASK", NULL,
        "leave out rect:X,Y,WIDTH,HEIGHT, image:FILE.png (what is not black) or node:NAME; "
        "repeatable",
        COMPARE, ON(DIFF), MASKS, compare.masks),
    ROW_WITH("max-degrees", 0, "DEGREES", "0", "by how much joints may be turned",
        COMPARE, ON(DIFF), NUMBER, compare.max_degrees, RANGE(0, 180)),
    ROW_WITH("max-distance", 0, "DISTANCE", "0",
        "by how much joints and bounds may be moved, metres",
        COMPARE, ON(DIFF), NUMBER, compare.max_distance, RANGE(0, 1e9)),

    ROW("report", 0, "DIR", NULL, "write a report to look at: DIR/index.html and its pictures",
        REPORTS, REPORTING, TEXT, reports.folder),
    ROW("report-inline", 0, "FILE", NULL, "write the failures as one page, pictures inside",
        REPORTS, REPORTING, TEXT, reports.page),
    ROW("junit", 0, "FILE", NULL, "write a JUnit file",
        REPORTS, REPORTING, TEXT, reports.junit),
    ROW("tap", 0, NULL, NULL, "answer in TAP (version 13) on stdout",
        REPORTS, REPORTING, FLAG, reports.tap),
    ROW("out", 0, "DIR", "results/ beside each suite",
        "folder for what was drawn, what differs, and results.json",
        REPORTS, TEST, TEXT, reports.results),

    ROW("allow-format", 0, "LIST|all", NULL,
        "also read formats whose importers crash more often: md5, x, ogre, mdl",
        FILES, READING, TEXT, files.formats),
    ROW("input-format", 0, "FORMAT", "as the file tells",
        "read every model as this: gltf, fbx, collada, obj, ...",
        FILES, READING, TEXT, files.input_format),
    ROW("scene", 0, "NAME|INDEX", "the file's own", "the scene of a glTF file to draw",
        FILES, READING, TEXT, files.scene),
    ROW("asset-root", 0, "DIR", "the model's folder",
        "folder that the paths in a model may lead to",
        FILES, READING, TEXT, files.asset_root),
    ROW_WITH("max-file-size", 0, "BYTES", "2G",
        "refuse larger files; sizes as 512M, 2G",
        FILES, READING, BYTES, files.max_file_size, RANGE(1, 1e15)),
    ROW_WITH("max-texture-size", 0, "PIXELS|WxH", "16384x16384",
        "refuse larger textures; all together may have twice as many",
        FILES, READING, PIXELS, files.max_texture_size, RANGE(1, 1e15)),
    ROW_WITH("texture-memory", 0, "BYTES", "1G",
        "bytes that the textures of all models together may take, mip levels included; others are "
        "checkers",
        FILES, READING, BYTES, files.texture_memory, RANGE(1, 1e15)),
    ROW_WITH("max-vertices", 0, "N", "20M", "refuse models with more; numbers as 500k, 20M",
        FILES, READING, AMOUNT, files.max_vertices, RANGE(1, 4e9)),
    ROW_WITH("max-joints", 0, "N", "65535", "refuse models with more joints in all skins",
        FILES, READING, AMOUNT, files.max_joints, RANGE(1, 4e9)),
    ROW_WITH("max-keys", 0, "N", "50M", "refuse models with more animation keys",
        FILES, READING, AMOUNT, files.max_keys, RANGE(1, 4e9)),
    ROW_WITH("import-seconds", 0, "SECONDS", "10", "stop an import that takes longer",
        FILES, READING, NUMBER, files.import_seconds, RANGE(0.01, 86400)),
    ROW_WITH("import-memory", 0, "BYTES", "2G", "stop an import that takes more memory",
        FILES, READING, BYTES, files.import_memory, RANGE(67108864, 1e15)),
    ROW("fbx-curves", 0, NULL, NULL,
        "FBX: follow steps and tangents between keys as Maya does, not straight lines",
        FILES, READING, FLAG, files.fbx_curves),
    ROW("no-sandbox", 0, NULL, NULL,
        "import in this process: only for files you trust, where no helper can run",
        FILES, READING, FLAG, files.no_sandbox),

    ROW("shard", 0, "I/N", NULL, "do part I (from 1) of N: of all frames, of all cases",
        RUN, RENDER | TEST, SHARD, run.shard_index),
    ROW_WITH("jobs", 'j', "N", "all CPUs granted",
        "how many threads work; granted: by affinity and cgroup quota; OMP_NUM_THREADS is not read",
        RUN, DRAWING, INTEGER, run.threads, RANGE(1, 1024)),
    ROW("isa", 0, "auto|scalar|sse2|avx2|avx512|neon", "auto",
        "instruction set of the kernels; all give the same bits",
        RUN, POSING | TEST | ON(BENCH), ISA, run.isa),
    ROW("quick", 0, NULL, NULL, "run each row a few times only: rough figures in seconds",
        RUN, ON(BENCH), FLAG, run.quick),
    ROW("strict", 0, NULL, NULL, "end with status 5 when there were warnings",
        RUN, READING | TEST, FLAG, run.strict),
    ROW("quiet", 'q', NULL, NULL, "say nothing but errors",
        RUN, WORKING, FLAG, run.quiet),
    ROW("verbose", 'v', NULL, NULL, "say more: kernels, threads, scene hashes, every file",
        RUN, WORKING, FLAG, run.verbose),
    ROW("help", 'h', NULL, NULL, "show this help", RUN, ALL, FLAG, run.help),
    ROW("version", 0, NULL, NULL, "show the version and the pixel version",
        RUN, ALL, FLAG, run.version),
};
/* clang-format on */

const size_t mrwi_options_option_count = sizeof mrwi_options / sizeof *mrwi_options;

_Static_assert(sizeof mrwi_options / sizeof *mrwi_options <= MRWI_OPTIONS_MOST_OPTIONS,
               "mrw_settings.given has a bit a row");

size_t mrw_option_count(void)
{
    return mrwi_options_option_count;
}

const mrw_option *mrw_option_at(size_t index)
{
    return &mrwi_options[index].shown;
}

const char *mrw_option_group_title(mrw_option_group group)
{
    static const char *const titles[MRW_OPTIONS_GROUP_COUNT] = {
        "Output",  "Animation", "Picture", "Camera",        "Model",  "Cases",
        "Goldens", "Comparing", "Reports", "Reading files", "Running"};
    return titles[group];
}

static bool same_name(const char *name, const char *text, size_t length)
{
    return name && strlen(name) == length && memcmp(name, text, length) == 0;
}

const mrwi_options_option *mrwi_options_option_find(const char *name, size_t length)
{
    for (size_t i = 0; i < mrwi_options_option_count; i++) {
        if (same_name(mrwi_options[i].shown.name, name, length) ||
            same_name(mrwi_options[i].alias, name, length)) {
            return &mrwi_options[i];
        }
    }
    return NULL;
}

const mrwi_options_option *mrwi_options_option_find_short(char name)
{
    for (size_t i = 0; i < mrwi_options_option_count; i++) {
        if (name != '\0' && mrwi_options[i].shown.short_name == name) {
            return &mrwi_options[i];
        }
    }
    return NULL;
}
