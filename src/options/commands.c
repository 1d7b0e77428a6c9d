/* commands.c: what each command is called, takes and is for. */
#include "marrow/options.h"

static const mrw_command_info commands[MRW_COMMAND_COUNT] = {
    [MRW_COMMAND_RENDER] =
        {"render",
         "MODEL... [-o PATH]",
         "draw stills, sequences, animations and contact sheets",
         "Draws animated models to PNG files: the same pixels on every machine.\n"
         "Without a frame option and without a frame field in -o it draws one still of\n"
         "the first clip at time 0. Frames are numbered from 0. A name ending in .apng\n"
         "collects the frames in one animated PNG, --sheet in one picture. Without -o the\n"
         "files go to the current folder as MODEL.png or MODEL_CLIP_FRAME.png, and\n"
         "nothing is overwritten.",
         {"marrow render fox.glb -o fox.png",
          "marrow render fox.glb --clip Run --fps 24 -o 'out/{clip}_{frame:04}.png'",
          "marrow render demo:figure --clip Walk --loop --size 320 -o walk.apng"},
         1,
         UINT32_MAX},
    [MRW_COMMAND_INFO] =
        {"info",
         "MODEL...",
         "show what is in a file",
         "Lists meshes, skins, clips, materials, textures, cameras and lights of a model,\n"
         "and its scene hash; what was repaired while loading is said on standard error.",
         {"marrow info fox.glb", "marrow info fox.glb --json", "marrow info demo:figure"},
         1,
         UINT32_MAX},
    [MRW_COMMAND_BAKE] =
        {"bake",
         "MODEL [-o FILE]",
         "write the deformed mesh as geometry or numbers",
         "Poses and skins a model and gives its triangles in world space: boxes, areas\n"
         "and centroids as text or JSON, one line a time, or the mesh as .obj or .ply.\n"
         "--joints writes where every joint is in the picture that render draws with the\n"
         "same options.",
         {"marrow bake fox.glb --clip Run --time 0.5 -o posed.obj",
          "marrow bake fox.glb --clip Run --times 0,0.25,0.5 --json",
          "marrow bake fox.glb --clip Run --count 24 --size 640 --joints run.jsonl"},
         1,
         1},
    [MRW_COMMAND_COMPILE] =
        {"compile",
         "MODEL [-o FILE]",
         "pin a model as a .marrow file that needs no importer",
         "Writes a loaded model as a file that is read wherever a model is: the same\n"
         "scene, and so the same pixels, on every machine, also where an importer rounds\n"
         "differently or is not there. Textures are part of it. Without -o the file goes\n"
         "to the current folder as MODEL.marrow, and nothing is overwritten.",
         {"marrow compile hero.fbx -o hero.marrow",
          "marrow compile scene.md5mesh --allow-format md5 -o scene.marrow",
          "marrow compile - --input-format obj -o chair.marrow <chair.obj"},
         1,
         1},
    [MRW_COMMAND_DOCTOR] =
        {"doctor",
         "",
         "check that this machine draws what all others draw",
         "Draws built-in scenes with every instruction set this CPU has and several\n"
         "numbers of threads, and compares the hash of the pixels with the one all\n"
         "machines must give.",
         {"marrow doctor", "marrow doctor --json", "marrow doctor -v"},
         0,
         0},
    [MRW_COMMAND_HELP] = {"help",
                          "[COMMAND]",
                          "show all commands, or one command's options",
                          "Shows what marrow does, or everything one command understands.",
                          {"marrow help", "marrow help render", "marrow render --help"},
                          0,
                          1},
};

const mrw_command_info *mrw_command_describe(mrw_command command)
{
    return &commands[command];
}
