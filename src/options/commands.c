/* commands.c: what each command is called, takes and is for. */
#include "marrow/options.h"

static const mrw_command_info commands[MRW_COMMAND_COUNT] = {
    [MRW_COMMAND_RENDER] =
        {"render",
         "MODEL... [-o PATH]",
         "draw stills, sequences, animations, contact sheets",
         "Draws animated models to files: the same pixels on every machine. Without a\n"
         "frame option and without a frame field in -o it draws one still of the first\n"
         "clip at time 0. Frames are numbered from 0. The name says how they are written:\n"
         ".png, .jpg, .tga, .bmp, .qoi or .pam a file a picture; .apng, .gif or .webp an\n"
         "animation; .mp4, .webm or .mov a video (ffmpeg makes it). --sheet lays them out\n"
         "in one picture; -o - --stream gives them to another program. Without -o the\n"
         "files go to the current folder as MODEL.png or MODEL_CLIP_FRAME.png, and\n"
         "nothing is overwritten.",
         {"marrow render fox.glb -o fox.png",
          "marrow render fox.glb --clip Run --fps 24 -o 'out/{clip}_{frame:04}.png'",
          "marrow render demo:figure --clip Walk --loop --size 320 -o walk.apng"},
         1,
         UINT32_MAX,
         MRW_READS_PICTURES},
    [MRW_COMMAND_SHEET] =
        {"sheet",
         "MODEL... [-o FILE.png]",
         "draw all clips of a model in one picture",
         "Draws a contact sheet that tells what a model can do: each clip a row of eight\n"
         "pictures of 128 pixels (--size), evenly spread (--count, --times), with its\n"
         "name and the times; many clips stand side by side. A model without clips is\n"
         "seen from four sides. Without -o it goes to the current folder as\n"
         "MODEL-sheet.png, and nothing is overwritten; with -o several models share it.\n"
         "A sheet has at most 16384 pixels a side: some 1400 clips at this size.",
         {"marrow sheet fox.glb", "marrow sheet fox.glb --clip 'Run*' --count 12 --size 96",
          "marrow sheet demo:figure demo:blob --background none -o all.png"},
         1,
         UINT32_MAX,
         MRW_READS_PICTURES},
    [MRW_COMMAND_INFO] =
        {"info",
         "MODEL...",
         "show what is in a file",
         "Lists meshes, skins, clips, materials, textures, cameras and lights of a model,\n"
         "and its scene hash; what was repaired while loading is said on standard error.",
         {"marrow info fox.glb", "marrow info fox.glb --json", "marrow info demo:figure"},
         1,
         UINT32_MAX,
         MRW_READS_NOTHING},
    [MRW_COMMAND_BAKE] =
        {"bake",
         "MODEL [-o FILE]",
         "write the deformed mesh as geometry or numbers",
         "Poses and skins a model and gives its triangles in world space: boxes, areas\n"
         "and centroids as text or JSON, one line a time, or the mesh as .obj or .ply.\n"
         "--joints writes where every joint is in the picture that render draws with the\n"
         "same options, a line a time or as key points, boxes and masks of COCO.",
         {"marrow bake fox.glb --clip Run --time 0.5 -o posed.obj",
          "marrow bake fox.glb --clip Run --times 0,0.25,0.5 --json",
          "marrow bake fox.glb --clip Run --count 24 --size 640 --joints run.jsonl"},
         1,
         1,
         MRW_READS_VERTICES},
    [MRW_COMMAND_PICK] =
        {"pick",
         "MODEL --at X,Y...",
         "say what is seen at pixels",
         "Says what a picture that render draws with the same options shows at pixels:\n"
         "node, mesh, material, triangle and the point on it, depth, the joints that move\n"
         "it and their weights. A pixel shows what is nearest at its centre; masks have\n"
         "their holes, and what is blended is there where its alpha is one half or more.",
         {"marrow pick fox.glb --at 320,200 --size 640x400",
          "marrow pick fox.glb --clip Run --time 0.5 --at 100,80 --at 120,80 --json",
          "marrow pick demo:figure --add sword.glb@hand.R --at 256,256"},
         1,
         1,
         MRW_READS_COVERAGE},
    [MRW_COMMAND_COMPILE] =
        {"compile",
         "MODEL [-o FILE]",
         "pin a model as a file that needs no importer",
         "Writes a loaded model as a file that is read wherever a model is: the same\n"
         "scene, and so the same pixels, on every machine, also where an importer rounds\n"
         "differently or is not there. Textures are part of it. Without -o the file goes\n"
         "to the current folder as MODEL.marrow, and nothing is overwritten.",
         {"marrow compile hero.fbx -o hero.marrow",
          "marrow compile scene.md5mesh --allow-format md5 -o scene.marrow",
          "marrow compile - --input-format obj -o chair.marrow <chair.obj"},
         1,
         1,
         MRW_READS_ALL},
    [MRW_COMMAND_DOCTOR] =
        {"doctor",
         "",
         "check that this machine draws what all others draw",
         "Draws built-in scenes with every instruction set this CPU has and several\n"
         "numbers of threads, and compares the hash of the pixels with the one all\n"
         "machines must give.",
         {"marrow doctor", "marrow doctor --json", "marrow doctor -v"},
         0,
         0,
         MRW_READS_ALL},
    [MRW_COMMAND_TEST] =
        {"test",
         "[SUITE|DIR...]",
         "compare what is drawn with goldens",
         "Runs the cases of suite files, which are suite.ini or NAME.suite.ini, and\n"
         "compares pictures, poses and bounds with the goldens beside them. Suites are\n"
         "looked for below the folders given, else below this one. What differs is left\n"
         "in a results folder beside each suite. Nothing passes by accident: a missing\n"
         "golden, an empty picture and a run without cases are failures.",
         {"marrow test", "marrow test tests/golden --update=missing",
          "marrow test -k 'hero.*' --report out --junit out/junit.xml"},
         0,
         UINT32_MAX,
         MRW_READS_PICTURES},
    [MRW_COMMAND_ACCEPT] =
        {"accept",
         "[GLOB...]",
         "make what the last test run drew the new goldens",
         "Promotes the results of cases that failed, of all or of those whose name\n"
         "matches one, after saying what changes and by how much. --from takes another\n"
         "results folder, such as one that CI has kept.",
         {"marrow accept --dry-run", "marrow accept 'hero.*' tests/blob",
          "marrow accept --from ~/Downloads/results"},
         0,
         UINT32_MAX,
         MRW_READS_ALL},
    [MRW_COMMAND_DIFF] =
        {"diff",
         "A B",
         "compare two pictures, two folders, or two models",
         "Says how two pictures differ, anybody's, or all of two folders. Two models are\n"
         "drawn with one camera and compared picture by picture and joint by joint, all\n"
         "frames of all clips unless options of render say which. Ends with 1 when they\n"
         "differ.",
         {"marrow diff old.png new.png -o diff.png",
          "marrow diff before/ after/ --compare pixel --max-delta 2 --report out",
          "marrow diff old.fbx new.fbx --clip all --report out"},
         2,
         2,
         MRW_READS_PICTURES},
    [MRW_COMMAND_REPORT] =
        {"report",
         "merge DIR...",
         "join results folders in one report",
         "Joins the results of several runs, such as shards that CI has run apart, and\n"
         "writes them as one. Ends as one run of all of them would.",
         {"marrow report merge shard-*/results --report out",
          "marrow report merge results --report-inline failures.html",
          "marrow report merge shard-1 shard-2 --junit junit.xml"},
         2,
         UINT32_MAX,
         MRW_READS_ALL},
    [MRW_COMMAND_INIT] =
        {"init",
         "MODEL... [-o FILE]",
         "write a first suite for models",
         "Writes a suite with a case for each clip of each model, ready to run, and what\n"
         "else it can have as lines to take the '#' from. Without -o it is\n"
         "MODEL.suite.ini in the current folder, of several models suite.ini. Only\n"
         "--force overwrites anything.",
         {"marrow init hero.glb", "marrow init hero.glb --clip 'Run*' --size 160 --count 5",
          "marrow init hero.glb dog.glb -o tests/suite.ini"},
         1,
         UINT32_MAX,
         MRW_READS_VERTICES},
    [MRW_COMMAND_VIEW] =
        {"view",
         "MODEL...|RESULTS",
         "show models that move, in a window",
         "Shows a model in a window: turn it, play its clips, look at its materials,\n"
         "joints and weights. What is shown are the pixels that render writes; `c` prints\n"
         "the line that draws them. Of a results folder of marrow test it shows failure\n"
         "after failure beside the goldens, and accepts. Wants a build with GL=1 and a\n"
         "display; --play needs neither.",
         {"marrow view fox.glb --clip Run --shading clay --shadows", "marrow view tests/results",
          "marrow view demo:figure --play keys.txt -o out/"},
         1,
         UINT32_MAX,
         MRW_READS_ALL},
    [MRW_COMMAND_BENCH] =
        {"bench",
         "[ROW...]",
         "measure how fast marrow is on this machine",
         "Measures skinning, posing, drawing, PNG files, sequences and the cold start on\n"
         "generated scenes, with every instruction set this CPU has; beside them, in the\n"
         "same run, what copying the bytes, a plain loop and stb's PNG take. The growth\n"
         "rows say how cost grows with the size of a scene. Figures are medians of\n"
         "processor time on one core, where nothing else is said. All rows take about two\n"
         "minutes, and with --quick, which runs each once or twice, some seconds. A row is\n"
         "named by its name, the beginning of it up to a dash, or a pattern. Answers in\n"
         "Markdown.",
         {"marrow bench", "marrow bench skin 'png-*' --isa avx2",
          "marrow bench --quick --json >figures.json"},
         0,
         UINT32_MAX,
         MRW_READS_ALL},
    [MRW_COMMAND_VERSION] =
        {"version",
         "",
         "show the version and the pixel version",
         "Shows the version, and that of the pixels, which is raised when they change.",
         {"marrow version", "marrow --version", "marrow -V"},
         0,
         0,
         MRW_READS_ALL},
    [MRW_COMMAND_HELP] =
        {"help",
         "[COMMAND|TOPIC|WORD...] [--all]",
         "show a command, a topic, or what a word means",
         "Shows what marrow does, or a command, or a topic (suite, formats), or all\n"
         "commands, options and topics that have a word. Of render it shows the options\n"
         "that most people need; --all shows all. Options are words here, too: --sheet.",
         {"marrow help render --all", "marrow help gif", "marrow help --sheet"},
         0,
         UINT32_MAX,
         MRW_READS_ALL},
};

const mrw_command_info *mrw_command_describe(mrw_command command)
{
    return &commands[command];
}
