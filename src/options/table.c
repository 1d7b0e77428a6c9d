/* table.c: the one table of options. Everything else about options is read from it. */
#include "options/table.h"

#include <string.h>

/* Names of commands, a space behind each, so that lists can stand one behind another. */
#define POSING    "render sheet bake pick diff "
#define PICTURES  "render sheet diff view "
#define SHOWING   POSING "view "
#define READING   SHOWING "info compile init "
#define DRAWING   SHOWING "info test "
#define REPORTING "test diff report "
#define ANSWERING "render sheet bake pick info doctor bench " REPORTING
#define WORKING   READING "doctor accept test report "
#define WRITING   "render sheet bake diff view compile init "
#define ALL       WORKING "bench version help "

#define AT(field) offsetof(mrw_settings, field)

/* Plain rows: long name, short name, argument, help, group, commands, kind, field. */
#define ROW(long_name, letter, value, text, heading, owners, form, field)                          \
    ROW_WITH(long_name, letter, value, text, heading, owners, form, field, .shown.alias = NULL)
/* Rows that say more. */
#define ROW_WITH(long_name, letter, value, text, heading, owners, form, field, ...)                \
    {                                                                                              \
        .shown.name = long_name, .shown.short_name = letter, .shown.argument = value,              \
        .shown.help = text, .shown.group = MRW_OPTIONS_##heading, .shown.commands = owners,        \
        .dashed = "--" long_name, .kind = MRWI_OPTIONS_##form, .offset = AT(field), __VA_ARGS__    \
    }
#define RANGE(from, to) .least = (from), .most = (to)
/* What only has a say in joints, of which bake has none without --joints. */
#define OF_JOINTS .needs_for = "bake", .needs = "joints"

#define LOADS         .roles = MRWI_OPTIONS_LOADS
#define SEQUENCE      .roles = MRWI_OPTIONS_SEQUENCE
#define PART_SEQUENCE .roles = MRWI_OPTIONS_SEQUENCE | MRWI_OPTIONS_PART

#define NO_KEY .no_key = "it belongs on the command line"

/* clang-format off */
/* Where lights shine pixel by pixel. */
#define LIT_MODES                                                                                  \
    "shading=lit shading=flat shading=clay shading=lambert shading=phong shading=toon shading=wire"

const mrwi_options_option mrwi_options[] = {
    ROW_WITH("output", 'o', "PATH",
        "a file, a template such as out/{clip}_{frame:04}.png, a folder/; - for stdout, but in "
        "bake",
        OUTPUT, WRITING, TEXT, output.path,
        .no_key = "the pictures of a case have names of their own"),
    ROW_WITH("sheet", 0, "COLUMNS", "lay all frames out in one contact sheet of so many columns",
        OUTPUT, "render sheet ", INTEGER, output.sheet, RANGE(1, 1000), SEQUENCE,
        .shown.alias = "columns",
        .no_key = "frames are compared one by one"),
    ROW_WITH("labels", 0, NULL, "write into a sheet what its pictures show: clips, views, times",
        OUTPUT, "render ", FLAG, output.labels, .needs = "sheet",
        .excludes = "atlas extrude bleed trim page-size power-of-two", NO_KEY),
    ROW_WITH("atlas", 0, "FILE.json",
        "make a sprite sheet: frames packed, or in --sheet's columns; this says what lies where",
        OUTPUT, "render ", TEXT, output.atlas, SEQUENCE,
        .no_key = "frames are compared one by one"),
    ROW_WITH("pivot", 0, "NODE", "a joint, or another node: where it is is each frame's pivot",
        OUTPUT, "render ", TEXT, output.pivot, .needs = "atlas", NO_KEY),
    ROW_WITH("atlas-numbers", 0, NULL,
        "call frames 0, 1 ... in the JSON, as Phaser's reader of Aseprite's files wants them",
        OUTPUT, "render ", FLAG, output.atlas_numbers, .needs = "atlas", NO_KEY),
    ROW_WITH("gap", 0, "N", "pixels between the pictures of a sheet, and around them",
        OUTPUT, "render ", INTEGER, output.gap, RANGE(0, 1024), .needs = "sheet atlas", NO_KEY),
    ROW_WITH("extrude", 0, "N", "repeat edges of sprites N times into the gap, at most half way",
        OUTPUT, "render ", INTEGER, output.extrude, RANGE(0, 512), .needs = "sheet atlas", NO_KEY),
    ROW_WITH("bleed", 0, NULL, "clear pixels of sprites take the colour of the nearest seen one",
        OUTPUT, "render ", FLAG, output.bleed, .needs = "sheet atlas", NO_KEY),
    ROW_WITH("trim", 0, "frame|clip|all",
        "cut clear borders off sprites: of each, or what is clear in a whole clip, in all",
        OUTPUT, "render ", MAYBE, output.trim, .needs = "sheet atlas", NO_KEY),
    ROW_WITH("page-size", 0, "N",
        "longest side of a sprite sheet; what does not fit goes to more, by {page} in its names",
        OUTPUT, "render ", INTEGER, output.page_size, RANGE(1, 16384), .needs = "sheet atlas",
        NO_KEY),
    ROW_WITH("power-of-two", 0, NULL, "make the sides of sprite sheets powers of two",
        OUTPUT, "render ", FLAG, output.power_of_two, .needs = "sheet atlas", NO_KEY),
    ROW_WITH("stream", 0, "png|y4m|rgba",
        "with -o -: all frames, one after another; y4m: 4:4:4, BT.709, limited range, exact rate",
        OUTPUT, "render ", MAYBE, output.stream, SEQUENCE, .excludes = "sheet atlas shard aov",
        .no_key = "frames are compared one by one"),
    ROW("png", 0, "fast|best",
        "best: files a tenth or two smaller, for half a second of a CPU a picture of 1280x720",
        OUTPUT, "render sheet ", CHOICE, output.png),
    ROW_WITH("quality", 0, "N", "of .webp and .jpg: 1 (small) ... 100 (good)",
        OUTPUT, "render ", INTEGER, output.quality, RANGE(1, 100),
        .words = "lossless; of .jpg 92", NO_KEY),
    ROW_WITH("matte", 0, "COLOR",
        "what lies below a .jpg, and half-clear pixels of a .gif: its own are opaque, or clear",
        OUTPUT, "render ", MATTE, output.matte, NO_KEY),
    ROW_WITH("dither", 0, NULL, "a .gif of over 255 colours makes patterns of those it has",
        OUTPUT, "render ", FLAG, output.dither, NO_KEY),
    ROW_WITH("aov", 0, "LIST",
        "what is known of pixels: depth,normal,id,... (marrow help aov), by {aov} in -o or in one "
        ".exr",
        OUTPUT, "render ", PASSES, passes,
        .no_key = "a case compares pictures: with shading = normal, say, what a pass holds"),
    ROW_WITH("aov-view", 0, NULL, "write passes as pictures to look at: PNGs of 8 bits",
        OUTPUT, "render ", FLAG, passes.view, .needs = "aov", NO_KEY),
    ROW_WITH("force", 0, NULL,
        "overwrite files even where no -o was given; test, accept: write goldens even when CI is "
        "set",
        OUTPUT, "render sheet compile init test accept ", FLAG, output.force,
        .needs_for = "test", .needs = "update prune", NO_KEY),
    ROW_WITH("dry-run", 0, NULL, "list what would be written, write nothing",
        OUTPUT, "render sheet accept ", FLAG, output.dry_run, NO_KEY),
    ROW_WITH("json", 0, "FILE",
        "answer in JSON, errors and warnings too: a value a line, on stdout without FILE",
        OUTPUT, ANSWERING, TEXT, output.json, .shown.optional = true, .excludes = "tap", NO_KEY),
    ROW("joints", 0, "FILE",
        "every joint's matrices, pixel, depth and whether it is hidden: a JSON line a time; - for "
        "stdout",
        OUTPUT, "bake ", TEXT, output.joints),

    ROW_WITH("joints-format", 0, "lines|coco",
        "coco: key points, boxes and masks of all pictures as one document of the COCO data set",
        OUTPUT, "bake ", CHOICE, output.joints_format, .needs = "joints"),
    ROW_WITH("images", 0, "TEMPLATE", "what the pictures are called in that document: -o of render",
        OUTPUT, "bake ", TEXT, output.images, .words = "as render calls them without -o",
        .needs = "joints-format=coco"),
    ROW("at", 0, "X,Y", "the pixel to look at, counted from the top left, from 0,0; repeatable",
        PICTURE, "pick ", POINTS, output.pixels),

    ROW("record", 0, "FILE", "keep the events of the window, for --play",
        OUTPUT, "view ", TEXT, viewing.record),
    ROW_WITH("play", 0, "FILE",
        "play the events of a file without a window; pictures they expect are compared, or with "
        "-o written",
        OUTPUT, "view ", TEXT, viewing.play, .excludes = "record exit-after"),
    ROW_WITH("exit-after", 0, "N", "leave the window after N pictures",
        OUTPUT, "view ", INTEGER, viewing.exit_after, RANGE(1, 1e9)),

    ROW_WITH("clip", 0, "NAME|INDEX|GLOB|all",
        "clip to play: name as info prints it, full name, index from 0, pattern; repeatable",
        ANIMATION, SHOWING "init ", TEXTS, animation.clips, .words = "the first"),
    ROW_WITH("anim", 0, "FILE",
        "add the clips of another file, whose joints are matched by name; repeatable",
        ANIMATION, READING, TEXTS, animation.anims, .is_path = true, LOADS),
    ROW_WITH("retarget", 0, "auto|off",
        "clips of --anim whose rig rests otherwise: suit them to the model, or play keys as filed",
        ANIMATION, READING, CHOICE, animation.retarget, LOADS),
    ROW_WITH("blend", 0, "CLIP:WEIGHT,...", "play the weighted mean of clips: Walk:0.7,Run:0.3",
        ANIMATION, SHOWING, BLEND, animation.blend, .excludes = "clip together"),
    ROW_WITH("sync", 0, NULL, "blended clips start and end together, however long they are",
        ANIMATION, SHOWING, FLAG, animation.sync, .needs = "blend"),
    ROW("layer", 0, "CLIP[@NODE]",
        "lay a clip over what plays, on that node and all below it; repeatable",
        ANIMATION, SHOWING, AT, animation.layers),
    ROW_WITH("additive", 0, NULL, "layers add what they change from their own first pose",
        ANIMATION, SHOWING, FLAG, animation.additive, .needs = "layer"),
    ROW_WITH("together", 0, NULL,
        "play all clips of --clip at once; what a later one animates wins",
        ANIMATION, SHOWING, FLAG, animation.together, .needs = "clip"),
    ROW_WITH("root-motion", 0, "keep|strip|loop",
        "strip: walk on the spot; loop: with --wrap loop walk on and on",
        ANIMATION, SHOWING, CHOICE, animation.root_motion, .needs = "wrap=loop", .when = "loop"),
    ROW_WITH("pose", 0, "clip|rest|bind",
        "rest: nodes as stored in the file; bind: joints where the mesh was bound",
        ANIMATION, SHOWING, CHOICE, animation.pose, .when = "rest bind",
        .excludes = "clip frames times count fps speed loop wrap blend sync layer additive "
                    "together root-motion"),
    ROW_WITH("frames", 0, "LIST", "frame numbers: 0-47x2,60,-1 (x: step; negative: from the end)",
        ANIMATION, SHOWING, FRAMES, animation.frames, .excludes = "times count", PART_SEQUENCE),
    ROW_WITH("times", 0, "LIST",
        "times from the clip's start, in seconds or parts of it: 0.5,25%,1.25 (--time is the "
        "same)",
        ANIMATION, SHOWING, TIMES, animation.times, .shown.alias = "time", .excludes = "count",
        PART_SEQUENCE),
    ROW_WITH("count", 0, "N", "N frames spread evenly over the clip",
        ANIMATION, POSING "init ", INTEGER, animation.count, RANGE(1, MRW_MAX_FRAMES),
        PART_SEQUENCE),
    ROW_WITH("fps", 0, "N|N/D|file",
        "frames a second; 23.976, 29.97, 59.94 are exact; file: what the file's keys suggest",
        ANIMATION, SHOWING, RATE, animation.fps, SEQUENCE),
    ROW_WITH("speed", 0, "X",
        "how fast the clip plays: 2, 0.5, 1/3; below 0 backwards, from its end: -1",
        ANIMATION, POSING, SPEED, animation.speed, .excludes = "times", SEQUENCE),
    ROW_WITH("loop", 0, NULL, "leave out the end frame that repeats the first",
        ANIMATION, POSING, FLAG, animation.loop, .excludes = "frames times", SEQUENCE),
    ROW("wrap", 0, "none|clamp|loop|pingpong|file",
        "what lies outside the clip; none refuses such frames, clamps times; file: as it says",
        ANIMATION, SHOWING, CHOICE, animation.wrap),

    ROW_WITH("size", 0, "WxH|N", "size of the picture in pixels, up to 16384 a side",
        PICTURE, SHOWING "init ", SIZE, picture.width, OF_JOINTS),
    ROW("aa", 0, "1|2|4|8", "samples a pixel",
        PICTURE, PICTURES "init ", SAMPLES, picture.samples),
    ROW_WITH("bits", 0, "8|16", "bits a channel of .png and .pam",
        OUTPUT, "render ", SAMPLES, picture.bits, .excludes = "sheet atlas", NO_KEY),
    ROW_WITH("shading", 0, "lit|flat|clay|lambert|phong|gouraud|toon|matcap:FILE|wire|unlit|raw|"
        "normal|uv|depth|joint|influences|weights:JOINT|channel:NAME",
        "how surfaces are shown; raw: stored bytes (marrow help shading tells all)",
        PICTURE, PICTURES "init ", CHOICE, picture.shading, .rest = AT(shading_argument),
        .rest_paths = "matcap"),
    ROW("filter", 0, "nearest|bilinear|trilinear|aniso",
        "how textures are read; trilinear: or as a file's samplers ask; aniso: sharp at grazing "
        "angles, too",
        PICTURE, PICTURES "pick ", CHOICE, picture.filter),
    ROW_WITH("light", 0, "LIGHT[@SPACE]",
        "what shines in place of the default rig (marrow help lights): spot:pos=... or none; "
        "repeatable",
        PICTURE, PICTURES, LIGHTS, lights, .words = "the rig, or the file's lights"),
    ROW("file-lights", 0, "on|off", "whether the lights of files shine",
        PICTURE, PICTURES, SWITCH, picture.file_lights),
    ROW_WITH("exposure", 0, "E", "a factor on all light of the picture: 2 is a stop brighter",
        PICTURE, PICTURES, FLOAT, picture.exposure, RANGE(0, 1e6),
        .needs = "shading=lit shading=flat shading=clay shading=lambert shading=phong "
                 "shading=gouraud shading=toon shading=matcap"),
    ROW_WITH("tonemap", 0, "none|aces|neutral",
        "how light becomes colours; none cuts off what is too bright; neutral: Khronos PBR Neutral",
        PICTURE, PICTURES, CHOICE, picture.tonemap,
        .needs = "shading=lit shading=flat shading=clay shading=toon shading=matcap"),
    ROW("light-frame", 0, "camera|world",
        "what the rig and the studio are fixed to; world: as for a camera at azimuth 0",
        PICTURE, PICTURES, CHOICE, picture.light_frame),
    ROW_WITH("env", 0, "FILE.hdr|studio|none",
        "light from all around, whatever the lights: a Radiance file, or the soft boxes that go "
        "with the rig",
        PICTURE, PICTURES, TEXT, environment, .words = "the studio, where the rig shines",
        .is_path = true, .no_paths = "studio none"),
    ROW_WITH("env-rotate", 0, "DEGREES",
        "turn the environment about Y; positive is counter-clockwise seen from above",
        PICTURE, PICTURES, FLOAT, picture.environment_degrees, RANGE(-36000, 36000)),
    ROW_WITH("env-intensity", 0, "FACTOR", "how strong the environment is",
        PICTURE, PICTURES, FLOAT, picture.environment_intensity, RANGE(0, 1e6)),
    ROW("env-compensation", 0, "on|off",
        "give back what rough metals lose of the environment between their facets",
        PICTURE, PICTURES, SWITCH, picture.environment_compensation),
    ROW_WITH("env-background", 0, NULL,
        "show the environment behind the model, as lit pixels are shown, in place of --background",
        PICTURE, PICTURES, FLAG, picture.environment_background, .needs = "shading=lit",
        .excludes = "background"),
    ROW_WITH("shadows", 0, NULL,
        "lights cast shadows (of the default rig the key); 4 ms a light and picture",
        PICTURE, PICTURES, FLAG, picture.shadows, .needs = LIT_MODES),
    ROW_WITH("shadow-size", 0, "PIXELS",
        "sides of a light's shadow map; of a lamp that shines all around six of half the size",
        PICTURE, PICTURES, INTEGER, picture.shadow_size,
        RANGE(MRW_SHADOW_MIN_SIZE, MRW_SHADOW_MAX_SIZE), .needs = "shadows ground"),
    ROW_WITH("shadow-softness", 0, "TEXELS", "how far the borders of shadows spread in the map",
        PICTURE, PICTURES, FLOAT, picture.shadow_softness, RANGE(0, MRW_SHADOW_MAX_SOFTNESS),
        .needs = "shadows ground"),
    ROW_WITH("ground", 0, "COLOR",
        "shadows on a plane at the model's lowest point, matt where a colour is given; turns "
        "--shadows on",
        PICTURE, PICTURES, GROUND, picture.ground, .shown.optional = true, .needs = LIT_MODES),
    ROW_WITH("ao", 0, NULL,
        "ambient occlusion: less light from all around comes to where other surfaces are near",
        PICTURE, PICTURES, FLAG, picture.occlusion, .needs = LIT_MODES),
    ROW_WITH("ao-radius", 0, "SHARE",
        "how near, as a share of the longest side of the box of what is framed",
        PICTURE, PICTURES, FLOAT, picture.occlusion_radius, RANGE(1e-4, 10), .needs = "ao"),
    ROW_WITH("ao-strength", 0, "FACTOR", "how much is taken away: 1 is what the surfaces hide",
        PICTURE, PICTURES, FLOAT, picture.occlusion_strength, RANGE(0, 10), .needs = "ao"),
    ROW("background", 0, "COLOR|none",
        "what lies behind: #rgb, #rrggbb or a name; none writes RGBA with a clear background",
        PICTURE, PICTURES, COLOR, picture.background),
    ROW_WITH("overlay", 0, "NAME,...",
        "draw over it: skeleton, names, wire, bounds, axes, grid, normals, label, frustum; or none",
        PICTURE, PICTURES, OVERLAYS, picture.overlays, .has_commas = true),
    ROW_WITH("overlay-depth", 0, NULL,
        "the model hides overlays but text where it is nearer; the grid always, unless left out",
        PICTURE, PICTURES, FLAG, picture.overlay_depth, .needs = "overlay"),
    ROW_WITH("overlay-alone", 0, NULL,
        "leave out model, ground and shadows; with --overlay-depth it still hides what is behind",
        PICTURE, PICTURES, FLAG, picture.overlay_alone, .needs = "overlay", .excludes = "aov"),

    ROW_WITH("fit", 0, "clip|frame|rest|all",
        "what the camera frames: the whole clip, each frame, the rest pose, all clips",
        CAMERA, SHOWING "init ", CHOICE, camera.fit, .words = "clip, a still: frame", OF_JOINTS),
    ROW_WITH("margin", 0, "SHARE", "free border, as a share of the smaller side",
        CAMERA, SHOWING, FLOAT, camera.view.margin, RANGE(0, 0.45), OF_JOINTS),
    ROW_WITH("azimuth", 0, "DEGREES,...|auto",
        "camera's turn: 0 sees +Z, counter-clockwise from above; auto: 30 beside the front; "
        "several: views",
        CAMERA, SHOWING "init ", AZIMUTH, camera.view.azimuth_degrees, RANGE(-36000, 36000),
        .words = "auto", OF_JOINTS),
    ROW_WITH("elevation", 0, "DEGREES,...",
        "height of the camera: 90 looks straight down; render: several are views",
        CAMERA, SHOWING "init ", ELEVATION, camera.view.elevation_degrees, RANGE(-90, 90),
        OF_JOINTS),
    ROW_WITH("eye", 0, "X,Y,Z", "place the camera there instead of framing the model",
        CAMERA, SHOWING, VECTOR, camera.view.eye, .marks = AT(camera.view.has_eye),
        .excludes = "azimuth elevation fit margin", OF_JOINTS),
    ROW_WITH("target", 0, "X,Y,Z", "what the camera looks at",
        CAMERA, SHOWING, VECTOR, camera.view.target, .marks = AT(camera.view.has_target),
        .words = "the model's centre", OF_JOINTS),
    ROW_WITH("up", 0, "X,Y,Z", "which way is up in the picture",
        CAMERA, SHOWING, VECTOR, camera.view.up, OF_JOINTS),
    ROW_WITH("fov", 0, "DEGREES", "full vertical angle of view",
        CAMERA, SHOWING, FLOAT, camera.view.fov_degrees, RANGE(1, 170), OF_JOINTS),
    ROW_WITH("ortho", 0, NULL, "parallel projection",
        CAMERA, SHOWING, FLAG, camera.view.orthographic, .excludes = "fov", OF_JOINTS),
    ROW_WITH("view-height", 0, "LENGTH",
        "height of what a parallel projection shows, in units of the world",
        CAMERA, SHOWING, FLOAT, camera.view.height, RANGE(1e-6, 1e9), .needs = "ortho",
        .words = "from the model"),
    ROW_WITH("near", 0, "DISTANCE", "nearest distance that is drawn",
        CAMERA, SHOWING, FLOAT, camera.view.near_plane, RANGE(1e-6, 1e9), .words = "from the model",
        OF_JOINTS),
    ROW_WITH("far", 0, "DISTANCE", "farthest distance that is drawn",
        CAMERA, SHOWING, FLOAT, camera.view.far_plane, RANGE(1e-6, 1e9), .words = "from the model",
        OF_JOINTS),
    ROW_WITH("views", 0, "LIST",
        "draw each time from each: front left right back top bottom iso or AZIMUTH/ELEVATION: "
        "front,30/15",
        CAMERA, "render sheet ", VIEWS, camera.views, .words = "one, of --azimuth and --elevation",
        .excludes = "azimuth elevation eye camera",
        .no_key = "a case has one picture a time; write a case for each view"),
    ROW_WITH("turntable", 0, "N",
        "once around the model in N pictures, of one time or of N (--count N), all at one "
        "distance",
        CAMERA, "render sheet ", INTEGER, camera.turntable, RANGE(1, MRW_MAX_VIEWS),
        .excludes = "eye camera views directions",
        .no_key = "a case has one view; write a case for each"),
    ROW_WITH("directions", 0, "4|8|16",
        "draw each time from so many sides, the front first, at one distance; {dir}: s sw w "
        "nw n ...",
        CAMERA, "render sheet ", SAMPLES, camera.directions, .words = "one, of --azimuth",
        .excludes = "eye camera views turntable",
        .no_key = "a case has one picture a time; write a case for each view"),
    ROW_WITH("camera", 0, "NAME|INDEX",
        "a camera of the file, with its animation; render: repeatable, each time from each",
        CAMERA, SHOWING, TEXTS, camera.names, .many = "render sheet ",
        .excludes = "eye target up azimuth elevation fov ortho view-height fit margin near far "
                    "follow",
        OF_JOINTS),
    ROW_WITH("follow", 0, "NODE",
        "move the camera with a node, which stays at one point of the picture",
        CAMERA, SHOWING, TEXT, camera.follow, OF_JOINTS),

    ROW("translate", 0, "X,Y,Z", "move the model",
        MODEL, SHOWING, VECTOR, model.translate),
    ROW("rotate", 0, "X,Y,Z", "turn the model: degrees about X, then Y, then Z",
        MODEL, SHOWING, VECTOR, model.rotate),
    ROW("scale", 0, "S|X,Y,Z", "scale the model",
        MODEL, SHOWING, SCALE, model.scale),
    ROW("skinning", 0, "linear|dual-quaternion",
        "dual-quaternion: joints that twist and bend keep their volume",
        MODEL, SHOWING, CHOICE, model.skinning),
    ROW_WITH("max-influences", 0, "N", "keep the strongest N joint weights of each vertex",
        MODEL, SHOWING, INTEGER, model.max_influences, RANGE(1, 65535), .words = "all of them"),
    ROW("show-hidden", 0, NULL, "draw also what the file hides",
        MODEL, SHOWING "info ", FLAG, model.show_hidden),
    ROW("sides", 0, "file|both|front", "which sides of triangles are drawn",
        MODEL, SHOWING, CHOICE, model.sides),
    ROW_WITH("displacement", 0, "TEXTURE:SCALE[:MIDLEVEL]|none",
        "move vertices along their normals by (height - MIDLEVEL, 0.5 if not said) * SCALE",
        MODEL, SHOWING, HEIGHTS, model.displacement, .words = "of the file", .is_path = true,
        .no_paths = "none", LOADS),
    ROW_WITH("subdivide", 0, "N", "cut each triangle into 4, N times, for displacement",
        MODEL, SHOWING, INTEGER, model.subdivide, RANGE(1, 8), .words = "not at all", LOADS),
    ROW_WITH("copies", 0, "N",
        "draw the model N times, in a square on the ground, in the same pose",
        MODEL, PICTURES "pick ", INTEGER, model.copies, RANGE(1, 1000)),
    ROW_WITH("add", 0, "MODEL[@NODE]",
        "draw another model too, fixed to a node of the first one or free; repeatable",
        MODEL, SHOWING, AT, model.added, OF_JOINTS, .is_path = true),
    ROW_WITH("id", 0, "NAME=N",
        "number N in passes for a node and what hangs below it, or for a model of --add; "
        "repeatable",
        MODEL, "render bake pick ", IDS, model.ids, .needs_for = "render bake",
        .needs = "aov joints-format=coco",
        .no_key = "numbers are no part of what suites compare"),
    ROW_WITH("texture-dir", 0, "DIR", "also look for textures there; repeatable",
        MODEL, READING, TEXTS, model.texture_dirs, .is_path = true, LOADS),

    ROW("match", 'k', "GLOB", "only cases whose name (CASE or SUITE/CASE) matches",
        CASES, "test ", TEXT, cases.match),
    ROW("tag", 0, "TAG", "only cases with this tag",
        CASES, "test ", TEXT, cases.tag),
    ROW("last-failed", 0, NULL, "only cases that failed in the last run",
        CASES, "test ", FLAG, cases.last_failed),
    ROW_WITH("changed", 0, NULL,
        "only cases whose model, textures, clips or keys are not those that their goldens were "
        "made of",
        CASES, "test ", FLAG, cases.changed, .excludes = "against against-backend list prune"),
    ROW_WITH("list", 0, NULL, "list the cases (bench: the rows) that would run, run nothing",
        CASES, "test bench ", FLAG, cases.list,
        .excludes = "tap update prune report report-inline junit quick"),
    ROW("fail-fast", 0, NULL, "start no case after one has failed",
        CASES, "test ", FLAG, cases.fail_fast),
    ROW_WITH("repeat", 0, "N", "run each case N times; runs that differ are a failure",
        CASES, "test ", INTEGER, cases.repeat, RANGE(1, 1000)),
    ROW("against", 0, "MARROW",
        "compare with what another marrow draws, instead of with the goldens",
        CASES, "test ", TEXT, cases.against),
    ROW_WITH("against-backend", 0, "none|soft",
        "compare what two renderers draw, instead of with the goldens",
        CASES, "test ", CHOICE, cases.against_backend, .needs = "backend=gl",
        .excludes = "against update prune repeat"),

    ROW_WITH("update", 0, "missing|changed|all",
        "write goldens: missing ones; missing and changed ones, as without a value; all",
        GOLDENS, "test ", MAYBE, goldens.update, .shown.optional = true, .least = 2,
        .excludes = "against"),
    ROW("from", 0, "DIR", "a results folder, such as one that CI has kept",
        GOLDENS, "accept ", TEXT, goldens.from),
    ROW_WITH("allow-blank", 0, NULL,
        "also take pictures that are blank, one colour or cut by every border",
        GOLDENS, "test accept ", FLAG, goldens.allow_blank, .needs_for = "test", .needs = "update"),
    ROW("framing", 0, NULL, "take new cameras alone, of cases that differ in nothing else",
        GOLDENS, "accept ", FLAG, goldens.framing),
    ROW_WITH("prune", 0, NULL, "remove goldens that no case uses",
        GOLDENS, "test ", FLAG, goldens.prune, .excludes = "against match tag last-failed shard"),

    ROW("compare", 0, "exact|pixel|perceptual",
        "pixel: few pixels differ by much; perceptual: little is seen to differ (FLIP)",
        COMPARE, "diff ", CHOICE, compare.pictures.mode),
    ROW_WITH("max-delta", 0, "N", "pixel: by how much a channel may differ, up to 255",
        COMPARE, "diff ", INTEGER, compare.pictures.max_delta, RANGE(0, 255),
        .needs = "compare=pixel"),
    ROW_WITH("max-pixels", 0, "N", "pixel: how many pixels may differ by more",
        COMPARE, "diff ", AMOUNT, compare.pictures.max_pixels, RANGE(0, 1e9),
        .needs = "compare=pixel"),
    ROW_WITH("max-ratio", 0, "SHARE", "pixel: or which share of what is drawn, 0 to 1",
        COMPARE, "diff ", NUMBER, compare.pictures.max_ratio, RANGE(0, 1),
        .needs = "compare=pixel"),
    ROW_WITH("max-flip", 0, "SHARE",
        "perceptual: the largest mean error; a pixel may have 10 times as much",
        COMPARE, "diff ", NUMBER, compare.pictures.max_flip, RANGE(0, 1),
        .needs = "compare=perceptual"),
    ROW_WITH("ignore-antialiasing", 0, NULL,
        "pixel: leave out anti-aliased edges, as other programs draw them",
        COMPARE, "diff ", FLAG, compare.pictures.ignore_antialiasing, .needs = "compare=pixel"),
    ROW("mask", 0, "MASK",
        "leave out rect:X,Y,WIDTH,HEIGHT, image:FILE.png (what is not black) or node:NAME; "
        "repeatable",
        COMPARE, "diff ", MASKS, compare.masks),
    ROW_WITH("max-degrees", 0, "DEGREES", "by how much joints may be turned",
        COMPARE, "diff ", NUMBER, compare.max_degrees, RANGE(0, 180)),
    ROW_WITH("max-distance", 0, "DISTANCE", "by how much joints and bounds may be moved, metres",
        COMPARE, "diff ", NUMBER, compare.max_distance, RANGE(0, 1e9)),

    ROW("report", 0, "DIR", "write a report to look at: DIR/index.html and its pictures",
        REPORTS, REPORTING, TEXT, reports.folder),
    ROW("report-inline", 0, "FILE", "write the failures as one page, pictures inside",
        REPORTS, REPORTING, TEXT, reports.page),
    ROW("junit", 0, "FILE", "write a JUnit file",
        REPORTS, REPORTING, TEXT, reports.junit),
    ROW("tap", 0, NULL, "answer in TAP (version 13) on stdout",
        REPORTS, REPORTING, FLAG, reports.tap),
    ROW_WITH("out", 0, "DIR", "folder for what was drawn, what differs, and results.json",
        REPORTS, "test ", TEXT, reports.results, .words = "results/ beside each suite"),

    ROW_WITH("allow-format", 0, "LIST|all",
        "also read formats whose importers crash more often: md5, x, ogre, mdl",
        FILES, READING, TEXT, files.formats, .has_commas = true, LOADS),
    ROW_WITH("input-format", 0, "FORMAT", "read every model as this: gltf, fbx, collada, obj, ...",
        FILES, READING, TEXT, files.input_format, .words = "as the file tells", LOADS),
    ROW_WITH("scene", 0, "NAME|INDEX", "the scene of a glTF file to draw",
        FILES, READING, TEXT, files.scene, .words = "the file's own", LOADS),
    ROW_WITH("asset-root", 0, "DIR", "folder that the paths in a model may lead to",
        FILES, READING, TEXT, files.asset_root, .words = "the model's folder", .is_path = true,
        LOADS),
    ROW_WITH("max-file-size", 0, "BYTES", "refuse larger files; sizes as 512M, 2G",
        FILES, READING, BYTES, files.max_file_size, RANGE(1, 1e15), LOADS),
    ROW_WITH("max-texture-size", 0, "PIXELS|WxH",
        "refuse larger textures; all together may have twice as many",
        FILES, READING, PIXELS, files.max_texture_size, RANGE(1, 1e15), LOADS),
    ROW_WITH("texture-memory", 0, "BYTES",
        "bytes that the textures of all models together may take, mip levels included; others are "
        "checkers",
        FILES, READING, BYTES, files.texture_memory, RANGE(1, 1e15), LOADS),
    ROW_WITH("max-vertices", 0, "N", "refuse models with more; numbers as 500k, 20M",
        FILES, READING, AMOUNT, files.max_vertices, RANGE(1, 4e9), LOADS),
    ROW_WITH("max-joints", 0, "N", "refuse models with more joints in all skins",
        FILES, READING, AMOUNT, files.max_joints, RANGE(1, 4e9), LOADS),
    ROW_WITH("max-keys", 0, "N", "refuse models with more animation keys",
        FILES, READING, AMOUNT, files.max_keys, RANGE(1, 4e9), LOADS),
    ROW_WITH("import-seconds", 0, "SECONDS", "stop an import that takes longer",
        FILES, READING, NUMBER, files.import_seconds, RANGE(0.01, 86400), LOADS),
    ROW_WITH("import-memory", 0, "BYTES", "stop an import that takes more memory",
        FILES, READING, BYTES, files.import_memory, RANGE(67108864, 1e15), LOADS),
    ROW_WITH("fbx-curves", 0, NULL,
        "FBX: follow steps and tangents between keys as Maya does, not straight lines",
        FILES, READING, FLAG, files.fbx_curves, LOADS),
    ROW_WITH("from-first-key", 0, NULL,
        "clips begin at their first key: time 0 and frame 0 lie there",
        FILES, READING, FLAG, files.from_first_key, LOADS),
    ROW_WITH("material-colors", 0, "auto|srgb|linear",
        "encoding of colours in FBX, Collada, OBJ, X ...; auto: sRGB, but Blender's are linear",
        FILES, READING, CHOICE, files.material_colors, LOADS),
    ROW_WITH("flip-v", 0, NULL, "turn texture coordinates upside down",
        FILES, READING, FLAG, files.flip_v, LOADS),
    ROW_WITH("flip-winding", 0, NULL,
        "turn triangles around: for models that show their insides",
        FILES, READING, FLAG, files.flip_winding, LOADS),
    ROW_WITH("no-sandbox", 0, NULL,
        "import in this process: only for files you trust, where no helper can run",
        FILES, READING, FLAG, files.no_sandbox, LOADS),

    ROW_WITH("shard", 0, "I/N", "do part I (from 1) of N: of all frames, of all cases",
        RUN, "render test ", SHARD, run.shard_index, .excludes = "sheet atlas", NO_KEY, SEQUENCE),
    ROW_WITH("jobs", 'j', "N",
        "how many threads work; granted: by affinity and cgroup quota; OMP_NUM_THREADS is not read",
        RUN, DRAWING, INTEGER, run.threads, RANGE(1, 1024), .words = "all CPUs granted", NO_KEY),
    ROW_WITH("isa", 0, "auto|scalar|sse2|avx2|avx512|neon",
        "instruction set of the kernels; all give the same bits",
        RUN, SHOWING "test bench ", ISA, run.isa,
        .no_key = "all instruction sets give the same bits; to try one: marrow test --isa"),
    ROW_WITH("backend", 0, "soft|gl",
        "what draws: this program, the same everywhere, or the machine's OpenGL (GL=1 builds)",
        RUN, "render sheet test view ", CHOICE, run.backend,
        .no_key = "what draws is the command line's: marrow test --backend gl"),
    ROW_WITH("gl-device", 0, "N", "which device of marrow doctor's list OpenGL draws with",
        RUN, "render sheet test view ", INTEGER, run.gl_device, RANGE(0, 15), .words = "EGL's own",
        .needs = "backend=gl", NO_KEY),
    ROW("quick", 0, NULL, "run each row a few times only: rough figures in seconds",
        RUN, "bench ", FLAG, run.quick),
    ROW_WITH("strict", 0, NULL, "end with status 5 when there were warnings",
        RUN, READING "test ", FLAG, run.strict, NO_KEY),
    ROW_WITH("quiet", 'q', NULL, "say nothing but errors",
        RUN, WORKING, FLAG, run.quiet, .excludes = "verbose", NO_KEY),
    ROW_WITH("verbose", 'v', NULL, "say more: kernels, threads, scene hashes, every file",
        RUN, WORKING, FLAG, run.verbose, NO_KEY),
    ROW_WITH("help", 'h', NULL, "show this help",
        RUN, ALL, FLAG, run.help, NO_KEY),
    ROW_WITH("all", 0, NULL, "with --help: show all options",
        RUN, ALL, FLAG, run.all, .needs = "help", .needs_for = WORKING "bench version ", NO_KEY),
    ROW_WITH("version", 'V', NULL, "show the version and the pixel version",
        RUN, ALL, FLAG, run.version, NO_KEY),
};
/* clang-format on */

const size_t mrwi_options_option_count = sizeof mrwi_options / sizeof *mrwi_options;

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

bool mrwi_options_has_word(const char *words, const char *word, size_t length)
{
    for (const char *p = words; p && *p != '\0'; p += strspn(p, " ")) {
        const size_t size = strcspn(p, " ");
        if (size == length && memcmp(p, word, length) == 0) {
            return true;
        }
        p += size;
    }
    return false;
}

bool mrw_option_belongs(const mrw_option *option, mrw_command command)
{
    const char *name = mrw_command_describe(command)->name;
    return mrwi_options_has_word(option->commands, name, strlen(name));
}

static bool same_name(const char *name, const char *text, size_t length)
{
    return name && strlen(name) == length && memcmp(name, text, length) == 0;
}

bool mrwi_options_is_list(const mrwi_options_option *option)
{
    return option->kind == MRWI_OPTIONS_PASSES || option->kind == MRWI_OPTIONS_TEXTS ||
           option->kind == MRWI_OPTIONS_AT || option->kind == MRWI_OPTIONS_MASKS ||
           option->kind == MRWI_OPTIONS_IDS || option->kind == MRWI_OPTIONS_POINTS ||
           option->kind == MRWI_OPTIONS_LIGHTS;
}

const char *mrwi_options_why_no_key(const mrwi_options_option *option)
{
    const bool fine = option->shown.group == MRW_OPTIONS_COMPARE ||
                      mrw_option_belongs(&option->shown, MRW_COMMAND_RENDER);
    return option->no_key || fine ? option->no_key : "it belongs on the command line";
}

/* The options that most people need of `render`. */
static const char common[] = "output sheet atlas force json clip anim frames times count fps loop "
                             "size aa shading light env shadows ground background overlay "
                             "azimuth elevation views turntable camera margin add jobs help";

bool mrw_option_is_common(const mrw_option *option)
{
    return mrwi_options_has_word(common, option->name, strlen(option->name));
}

const mrwi_options_option *mrwi_options_option_find(const char *name, size_t length)
{
    for (size_t i = 0; i < mrwi_options_option_count; i++) {
        if (same_name(mrwi_options[i].shown.name, name, length) ||
            same_name(mrwi_options[i].shown.alias, name, length)) {
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
