/* table.c: the one table of options. Everything else about options is read from it. */
#include "options/table.h"

#include <string.h>

/* Lists of commands. A space ends each name, so that lists can be joined. */
#define POSING    "render sheet sprites bake pick diff "
#define PICTURES  "render sheet sprites diff view "
#define SHOWING   POSING "view "
#define READING   SHOWING "info compile init "
#define DRAWING   SHOWING "info test batch "
#define REPORTING "test diff report "
#define ANSWERING "render sheet sprites bake pick info doctor bench " REPORTING
#define FILING    READING "batch "
#define WORKING   FILING "doctor accept test report "
#define WRITING   "render sheet sprites bake diff view compile init "
#define ALL       WORKING "bench completions version help "

#define AT(field) offsetof(mrw_settings, field)

/* Makes a plain row: long name, short name, argument, help, group, commands, kind, field. */
#define ROW(long_name, letter, value, text, heading, owners, form, field)                          \
    ROW_WITH(long_name, letter, value, text, heading, owners, form, field, .shown.alias = NULL)
/* Makes a row that sets more fields. */
#define ROW_WITH(long_name, letter, value, text, heading, owners, form, field, ...)                \
    {                                                                                              \
        .shown.name = long_name, .shown.short_name = letter, .shown.argument = value,              \
        .shown.help = text, .shown.group = MRW_OPTIONS_##heading, .shown.commands = owners,        \
        .dashed = "--" long_name, .kind = MRWI_OPTIONS_##form, .offset = AT(field), __VA_ARGS__    \
    }
#define RANGE(from, to) .least = (from), .most = (to)
/* Marks options that change only joints: bake writes joints with --joints alone. */
#define OF_JOINTS .needs_for = "bake", .needs = "joints"

#define LOADS         .roles = MRWI_OPTIONS_LOADS
#define SEQUENCE      .roles = MRWI_OPTIONS_SEQUENCE
#define HOST          .roles = MRWI_OPTIONS_HOST
#define LOWER         .roles = MRWI_OPTIONS_LOWER
#define PART_SEQUENCE .roles = MRWI_OPTIONS_SEQUENCE | MRWI_OPTIONS_PART

#define NO_KEY .no_key = "it belongs on the command line"

/* clang-format off */
/* The shading modes that light each pixel. */
#define LIT_MODES                                                                                  \
    "shading=lit shading=flat shading=clay shading=lambert shading=phong shading=toon shading=wire"

const mrwi_options_option mrwi_options[] = {
    ROW_WITH("output", 'o', "PATH",
        "output file, folder/ or template such as out/{clip}_{frame:04}.png; -, -.gif ... are "
        "stdout",
        OUTPUT, WRITING, TEXT, output.path,
        .no_key = "marrow test names the pictures of a case itself", HOST),
    ROW_WITH("sheet", 0, "COLUMNS",
        "arrange all frames in one contact sheet with this many columns",
        OUTPUT, "render sheet sprites ", INTEGER, output.sheet, RANGE(1, 1000),
        .roles = MRWI_OPTIONS_SHEET,
        .shown.alias = "columns",
        .no_key = "frames are compared one at a time"),
    ROW_WITH("rows", 0, "direction|view|time|clip",
        "one row of the sheet per direction, view, time or clip",
        OUTPUT, "render sheet sprites ", CHOICE, output.rows, .needs = "sheet",
        .needs_for = "render",
        .words = "view, if views have several times", NO_KEY),
    ROW_WITH("labels", 0, NULL, "label the pictures of a sheet with their clips, views and times",
        OUTPUT, "render ", FLAG, output.labels, .needs = "sheet",
        .excludes = "atlas extrude bleed trim page-size power-of-two", NO_KEY),
    ROW_WITH("atlas", 0, "FILE.json",
        "make a sprite sheet, packed or in --sheet's columns; FILE.json says where each frame is",
        OUTPUT, "render sprites ", TEXT, output.atlas, SEQUENCE | MRWI_OPTIONS_HOST,
        .no_key = "frames are compared one at a time"),
    ROW_WITH("atlas-format", 0, "json|godot",
        "godot: also write SpriteFrames for Godot 4 as FILE.tres",
        OUTPUT, "render sprites ", CHOICE, output.atlas_format, .needs = "atlas", NO_KEY),
    ROW_WITH("pivot", 0, "NODE", "use the position of this joint or node as each frame's pivot",
        OUTPUT, "render sprites ", TEXT, output.pivot, .needs = "atlas", NO_KEY),
    ROW_WITH("atlas-numbers", 0, NULL,
        "name frames 0, 1, ... in the JSON, as Phaser's Aseprite loader expects",
        OUTPUT, "render sprites ", FLAG, output.atlas_numbers, .needs = "atlas", NO_KEY),
    ROW_WITH("gap", 0, "N", "space between and around the pictures of a sheet, in pixels",
        OUTPUT, "render sprites ", INTEGER, output.gap, RANGE(0, 1024),
        .needs = "sheet atlas", NO_KEY),
    ROW_WITH("extrude", 0, "N", "repeat the edges of sprites N times into the gap, at most halfway",
        OUTPUT, "render sprites ", INTEGER, output.extrude, RANGE(0, 512),
        .needs = "sheet atlas", NO_KEY),
    ROW_WITH("bleed", 0, NULL, "give clear pixels of sprites the colour of the nearest visible one",
        OUTPUT, "render sprites ", FLAG, output.bleed, .needs = "sheet atlas", NO_KEY),
    ROW_WITH("trim", 0, "none|frame|clip|all",
        "cut clear borders off sprites: of each frame, or those common to a clip or to all frames",
        OUTPUT, "render sprites ", CHOICE, output.trim, .needs = "sheet atlas", NO_KEY),
    ROW_WITH("page-size", 0, "N",
        "longest side of a sprite sheet; frames that do not fit go to more sheets, named by {page}",
        OUTPUT, "render sprites ", INTEGER, output.page_size, RANGE(1, 16384),
        .needs = "sheet atlas", NO_KEY),
    ROW_WITH("power-of-two", 0, NULL, "make the sides of sprite sheets powers of two",
        OUTPUT, "render sprites ", FLAG, output.power_of_two, .needs = "sheet atlas", NO_KEY),
    ROW_WITH("stream", 0, "png|y4m|rgba",
        "with -o -: write all frames one after another; y4m: 4:4:4, BT.709, limited range, exact "
        "rate",
        OUTPUT, "render ", MAYBE, output.stream, SEQUENCE | MRWI_OPTIONS_HOST,
        .excludes = "sheet atlas shard aov",
        .no_key = "frames are compared one at a time"),
    ROW("png", 0, "fast|best",
        "best: files are 10 to 20 % smaller, for half a second of CPU time per 1280x720 picture",
        OUTPUT, "render sheet sprites ", CHOICE, output.png),
    ROW_WITH("quality", 0, "N", "quality of .webp and .jpg: 1 (small) to 100 (good)",
        OUTPUT, "render ", INTEGER, output.quality, RANGE(1, 100),
        .words = "lossless; .jpg: 92", NO_KEY),
    ROW_WITH("matte", 0, "COLOR",
        "colour behind clear pixels of a .jpg and half-clear pixels of a .gif",
        OUTPUT, "render ", MATTE, output.matte, NO_KEY),
    ROW_WITH("dither", 0, NULL, "dither a .gif that has more than 255 colours",
        OUTPUT, "render ", FLAG, output.dither, NO_KEY),
    ROW_WITH("aov", 0, "LIST",
        "write passes: depth,normal,id,... (marrow help aov), by {aov} in -o, or all in one .exr",
        OUTPUT, "render ", PASSES, passes,
        .no_key = "a case compares pictures; for the data of a pass use shading = normal, say"),
    ROW_WITH("aov-view", 0, NULL, "write passes as 8-bit PNGs to look at",
        OUTPUT, "render ", FLAG, passes.view, .needs = "aov", NO_KEY),
    ROW_WITH("depth-scale", 0, "N",
        "write depth and distance as 16-bit .png: N per unit, 0 for nothing (1000: millimetres)",
        OUTPUT, "render ", NUMBER, passes.depth_scale, RANGE(1e-6, 1e9), .words = "none",
        .needs = "aov", .excludes = "aov-view", NO_KEY),
    ROW_WITH("force", 0, NULL,
        "overwrite files even without -o; test, accept: write goldens even when CI is set",
        OUTPUT, "render sheet sprites compile init test accept ", FLAG, output.force,
        .needs_for = "test", .needs = "update prune", NO_KEY, HOST),
    ROW_WITH("dry-run", 0, NULL, "list the files that would be written, but write nothing",
        OUTPUT, "render sheet sprites accept ", FLAG, output.dry_run, NO_KEY, HOST),
    ROW_WITH("json", 0, "FILE",
        "answer in JSON, with errors and warnings: one value per line, to FILE or stdout",
        OUTPUT, ANSWERING, TEXT, output.json, .shown.optional = true, .excludes = "tap", NO_KEY,
        HOST),
    ROW_WITH("joints", 0, "FILE",
        "write every joint's matrices, pixel, depth and visibility: one line of JSON per time; - "
        "is stdout",
        OUTPUT, "bake ", TEXT, output.joints, HOST),

    ROW_WITH("joints-format", 0, "lines|coco|coco-17",
        "coco: one COCO document: key points, boxes, masks; coco-17: with a person's 17 key points",
        OUTPUT, "bake ", CHOICE, output.joints_format, .needs = "joints"),
    ROW_WITH("images", 0, "TEMPLATE", "names of the pictures in the COCO document: render's -o",
        OUTPUT, "bake ", TEXT, output.images, .words = "render's names without -o",
        .needs = "joints-format=coco joints-format=coco-17", HOST),
    ROW("at", 0, "X,Y", "pixel to look at; 0,0 is the top left; repeatable",
        PICTURE, "pick ", POINTS, output.pixels),

    ROW_WITH("record", 0, "FILE", "save the events of the window for --play",
        OUTPUT, "view ", TEXT, viewing.record, HOST),
    ROW_WITH("play", 0, "FILE",
        "replay a file's events without a window; compare the pictures it expects, or write them "
        "with -o",
        OUTPUT, "view ", TEXT, viewing.play, .excludes = "record exit-after", HOST),
    ROW_WITH("exit-after", 0, "N", "close the window after N pictures",
        OUTPUT, "view ", INTEGER, viewing.exit_after, RANGE(1, 1e9), HOST),

    ROW_WITH("clip", 0, "NAME|INDEX|GLOB|all",
        "clip to play: its name as info prints it, full name, index from 0, or pattern; repeatable",
        ANIMATION, SHOWING "init ", TEXTS, animation.clips, .words = "the first"),
    ROW_WITH("anim", 0, "FILE",
        "add the clips of another file, with joints matched by name; repeatable",
        ANIMATION, READING, TEXTS, animation.anims, .is_path = true, LOADS | MRWI_OPTIONS_HOST),
    ROW_WITH("retarget", 0, "auto|off|pose",
        "adapt --anim clips to other rest poses: auto, off (as filed), or pose (align the rests)",
        ANIMATION, READING, CHOICE, animation.retarget, LOADS),
    ROW_WITH("blend", 0, "CLIP:WEIGHT,...", "play the weighted mean of clips: Walk:0.7,Run:0.3",
        ANIMATION, SHOWING, BLEND, animation.blend, .excludes = "clip together"),
    ROW_WITH("sync", 0, NULL, "scale the time of blended clips so that they start and end together",
        ANIMATION, SHOWING, FLAG, animation.sync, .needs = "blend"),
    ROW("layer", 0, "CLIP[@NODE]",
        "play a clip on top, on the whole model or on NODE and all below it; repeatable",
        ANIMATION, SHOWING, AT, animation.layers),
    ROW_WITH("additive", 0, NULL, "layers add their difference from their own first pose",
        ANIMATION, SHOWING, FLAG, animation.additive, .needs = "layer"),
    ROW_WITH("together", 0, NULL,
        "play all clips of --clip at once; a later one wins where both animate the same",
        ANIMATION, SHOWING, FLAG, animation.together, .needs = "clip"),
    ROW_WITH("root-motion", 0, "keep|strip|loop",
        "strip: walk in place; loop: walk on with each repetition of --wrap loop",
        ANIMATION, SHOWING, CHOICE, animation.root_motion, .needs = "wrap=loop", .when = "loop"),
    ROW_WITH("pose", 0, "clip|rest|bind",
        "rest: nodes as the file stores them; bind: joints where the mesh was bound to them",
        ANIMATION, SHOWING, CHOICE, animation.pose, .when = "rest bind",
        .excludes = "clip frames times count fps speed loop wrap blend sync layer additive "
                    "together root-motion"),
    ROW_WITH("frames", 0, "LIST",
        "frame numbers: 0-47x2,60,-1 (x2: every second one; negative: from the end)",
        ANIMATION, SHOWING, FRAMES, animation.frames, .excludes = "times count", PART_SEQUENCE),
    ROW_WITH("times", 0, "LIST",
        "times in the clip, in seconds or percent of it: 0.5,25%,1.25 (--time is the same)",
        ANIMATION, SHOWING, TIMES, animation.times, .shown.alias = "time", .excludes = "count",
        PART_SEQUENCE),
    ROW_WITH("count", 0, "N", "N frames, evenly spaced over the clip",
        ANIMATION, POSING "init ", INTEGER, animation.count, RANGE(1, MRW_MAX_FRAMES),
        PART_SEQUENCE),
    ROW_WITH("fps", 0, "N|N/D|file",
        "frames per second; 23.976, 29.97 and 59.94 are exact; file: as the file's keys suggest",
        ANIMATION, SHOWING, RATE, animation.fps, SEQUENCE),
    ROW_WITH("speed", 0, "X",
        "speed of the clip: 2, 0.5, 1/3; negative plays backwards from the end: -1",
        ANIMATION, POSING, SPEED, animation.speed, .excludes = "times", SEQUENCE),
    ROW_WITH("loop", 0, NULL, "leave out the last frame, which repeats the first",
        ANIMATION, POSING, FLAG, animation.loop, .excludes = "frames times", SEQUENCE),
    ROW("wrap", 0, "none|clamp|loop|pingpong|file",
        "how the clip goes on outside its range; none: refuse frames, clamp times; file: as the "
        "file says",
        ANIMATION, SHOWING, CHOICE, animation.wrap),

    ROW_WITH("size", 0, "WxH|N", "size of the picture in pixels, up to 16384 per side",
        PICTURE, SHOWING "init ", SIZE, picture.width, OF_JOINTS),
    ROW("aa", 0, "1|2|4|8", "samples per pixel",
        PICTURE, PICTURES "init ", SAMPLES, picture.samples),
    ROW_WITH("bits", 0, "8|16", "bits per channel of .png and .pam",
        OUTPUT, "render ", SAMPLES, picture.bits, .excludes = "sheet atlas", NO_KEY),
    ROW_WITH("shading", 0, "lit|flat|clay|lambert|phong|gouraud|toon|matcap:FILE|wire|unlit|raw|"
        "normal|uv|depth|joint|influences|weights:JOINT|channel:NAME",
        "how surfaces are shown; raw: stored bytes (marrow help shading explains all)",
        PICTURE, PICTURES "init ", CHOICE, picture.shading, .rest = AT(shading_argument),
        .rest_paths = "matcap"),
    ROW("look", 0, "plain|post|product|hero|data|before",
        "a set of option values; other options override them (marrow help looks lists all)",
        PICTURE, SHOWING "init ", CHOICE, look),
    ROW("filter", 0, "nearest|bilinear|trilinear|aniso",
        "how textures are sampled; trilinear: or as the file's samplers say; aniso: sharp at "
        "grazing angles",
        PICTURE, PICTURES "pick ", CHOICE, picture.filter),
    ROW_WITH("light", 0, "LIGHT[@SPACE]",
        "light in place of the default rig: spot:pos=... or none (marrow help lights); repeatable",
        PICTURE, PICTURES, LIGHTS, lights, .words = "the rig, or the file's lights"),
    ROW("rig", 0, "soft|three-point",
        "the default light; three-point: key, fill and rim light, as in pixel versions 7 and 8",
        PICTURE, PICTURES, CHOICE, picture.rig_kind),
    ROW("file-lights", 0, "on|off", "use the lights of files",
        PICTURE, PICTURES, SWITCH, picture.file_lights),
    ROW_WITH("exposure", 0, "E", "factor for all light in the picture: 2 is one stop brighter",
        PICTURE, PICTURES, FLOAT, picture.exposure, RANGE(0, 1e6),
        .needs = "shading=lit shading=flat shading=clay shading=lambert shading=phong "
                 "shading=gouraud shading=toon shading=matcap"),
    ROW_WITH("tonemap", 0, "none|aces|neutral",
        "how light becomes colours; none: clip bright ones; neutral: Khronos PBR Neutral",
        PICTURE, PICTURES, CHOICE, picture.tonemap,
        .needs = "shading=lit shading=flat shading=clay shading=toon shading=matcap"),
    ROW("light-frame", 0, "camera|world",
        "what the rig and studio are fixed to; world: they stay as for a camera at azimuth 0",
        PICTURE, PICTURES, CHOICE, picture.light_frame),
    ROW_WITH("env", 0, "FILE|studio|none",
        "light from all around, in addition to lights: a Radiance or OpenEXR file, or the rig's "
        "studio",
        PICTURE, PICTURES, TEXT, environment, .words = "the studio, with the rig",
        .is_path = true, .no_paths = "studio none"),
    ROW_WITH("env-rotate", 0, "DEGREES",
        "turn the environment about Y; positive is counter-clockwise seen from above",
        PICTURE, PICTURES, FLOAT, picture.environment_degrees, RANGE(-36000, 36000)),
    ROW_WITH("env-intensity", 0, "FACTOR", "factor for the light of the environment",
        PICTURE, PICTURES, FLOAT, picture.environment_intensity, RANGE(0, 1e6)),
    ROW("env-compensation", 0, "auto|off|on",
        "restore the light that rough metals lose between their facets; auto: of the studio only",
        PICTURE, PICTURES, CHOICE, picture.compensation),
    ROW_WITH("env-background", 0, NULL,
        "show the environment behind the model, exposed and tone-mapped, instead of --background",
        PICTURE, PICTURES, FLAG, picture.environment_background, .needs = "shading=lit",
        .excludes = "background"),
    ROW_WITH("env-blur", 0, "X",
        "how blurred that environment is shown: as mirrored by this roughness, 0 (sharp) to 1",
        PICTURE, PICTURES, FLOAT, picture.environment_blur, RANGE(0, 1),
        .needs = "env-background"),
    ROW_WITH("shadows", 0, NULL,
        "lights cast shadows (in the default rig the key alone); 7 ms per light and picture",
        PICTURE, PICTURES, FLAG, picture.shadows, .needs = LIT_MODES),
    ROW_WITH("shadow-size", 0, "PIXELS",
        "side of a light's shadow map; a point light has six maps of half the size",
        PICTURE, PICTURES, INTEGER, picture.shadow_size,
        RANGE(128, 8192), .needs = "shadows ground"),
    ROW_WITH("shadow-softness", 0, "PERCENT",
        "width of a shadow's edge, in percent of the distance to what casts it; 0: sharp",
        PICTURE, PICTURES, FLOAT, picture.shadow_softness, RANGE(0, 50),
        .needs = "shadows ground"),
    ROW_WITH("ground", 0, "COLOR",
        "show shadows on a plane at the model's lowest point; a colour makes it matt; turns "
        "--shadows on",
        PICTURE, PICTURES "bake ", GROUND, picture.ground, .shown.optional = true,
        .needs = LIT_MODES " joints"),
    ROW_WITH("ao", 0, NULL,
        "ambient occlusion: less light from all around where other surfaces are near",
        PICTURE, PICTURES, FLAG, picture.occlusion, .needs = LIT_MODES),
    ROW_WITH("ao-radius", 0, "SHARE",
        "reach of the occlusion, as a share of the framed box's longest side",
        PICTURE, PICTURES, FLOAT, picture.occlusion_radius, RANGE(1e-4, 10), .needs = "ao"),
    ROW_WITH("ao-strength", 0, "FACTOR",
        "factor for the occlusion; 1: as much as the surfaces hide",
        PICTURE, PICTURES, FLOAT, picture.occlusion_strength, RANGE(0, 10), .needs = "ao"),
    ROW("background", 0, "FILE.png|A..B|COLOR|none",
        "picture, gradient (A..B, A..B@radial) or colour behind the model; none: clear",
        PICTURE, PICTURES, COLOR, picture.background),
    ROW_WITH("overlay", 0, "NAME,...",
        "draw on the picture: skeleton, names, wire, bounds, axes, grid, normals, label, frustum; "
        "or none",
        PICTURE, PICTURES, OVERLAYS, picture.overlays, .has_commas = true),
    ROW_WITH("overlay-depth", 0, NULL,
        "let the model hide overlays behind it, except text; without this it hides only the grid",
        PICTURE, PICTURES, FLAG, picture.overlay_depth, .needs = "overlay"),
    ROW_WITH("overlay-alone", 0, NULL,
        "leave out the model, ground and shadows; with --overlay-depth the model still hides "
        "overlays",
        PICTURE, PICTURES, FLAG, picture.overlay_alone, .needs = "overlay", .excludes = "aov"),

    ROW_WITH("fit", 0, "clip|frame|rest|all",
        "what the camera frames: the whole clip, each frame, the rest pose or all clips",
        CAMERA, SHOWING "init ", CHOICE, camera.fit, .words = "clip; still: frame; sheet: all",
        OF_JOINTS),
    ROW_WITH("margin", 0, "SHARE", "empty border, as a share of the shorter side",
        CAMERA, SHOWING, FLOAT, camera.view.margin, RANGE(0, 0.45), OF_JOINTS),
    ROW_WITH("azimuth", 0, "DEGREES,...|auto",
        "camera angle, counter-clockwise from above; 0 sees +Z; auto: 30 off the front; list: "
        "several views",
        CAMERA, SHOWING "init ", AZIMUTH, camera.view.azimuth_degrees, RANGE(-36000, 36000),
        .words = "auto", OF_JOINTS),
    ROW_WITH("elevation", 0, "DEGREES,...",
        "height of the camera: 90 looks straight down; list (render, bake): several views",
        CAMERA, SHOWING "init ", ELEVATION, camera.view.elevation_degrees, RANGE(-90, 90),
        OF_JOINTS),
    ROW_WITH("eye", 0, "X,Y,Z", "place the camera here instead of framing the model",
        CAMERA, SHOWING, VECTOR, camera.view.eye, .marks = AT(camera.view.has_eye),
        .excludes = "azimuth elevation fit margin", OF_JOINTS),
    ROW_WITH("target", 0, "X,Y,Z", "point that the camera looks at",
        CAMERA, SHOWING, VECTOR, camera.view.target, .marks = AT(camera.view.has_target),
        .words = "the model's centre", OF_JOINTS),
    ROW_WITH("up", 0, "X,Y,Z", "direction that is up in the picture",
        CAMERA, SHOWING, VECTOR, camera.view.up, OF_JOINTS),
    ROW_WITH("fov", 0, "DEGREES", "full vertical field of view",
        CAMERA, SHOWING, FLOAT, camera.view.fov_degrees, RANGE(1, 170), OF_JOINTS),
    ROW_WITH("ortho", 0, NULL, "parallel projection",
        CAMERA, SHOWING, FLAG, camera.view.orthographic, .excludes = "fov", OF_JOINTS),
    ROW_WITH("view-height", 0, "LENGTH",
        "height that a parallel projection shows, in world units",
        CAMERA, SHOWING, FLOAT, camera.view.height, RANGE(1e-6, 1e9), .needs = "ortho",
        .words = "from the model"),
    ROW_WITH("near", 0, "DISTANCE", "distance of the near plane",
        CAMERA, SHOWING, FLOAT, camera.view.near_plane, RANGE(1e-6, 1e9), .words = "from the model",
        OF_JOINTS),
    ROW_WITH("far", 0, "DISTANCE", "distance of the far plane",
        CAMERA, SHOWING, FLOAT, camera.view.far_plane, RANGE(1e-6, 1e9), .words = "from the model",
        OF_JOINTS),
    ROW_WITH("views", 0, "LIST",
        "draw each time from several sides: front left right back top bottom iso AZIMUTH/ELEVATION "
        "(30/15)",
        CAMERA, "render sheet sprites bake ", VIEWS, camera.views,
        .words = "--azimuth and --elevation", OF_JOINTS,
        .excludes = "azimuth elevation eye camera",
        .no_key = "a case has one picture per time; write a case for each view"),
    ROW_WITH("turntable", 0, "N",
        "go around the model once in N pictures at one distance, at one time or at N times "
        "(--count N)",
        CAMERA, "render sheet sprites bake ", INTEGER, camera.turntable, RANGE(1, MRW_MAX_VIEWS),
        OF_JOINTS,
        .excludes = "eye camera views directions",
        .no_key = "a case has one view; write a case for each view"),
    ROW_WITH("directions", 0, "4|8|16",
        "draw each time from this many sides, front first, at one distance; {dir}: s sw w nw n ...",
        CAMERA, "render sheet sprites bake ", SAMPLES, camera.directions,
        .words = "one, at --azimuth", OF_JOINTS,
        .excludes = "eye camera views turntable",
        .no_key = "a case has one picture per time; write a case for each view"),
    ROW_WITH("camera", 0, "NAME|INDEX",
        "use a camera of the file, with its animation; render, bake: repeat it for several views",
        CAMERA, SHOWING, TEXTS, camera.names, .many = "render sheet sprites bake ",
        .excludes = "eye target up azimuth elevation fov ortho view-height fit margin near far "
                    "follow",
        OF_JOINTS),
    ROW_WITH("follow", 0, "NODE",
        "move the camera with this node, which stays at one point of the picture",
        CAMERA, SHOWING, TEXT, camera.follow, OF_JOINTS),

    ROW("translate", 0, "X,Y,Z", "move the model",
        MODEL, SHOWING, VECTOR, model.translate),
    ROW("rotate", 0, "X,Y,Z", "turn the model by degrees about X, then Y, then Z",
        MODEL, SHOWING, VECTOR, model.rotate),
    ROW("scale", 0, "S|X,Y,Z", "scale the model",
        MODEL, SHOWING, SCALE, model.scale),
    ROW("skinning", 0, "linear|dual-quaternion",
        "dual-quaternion: twisted and bent joints keep their volume",
        MODEL, SHOWING, CHOICE, model.skinning),
    ROW_WITH("max-influences", 0, "N", "keep only the N strongest joint weights of each vertex",
        MODEL, SHOWING, INTEGER, model.max_influences, RANGE(1, 65535),
        .words = "all influences"),
    ROW_WITH("hide", 0, "NODE",
        "leave out a node (name or pattern) and all below it; repeatable",
        MODEL, SHOWING, HIDE, model.parts, .words = "none"),
    ROW_WITH("show", 0, "NODE",
        "draw a node that --hide leaves out, and all below it; the last match decides; repeatable",
        MODEL, SHOWING, SHOW, model.parts, .needs = "hide"),
    ROW("show-hidden", 0, NULL, "also draw what the file hides",
        MODEL, SHOWING "info ", FLAG, model.show_hidden),
    ROW("sides", 0, "file|both|front", "sides of triangles to draw; file: as its materials say",
        MODEL, SHOWING, CHOICE, model.sides),
    ROW_WITH("displacement", 0, "TEXTURE:SCALE[:MIDLEVEL]|none",
        "move vertices along their normals: by (height - MIDLEVEL) * SCALE; MIDLEVEL defaults to "
        "0.5",
        MODEL, SHOWING, HEIGHTS, model.displacement, .words = "the file's", .is_path = true,
        .no_paths = "none", LOADS),
    ROW_WITH("subdivide", 0, "N", "split each triangle into 4, N times, for displacement",
        MODEL, SHOWING, INTEGER, model.subdivide, RANGE(1, 8), .words = "none", LOADS),
    ROW_WITH("copies", 0, "N",
        "draw the model N times, in a square on the ground",
        MODEL, PICTURES "pick ", INTEGER, model.copies, RANGE(1, 1000)),
    ROW_WITH("spread", 0, "FACTOR",
        "distance of neighbouring copies, in multiples of the model's longer side on the ground",
        MODEL, PICTURES "pick ", NUMBER, model.spread, RANGE(0, 1000), .needs = "copies"),
    ROW_WITH("stagger", 0, "SECONDS", "each copy is ahead of the one before it by this time",
        MODEL, PICTURES "pick ", NUMBER, model.stagger, RANGE(0, 1000), .needs = "copies"),
    ROW_WITH("add", 0, "MODEL[@NODE][:KEY=VALUE,...]",
        "also draw a model: pos=X,Y,Z, rot=X,Y,Z, scale=, clip=, time=, speed=; "
        "init: extend a suite by it",
        MODEL, SHOWING "init ", AT, model.added, OF_JOINTS, .is_path = true, .places = true, HOST),
    ROW_WITH("id", 0, "NAME=N",
        "number in passes of a node and all below it, or of a model of --add; repeatable",
        MODEL, "render bake pick ", IDS, model.ids, .needs_for = "render bake",
        .needs = "aov joints-format=coco joints-format=coco-17",
        .no_key = "suites do not compare the numbers of passes"),
    ROW_WITH("texture-dir", 0, "DIR", "also look for textures in this folder; repeatable",
        MODEL, FILING, TEXTS, model.texture_dirs, .is_path = true, LOADS | MRWI_OPTIONS_HOST),

    ROW("name", 0, "NAME",
        "name of the suite; without it that in -o NAME.suite.ini, else that of the first model",
        CASES, "init ", TEXT, cases.name),
    ROW("match", 'k', "WORD|GLOB",
        "only cases with this in SUITE/CASE, or that match the pattern; repeatable: any of them",
        CASES, "test ", TEXTS, cases.matches),
    ROW("tag", 0, "TAG", "only cases with this tag",
        CASES, "test ", TEXT, cases.tag),
    ROW("last-failed", 0, NULL, "only cases that failed in the last run",
        CASES, "test ", FLAG, cases.last_failed),
    ROW_WITH("changed", 0, NULL,
        "only cases whose model, textures, clips or keys have changed since their goldens were "
        "made",
        CASES, "test ", FLAG, cases.changed, .excludes = "against against-backend list prune"),
    ROW_WITH("list", 0, NULL, "list the cases (bench: the rows) that would run, but run nothing",
        CASES, "test bench ", FLAG, cases.list,
        .excludes = "tap update prune report report-inline junit quick"),
    ROW("fail-fast", 0, NULL, "start no more cases after one has failed",
        CASES, "test ", FLAG, cases.fail_fast),
    ROW_WITH("repeat", 0, "N", "run each case N times; it fails if runs differ",
        CASES, "test ", INTEGER, cases.repeat, RANGE(1, 1000)),
    ROW("against", 0, "MARROW",
        "compare with the pictures of another marrow instead of the goldens",
        CASES, "test ", TEXT, cases.against),
    ROW_WITH("against-backend", 0, "none|soft",
        "compare the pictures of two renderers instead of the goldens",
        CASES, "test ", CHOICE, cases.against_backend, .needs = "backend=gl",
        .excludes = "against update prune repeat"),

    ROW_WITH("update", 0, "missing|changed|all",
        "write goldens: missing ones; missing and changed ones (also without a value); or all",
        GOLDENS, "test ", MAYBE, goldens.update, .shown.optional = true, .least = 2,
        .excludes = "against"),
    ROW("from", 0, "DIR", "results folder to accept, such as one that CI has kept",
        GOLDENS, "accept ", TEXT, goldens.from),
    ROW_WITH("allow-blank", 0, NULL,
        "also accept pictures that are blank, of one colour or cut by every border",
        GOLDENS, "test accept ", FLAG, goldens.allow_blank, .needs_for = "test", .needs = "update"),
    ROW("framing", 0, NULL, "accept only new cameras, of cases where nothing else has changed",
        GOLDENS, "accept ", FLAG, goldens.framing),
    ROW_WITH("rename", 0, NULL,
        "only rename goldens that have names of an earlier marrow, with '_' for each byte outside "
        "ASCII",
        GOLDENS, "test ", FLAG, goldens.rename, .needs = "update", .excludes = "against"),
    ROW_WITH("prune", 0, NULL, "remove goldens that no case uses",
        GOLDENS, "test ", FLAG, goldens.prune, .excludes = "against match tag last-failed shard"),

    ROW("compare", 0, "exact|pixel|perceptual",
        "pixel: limit how many pixels differ by how much; perceptual: limit the visible difference "
        "(FLIP)",
        COMPARE, "diff ", CHOICE, compare.pictures.mode),
    ROW_WITH("max-delta", 0, "N", "pixel: by how much a channel may differ, up to 255",
        COMPARE, "diff ", INTEGER, compare.pictures.max_delta, RANGE(0, 255),
        .needs = "compare=pixel"),
    ROW_WITH("max-pixels", 0, "N", "pixel: how many pixels may differ by more",
        COMPARE, "diff ", AMOUNT, compare.pictures.max_pixels, RANGE(0, 1e9),
        .needs = "compare=pixel"),
    ROW_WITH("max-ratio", 0, "SHARE",
        "pixel: or which share of the drawn pixels may differ, 0 to 1",
        COMPARE, "diff ", NUMBER, compare.pictures.max_ratio, RANGE(0, 1),
        .needs = "compare=pixel"),
    ROW_WITH("max-flip", 0, "SHARE",
        "perceptual: largest mean error; one pixel may have 10 times as much",
        COMPARE, "diff ", NUMBER, compare.pictures.max_flip, RANGE(0, 1),
        .needs = "compare=perceptual"),
    ROW_WITH("ignore-antialiasing", 0, NULL,
        "pixel: leave out edges that are anti-aliased in one of the pictures",
        COMPARE, "diff ", FLAG, compare.pictures.ignore_antialiasing, .needs = "compare=pixel"),
    ROW("mask", 0, "MASK",
        "leave out a part: rect:X,Y,WIDTH,HEIGHT, image:FILE.png (where not black) or node:NAME; "
        "repeatable",
        COMPARE, "diff ", MASKS, compare.masks),
    ROW_WITH("max-degrees", 0, "DEGREES", "by how many degrees joints may be turned",
        COMPARE, "diff ", NUMBER, compare.max_degrees, RANGE(0, 180)),
    ROW_WITH("max-distance", 0, "DISTANCE", "by how many metres joints and bounds may be moved",
        COMPARE, "diff ", NUMBER, compare.max_distance, RANGE(0, 1e9)),

    ROW("report", 0, "DIR", "write a report as a web page: DIR/index.html and its pictures",
        REPORTS, REPORTING, TEXT, reports.folder),
    ROW("report-inline", 0, "FILE", "write the failures as one web page that contains the pictures",
        REPORTS, REPORTING, TEXT, reports.page),
    ROW("junit", 0, "FILE", "write the results as a JUnit file",
        REPORTS, REPORTING, TEXT, reports.junit),
    ROW("tap", 0, NULL, "answer in TAP (version 13) on stdout",
        REPORTS, REPORTING, FLAG, reports.tap),
    ROW_WITH("out", 0, "DIR", "folder for drawn pictures, differences and results.json",
        REPORTS, "test ", TEXT, reports.results, .words = "results/ beside each suite"),

    ROW_WITH("allow-format", 0, "LIST|all",
        "also read formats whose importers crash more often: md5, x, ogre, mdl",
        FILES, FILING, TEXT, files.formats, .has_commas = true, LOADS | MRWI_OPTIONS_HOST),
    ROW_WITH("input-format", 0, "FORMAT",
        "read every model as this format: gltf, fbx, collada, obj, ...",
        FILES, READING, TEXT, files.input_format, .words = "detected", LOADS),
    ROW_WITH("scene", 0, "NAME|INDEX", "scene of a glTF file to draw",
        FILES, READING, TEXT, files.scene, .words = "the file's default", LOADS),
    ROW_WITH("variant", 0, "NAME|INDEX", "variant of a glTF file whose materials to use",
        FILES, READING, TEXT, files.variant, .words = "none", LOADS),
    ROW_WITH("asset-root", 0, "DIR", "folder in which the files that a model names must lie",
        FILES, FILING, TEXT, files.asset_root, .words = "the model's folder", .is_path = true,
        LOADS | MRWI_OPTIONS_HOST),
    ROW_WITH("max-file-size", 0, "BYTES", "refuse larger files; sizes such as 512M, 2G",
        FILES, FILING, BYTES, files.max_file_size, RANGE(1, 1e15), LOADS | MRWI_OPTIONS_LOWER),
    ROW_WITH("max-texture-size", 0, "PIXELS|WxH",
        "refuse larger textures; all together may have twice as many pixels",
        FILES, FILING, PIXELS, files.max_texture_size, RANGE(1, 1e15), LOADS | MRWI_OPTIONS_LOWER),
    ROW_WITH("texture-memory", 0, "BYTES",
        "memory for the textures of all models, with mip levels; a checker replaces those that do "
        "not fit",
        FILES, FILING, BYTES, files.texture_memory, RANGE(1, 1e15), LOADS | MRWI_OPTIONS_LOWER),
    ROW_WITH("max-vertices", 0, "N", "refuse models with more vertices; numbers such as 500k, 20M",
        FILES, FILING, AMOUNT, files.max_vertices, RANGE(1, 4e9), LOADS | MRWI_OPTIONS_LOWER),
    ROW_WITH("max-joints", 0, "N", "refuse models with more joints in all skins",
        FILES, FILING, AMOUNT, files.max_joints, RANGE(1, 4e9), LOADS | MRWI_OPTIONS_LOWER),
    ROW_WITH("max-keys", 0, "N", "refuse models with more animation keys",
        FILES, FILING, AMOUNT, files.max_keys, RANGE(1, 4e9), LOADS | MRWI_OPTIONS_LOWER),
    ROW_WITH("import-seconds", 0, "SECONDS", "stop an import that takes longer",
        FILES, FILING, NUMBER, files.import_seconds, RANGE(0.01, 86400),
        LOADS | MRWI_OPTIONS_LOWER),
    ROW_WITH("import-memory", 0, "BYTES", "stop an import that takes more memory",
        FILES, FILING, BYTES, files.import_memory, RANGE(67108864, 1e15),
        LOADS | MRWI_OPTIONS_LOWER),
    ROW_WITH("fbx-curves", 0, NULL,
        "FBX: follow steps and tangents between keys, as Maya does (default); else linearly",
        FILES, FILING, FLAG, files.fbx_curves, LOADS),
    ROW_WITH("from-first-key", 0, NULL,
        "start clips at their first key, which becomes time 0 and frame 0",
        FILES, READING, FLAG, files.from_first_key, LOADS),
    ROW_WITH("material-colors", 0, "auto|srgb|linear",
        "encoding of colours in FBX, Collada, OBJ, X, ...; auto: linear from Blender, else sRGB",
        FILES, FILING, CHOICE, files.material_colors, LOADS),
    ROW_WITH("flip-v", 0, NULL, "flip texture coordinates vertically",
        FILES, READING, FLAG, files.flip_v, LOADS),
    ROW_WITH("flip-winding", 0, NULL,
        "reverse the winding of triangles, for models that show their insides",
        FILES, READING, FLAG, files.flip_winding, LOADS),
    ROW_WITH("no-sandbox", 0, NULL,
        "import in this process; only for trusted files, where no helper can run",
        FILES, FILING, FLAG, files.no_sandbox, LOADS | MRWI_OPTIONS_HOST),

    ROW_WITH("shard", 0, "I/N",
        "do only part I of N of the pictures of all models, or of all cases; I starts at 1",
        RUN, "render test batch ", SHARD, run.shard_index, .excludes = "sheet atlas", NO_KEY, HOST),
    ROW_WITH("jobs", 'j', "N",
        "number of threads; affinity and cgroup quota count, OMP_NUM_THREADS does not",
        RUN, DRAWING, INTEGER, run.threads, RANGE(1, 1024), .words = "all CPUs granted", NO_KEY,
        HOST),
    ROW_WITH("timeout", 0, "SECONDS",
        "stop when the command takes longer: nothing half-written stays, and the status is 77",
        RUN, ALL, NUMBER, run.timeout, RANGE(0.001, 1e9), .words = "no limit", NO_KEY, HOST),
    ROW_WITH("max-work", 0, "N",
        "refuse pictures that take more work; a unit is about a nanosecond of one CPU",
        RUN, DRAWING, AMOUNT, run.max_work, RANGE(1, 1e15), NO_KEY, LOWER),
    ROW_WITH("memory", 0, "BYTES",
        "end with status 77 before more memory is taken, by everything together; as in 512M or 2G",
        RUN, WORKING, BYTES, run.memory, RANGE(1, 1e15), .words = "no limit",
        .no_key = "a suite must not allow itself more: it belongs on the command line", HOST),
    ROW_WITH("cache", 0, "BYTES", "memory for models that later lines may show again",
        RUN, "batch ", BYTES, run.cache, RANGE(0, 1e15), HOST),
    ROW_WITH("isa", 0, "auto|scalar|sse2|avx2|avx512|neon",
        "instruction set of the kernels; all give the same bits",
        RUN, SHOWING "test bench batch ", ISA, run.isa,
        .no_key = "all instruction sets give the same bits; to try one, run marrow test --isa",
        HOST),
    ROW_WITH("backend", 0, "soft|gl",
        "renderer: soft is built in and the same everywhere, gl is the machine's OpenGL (GL=1 "
        "builds)",
        RUN, "render sheet sprites test view ", CHOICE, run.backend,
        .no_key = "the command line chooses the renderer: marrow test --backend gl", HOST),
    ROW_WITH("gl-device", 0, "N", "OpenGL device, by its number in the list of marrow doctor",
        RUN, "render sheet sprites test view ", INTEGER, run.gl_device, RANGE(0, 15),
        .words = "EGL's default",
        .needs = "backend=gl", NO_KEY, HOST),
    ROW_WITH("quick", 0, NULL, "run each row only a few times, for rough figures within seconds",
        RUN, "bench ", FLAG, run.quick, HOST),
    ROW_WITH("strict", 0, NULL, "exit with status 5 if there were warnings",
        RUN, READING "test ", FLAG, run.strict, NO_KEY, HOST),
    ROW_WITH("quiet", 'q', NULL, "print nothing but errors",
        RUN, WORKING, FLAG, run.quiet, .excludes = "verbose", NO_KEY, HOST),
    ROW_WITH("verbose", 'v', NULL, "print more: kernels, threads, scene hashes, every file",
        RUN, WORKING, FLAG, run.verbose, NO_KEY, HOST),
    ROW_WITH("help", 'h', NULL, "show this help",
        RUN, ALL, FLAG, run.help, NO_KEY, HOST),
    ROW_WITH("all", 0, NULL, "with --help: show all options",
        RUN, ALL, FLAG, run.all, .needs = "help",
        .needs_for = WORKING "bench completions version ", NO_KEY, HOST),
    ROW_WITH("version", 'V', NULL, "show the version and the pixel version",
        RUN, ALL, FLAG, run.version, NO_KEY, HOST),
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
           option->kind == MRWI_OPTIONS_HIDE || option->kind == MRWI_OPTIONS_SHOW ||
           option->kind == MRWI_OPTIONS_IDS || option->kind == MRWI_OPTIONS_POINTS ||
           option->kind == MRWI_OPTIONS_LIGHTS;
}

const char *mrwi_options_why_no_key(const mrwi_options_option *option)
{
    const bool fine = option->shown.group == MRW_OPTIONS_COMPARE ||
                      mrw_option_belongs(&option->shown, MRW_COMMAND_RENDER);
    return option->no_key || fine ? option->no_key : "it belongs on the command line";
}

/* The options of `render` that most people need. */
static const char common[] = "output sheet atlas force json clip anim frames times count fps loop "
                             "size aa look shading light env ground background overlay "
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
