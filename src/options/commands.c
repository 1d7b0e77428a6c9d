/* commands.c: the name, arguments and help of each command. */
#include "marrow/options.h"

static const mrw_command_info commands[MRW_COMMAND_COUNT] = {
    [MRW_COMMAND_RENDER] =
        {"render",
         "MODEL... [-o PATH]",
         "draw stills, sequences, animations, contact sheets",
         "Draws animated models to files: the same pixels on every machine. Without a\n"
         "frame option and without a frame field in -o it draws one still: the first clip\n"
         "at time 0. Frames are numbered from 0. The ending of the name in -o chooses the\n"
         "format: a picture per file, an animation, or a video (made by ffmpeg); `marrow\n"
         "help formats` lists them. --sheet arranges all pictures in one; -o - --stream\n"
         "sends them to another program.\n"
         "Without -o the files go to the current folder as MODEL.png or\n"
         "MODEL_CLIP_FRAME.png, and nothing is overwritten.",
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
         "Draws a contact sheet that shows what a model can do: one row per clip, with\n"
         "eight pictures of 128 pixels (--size) that are evenly spaced in time (--count,\n"
         "--times), the clip's name and the times. Many clips stand side by side. A model\n"
         "without clips is shown from four sides. Without -o the sheet goes to the current\n"
         "folder as MODEL-sheet.png, and nothing is overwritten; with -o several models\n"
         "share one sheet. A sheet has at most 16384 pixels per side: about 1400 clips at\n"
         "this size.",
         {"marrow sheet fox.glb", "marrow sheet fox.glb --clip 'Run*' --count 12 --size 96",
          "marrow sheet demo:figure demo:blob --background none -o all.png"},
         1,
         UINT32_MAX,
         MRW_READS_PICTURES},
    [MRW_COMMAND_SPRITES] =
        {"sprites",
         "MODEL... [-o FILE.png]",
         "draw sprite sheets for games",
         "Draws all clips of a model from eight directions into one sprite sheet, with a\n"
         "JSON file that says where each frame is: eight frames of 128 pixels per clip\n"
         "and direction, without a background, trimmed, with colour in clear pixels, and\n"
         "packed. --atlas-format godot also writes SpriteFrames for Godot 4. Every option\n"
         "of render --atlas changes it. With --ground the shadows fit in, too. Without -o\n"
         "the files go to the current folder as MODEL-sprites.png and .json, and nothing\n"
         "is overwritten.",
         {"marrow sprites hero.glb", "marrow sprites hero.glb --directions 4 --fps 12 --size 64",
          "marrow sprites hero.glb --atlas-format godot --ground -o hero.png"},
         1,
         UINT32_MAX,
         MRW_READS_PICTURES},
    [MRW_COMMAND_INFO] =
        {"info",
         "MODEL...",
         "show what a file contains",
         "Lists the meshes, skins, clips, materials, textures, cameras and lights of a\n"
         "model, and its scene hash. Repairs made while loading are reported on standard\n"
         "error.",
         {"marrow info fox.glb", "marrow info fox.glb --json", "marrow info demo:figure"},
         1,
         UINT32_MAX,
         MRW_READS_NOTHING},
    [MRW_COMMAND_BAKE] =
        {"bake",
         "MODEL [-o FILE]",
         "write the deformed mesh as geometry or numbers",
         "Poses and skins a model and writes its triangles in world space: boxes, areas\n"
         "and centroids as text or JSON, one line per time, or the mesh as .obj or .ply.\n"
         "--joints writes where every joint is in the picture that render draws with the\n"
         "same options: one line per time, or key points, boxes and masks for COCO.",
         {"marrow bake fox.glb --clip Run --time 0.5 -o posed.obj",
          "marrow bake fox.glb --clip Run --times 0,0.25,0.5 --json",
          "marrow bake fox.glb --clip Run --count 24 --size 640 --joints run.jsonl"},
         1,
         1,
         MRW_READS_VERTICES},
    [MRW_COMMAND_PICK] =
        {"pick",
         "MODEL --at X,Y...",
         "tell what is visible at pixels",
         "Tells what is visible at pixels of the picture that render draws with the same\n"
         "options: node, mesh, material, triangle and the point on it, depth, the joints\n"
         "that move it and their weights. A pixel shows the nearest surface at its centre.\n"
         "Alpha masks cut holes, and a blended surface counts if its alpha is one half or\n"
         "more.",
         {"marrow pick fox.glb --at 320,200 --size 640x400",
          "marrow pick fox.glb --clip Run --time 0.5 --at 100,80 --at 120,80 --json",
          "marrow pick demo:figure --add sword.glb@hand.R --at 256,256"},
         1,
         1,
         MRW_READS_COVERAGE},
    [MRW_COMMAND_BATCH] =
        {"batch",
         "JOBS.jsonl|-",
         "draw a list of jobs, one line of JSON each",
         "Reads jobs, one JSON object per line, from a file or standard input (-), and\n"
         "answers each with a line of JSON as soon as it is done. The keys are \"model\",\n"
         "\"output\" (a name as -o has it; \"-.webp\" returns the file in base64), \"id\"\n"
         "(returned with the answer) and the long names of render's options, except those\n"
         "that read other files or concern the process. Models are kept, so another\n"
         "picture of one costs only the drawing. A job that fails does not end the\n"
         "others; the status is that of the first that failed.",
         {"marrow batch jobs.jsonl >answers.jsonl", "marrow batch - -j 1 <jobs.jsonl",
          "marrow batch jobs.jsonl --shard 2/4 --cache 2G --max-file-size 50M"},
         1,
         1,
         MRW_READS_PICTURES},
    [MRW_COMMAND_COMPILE] =
        {"compile",
         "MODEL [-o FILE]",
         "save a model as a file that needs no importer",
         "Writes a loaded model to a file that marrow reads like any other model. It gives\n"
         "the same scene, and so the same pixels, on every machine, even where an importer\n"
         "is missing or rounds differently. It contains the textures. Without -o the file\n"
         "goes to the current folder as MODEL.marrow, and nothing is overwritten.",
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
         "Draws built-in scenes with every instruction set of this CPU and several numbers\n"
         "of threads, and compares the hash of the pixels with the one that every machine\n"
         "must get.",
         {"marrow doctor", "marrow doctor --json", "marrow doctor -v"},
         0,
         0,
         MRW_READS_ALL},
    [MRW_COMMAND_TEST] =
        {"test",
         "[SUITE|DIR...]",
         "compare pictures with goldens",
         "Runs the cases of suite files, which are suite.ini or NAME.suite.ini, and\n"
         "compares pictures, poses and bounds with the goldens beside them. It looks for\n"
         "suites below the given folders, or below the current one. Differences are left\n"
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
         "make the last test run's pictures the new goldens",
         "Makes goldens of the results of failed cases: of all, or of those whose name\n"
         "matches a GLOB. It says first what changes and by how much. --from takes another\n"
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
         "Tells how two pictures differ, whichever program made them, or all pictures of\n"
         "two folders. Two models are drawn with one camera and compared picture by\n"
         "picture and joint by joint, in all frames of all clips unless options of render\n"
         "choose others. Exits with status 1 if they differ.",
         {"marrow diff old.png new.png -o diff.png",
          "marrow diff before/ after/ --compare pixel --max-delta 2 --report out",
          "marrow diff old.fbx new.fbx --clip all --report out"},
         2,
         2,
         MRW_READS_PICTURES},
    [MRW_COMMAND_REPORT] =
        {"report",
         "merge DIR...",
         "merge results folders into one report",
         "Merges the results of several runs, such as shards that CI has run separately,\n"
         "and writes them as one report. The exit status is that of one run of all of\n"
         "them.",
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
         "Writes a suite that is ready to run, with a case for each clip of each model.\n"
         "Other keys that it may have are there as comments: remove the '#' to use one.\n"
         "Without -o the file is MODEL.suite.ini in the current folder, or suite.ini for\n"
         "several models. Only --force overwrites a file. --add MODEL extends a suite that\n"
         "exists, that of -o or the only one in the current folder: it gets a case for\n"
         "each clip that no case draws.",
         {"marrow init hero.glb", "marrow init hero.glb --clip 'Run*' --size 160 --count 5",
          "marrow init --add dog.glb -o tests/suite.ini"},
         1,
         UINT32_MAX,
         MRW_READS_VERTICES},
    [MRW_COMMAND_VIEW] =
        {"view",
         "MODEL...|RESULTS",
         "show animated models in a window",
         "Shows a model in a window: turn it, play its clips, look at its materials,\n"
         "joints and weights. The pixels are those that render writes; `c` prints the\n"
         "command line that draws them. For a results folder of marrow test it shows one\n"
         "failure after another beside its goldens, and can accept it. It needs a build\n"
         "with GL=1 and a display; --play needs neither.",
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
         "generated scenes, with every instruction set of this CPU. In the same run it\n"
         "measures yardsticks: copying the bytes, a plain loop and stb's PNG. The growth\n"
         "rows show how cost grows with the size of a scene. Figures are medians of\n"
         "processor time on one core, unless a row says otherwise. All rows take about two\n"
         "minutes; with --quick, which runs each once or twice, they take some seconds.\n"
         "Choose rows by name, by the start of a name up to a dash, or by a pattern. The\n"
         "answer is Markdown.",
         {"marrow bench", "marrow bench skin 'png-*' --isa avx2",
          "marrow bench --quick --json >figures.json"},
         0,
         UINT32_MAX,
         MRW_READS_ALL},
    [MRW_COMMAND_COMPLETIONS] =
        {"completions",
         "SHELL",
         "print the completions of bash, zsh or fish",
         "Prints the script that completes command lines in a shell: commands, options,\n"
         "values, file names, and the clips and nodes of the model on the line. The\n"
         "script asks the marrow that is being typed, so a new version needs no new one.",
         {"marrow completions bash >~/.local/share/bash-completion/completions/marrow",
          "marrow completions zsh >~/.zfunc/_marrow",
          "marrow completions fish >~/.config/fish/completions/marrow.fish"},
         0,
         1,
         MRW_READS_NOTHING},
    [MRW_COMMAND_VERSION] =
        {"version",
         "",
         "show the version and the pixel version",
         "Shows the version, and the pixel version, which is raised when pixels change.",
         {"marrow version", "marrow --version", "marrow -V"},
         0,
         0,
         MRW_READS_ALL},
    [MRW_COMMAND_HELP] =
        {"help",
         "[COMMAND|TOPIC|WORD...] [--all]",
         "explain a command, a topic or a word",
         "Explains marrow, a command or a topic (suite, formats, ...), or lists all\n"
         "commands, options and topics that contain a word. For render it shows the\n"
         "options that most people need; --all shows all. Options are words here, too:\n"
         "--sheet.",
         {"marrow help render --all", "marrow help gif", "marrow help --sheet"},
         0,
         UINT32_MAX,
         MRW_READS_ALL},
};

const mrw_command_info *mrw_command_describe(mrw_command command)
{
    return &commands[command];
}
