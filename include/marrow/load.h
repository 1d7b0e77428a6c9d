/* load.h: files to scenes. */
#ifndef MARROW_LOAD_H
#define MARROW_LOAD_H

#include "image.h"
#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Encoding of the colours of materials, lights and vertices in FBX, Collada, OBJ, 3DS, X, B3D,
 * MS3D, Ogre and IQM files. AUTO means sRGB, except that files written by Blender have linear
 * materials and lights. Other formats do not use this: glTF specifies linear, M3D is taken as
 * linear, and SMD, MD5, MDL, STL and BVH have no colours. */
typedef enum mrw_material_colors {
    MRW_MATERIAL_COLORS_AUTO,
    MRW_MATERIAL_COLORS_SRGB,
    MRW_MATERIAL_COLORS_LINEAR
} mrw_material_colors;

typedef struct mrw_load_def {
    /* texture_dir_count folders that are also searched for textures (mrw_load_file). May be
     * NULL. */
    const char *const *texture_dirs;
    size_t texture_dir_count;
    /* Root folder for the paths in the model: a path such as "../textures", relative to the model's
     * folder, must stay below it. NULL: the model's folder. */
    const char *asset_root;
    /* Formats to read in addition to the default ones: "md5,x" or "all". NULL: none. */
    const char *formats;
    /* Format to read the file as. NULL: detect it by content, then by name. */
    const char *input_format;
    /* Name or index (from 0) of the glTF scene to draw. NULL: the file's default scene, else the
     * first. Nodes and clips of the other scenes are loaded, too. */
    const char *scene;
    /* Name or index (from 0) of the glTF variant whose materials to use (KHR_materials_variants).
     * NULL: the materials that the primitives name. */
    const char *variant;

    /* Limits. A file that exceeds one is refused with a message that names the limit. */
    /* Bytes of one file, of all buffers of a model together, and of all its images together.
     * Default 2 GiB. */
    uint64_t max_file_size;
    /* Pixels of one texture; all textures of a model together may have twice as many. Default 16384
     * x 16384. */
    uint64_t max_texture_size;
    /* Bytes that the model's images may take for drawing, including mip levels (mrw_image_memory).
     * They are counted from the image headers in file order; identical images count each time they
     * occur. An image that no longer fits is not decoded: a checker pattern stands in, with a
     * warning. Default 1 GiB. */
    uint64_t texture_memory;
    /* Vertices, indices, keys, weights and nodes read from one file. Draws, morph targets and
     * entries without data count ten times. Default 100 million; more than ten million make a load
     * take seconds. */
    uint64_t max_elements;
    /* Vertices of all meshes together, as filed. Default 20 million. */
    uint64_t max_vertices;
    /* Joints of all skins together. Default 65535. */
    uint64_t max_joints;
    /* Keys of all clips together. Default 50 million. */
    uint64_t max_keys;
    /* Seconds of wall time that the import helper may take. Default 10. */
    double import_seconds;
    /* Bytes of address space that the import helper may use, at least 64 MiB. Default 2 GiB. */
    uint64_t import_memory;

    /* Follow the curves between FBX keys (steps, tangents) as Maya and MotionBuilder do. If false,
     * interpolate linearly, as assimp and three.js do. Default true. */
    bool fbx_curves;

    /* Start each clip at its first key. The time before it, when nothing moves yet, is cut off;
     * mrw_clip.start gives its length. */
    bool from_first_key;

    /* mrw_material_colors */
    uint32_t material_colors;
    /* Flip v of texture coordinates, or flip the winding of triangles and with it computed normals;
     * normals of the file are kept. Compiled scenes are refused. */
    bool flip_v;
    bool flip_winding;

    /* Threads that decode the images of a glTF file while the rest is read. The scene, its warnings
     * and the effect of limits do not change. Default 1: none is started. */
    int threads;

    /* Load the scene only for its clips (mrw_scene_add_clips): no image is opened and no material
     * has maps. Compiled scenes stay as they are. */
    bool clips_only;

    /* Maps that will be read, one bit each: MRW_MAP_BIT(MRW_MAP_NORMAL) and so on, MRW_MAPS_ALPHA,
     * or MRW_MAPS_ALL (default). mrw_frame_maps returns the maps that pictures read.
     *
     * An image that only other maps use is opened, so that a missing file is reported, but it is
     * not decoded: it becomes MRW_IMAGE_UNDECODED, and errors in its pixels are not noticed. With
     * MRW_MAPS_ALPHA and without the base colour, base colour images are decoded if they may have
     * alpha and their material is not opaque, and kept if some texel has alpha. The scene's hash
     * does not depend on the maps read. To get it right, base colour images that may have alpha, in
     * formats that specify no alpha mode, are always decoded, and dropped again if not needed.
     *
     * Undecoded maps cannot be drawn, and a scene with them cannot be compiled. Compiled scenes
     * keep their texels. Use 0 to inspect a scene. */
    uint32_t maps;

    /* Leave JPEGs encoded (MRW_IMAGE_ENCODED): filling the textures of a model decodes them, row by
     * row, without memory for their texels, and mrw_model_is_damaged tells which are damaged.
     * JPEGs with several scans, JPEGs that are cut off, and those of HEIGHT and DISPLACEMENT maps
     * are decoded all the same. Pictures do not change. For programs that create one model from the
     * scene: each model decodes them again. Default false. */
    bool later_jpegs;

    /* Import in this process. Use it only for trusted files, where no helper can run. Each import
     * leaves memory allocated until the process ends (measured: 45 KB to 1.6 MB per model). */
    bool no_sandbox;

    /* Called during the load with what this machine lacks for safe import (no seccomp, no sandbox).
     * It does not concern the file, so do not refuse the file for it. NULL: not called. */
    void (*machine_warning)(void *user, const char *text);
    void *machine_warning_user;

    /* Called with what was used where a file is imprecise, such as a texture found under another
     * name. One line, safe for a terminal, on the loading thread. NULL: not called. */
    void (*detail)(void *user, const char *text);
    void *detail_user;

    /* Called with the name of each variant of a glTF file (KHR_materials_variants), in order. It
     * comes from the file; see mrw_escape_text before you print it. NULL: not called. */
    void (*variant_found)(void *user, const char *name);
    void *variant_found_user;

    /* Called for each file opened besides the model, such as buffers and textures, on the loading
     * thread. The descriptor belongs to the load; use fstat on it to identify the file, whatever
     * its name. NULL: not called. */
    void (*file_opened)(void *user, int fd);
    void *file_opened_user;

    /* Finds the files that the model names, in place of folders: with it, no file of this machine
     * is opened, and texture_dirs and asset_root are not used. `name` is the path as the model has
     * it, percent-decoded; a texture is asked for by its path, then with '/' for '\\', then by its
     * name without folder. Returns true and sets *bytes and *size if there is such a file; the
     * bytes are borrowed until the load returns. Called on the loading thread. NULL: files are
     * searched in folders. */
    bool (*find_file)(void *user, const char *name, const void **bytes, size_t *size);
    void *find_file_user;

    /* Called with the progress of loading a glTF file: `done` of `count` parts (its images, meshes
     * and animations) are read. Unused parts count as soon as they are known to be unused. Any
     * thread that the load uses may call it, several at a time, so a smaller number may come after
     * a larger one. NULL: not called. */
    void (*progress)(void *user, uint32_t done, uint32_t count);
    void *progress_user;
} mrw_load_def;

MRW_API mrw_load_def mrw_load_def_default(void);

/* A model format that marrow knows. All text is static. */
typedef struct mrw_model_format {
    const char *name;       /* name for `formats` and `input_format`; NULL: it has none */
    const char *title;      /* such as "FBX" */
    const char *extensions; /* without dots, separated by spaces; "": detected by content only */
    bool read;              /* false: the format is refused */
    bool ask;               /* read only if `formats` names it */
    bool imported;          /* read in the import helper */
    const char *reason;     /* reason why it is refused or must be named; NULL: neither */
    const char *remedy;     /* alternative for the user, or NULL */
} mrw_model_format;

/* Return the number of formats, and one format; index is below the count. */
MRW_API size_t mrw_model_format_count(void);
MRW_API mrw_model_format mrw_model_format_at(size_t index);

/* Checks the names in `formats` and `input_format`. Returns MRW_ERROR_USAGE and a message that
 * lists the formats if a name is unknown or its format is never read. */
MRW_API mrw_status mrw_load_def_check(const mrw_load_def *def, mrw_error *error);

/* Loads a model file. The format is detected by content, else by name: glTF 2.0, FBX, Collada, B3D,
 * BVH, MS3D, SMD, OBJ, STL, 3DS, M3D, IQM; with def->formats also MD5, X, Ogre and Half-Life MDL.
 * "demo:NAME" loads one of the models built into the library: figure, tentacle, blob, stage.
 *
 * glTF, M3D, IQM and compiled scenes are read in this process. The others are read by assimp in a
 * helper process, the program marrow-import. One is started for each load. It may open no files,
 * and is stopped if it takes too long or too much memory. It is searched for in MARROW_IMPORTER,
 * next to the running program, next to libmarrow.so, and in the libexec/marrow folder of either's
 * prefix and of the installation prefix. If it is not found or cannot start, the load returns
 * MRW_ERROR_TOOL; if it takes longer than import_seconds, MRW_ERROR_TIME. This process is not
 * changed: no signal handler, descriptor or child remains.
 *
 * Files that the model names are opened only below its folder or asset_root (textures also in
 * texture_dirs), and not through links that lead elsewhere; other paths are refused. A missing
 * texture gives one warning in scene->warnings and a visible checker pattern. Only images that a
 * draw uses are opened: errors in others are not noticed, and they count for no limit. Errors that
 * cannot be repaired are MRW_ERROR_INPUT with file, element and reason, and so is a helper that
 * crashed or reached a limit.
 *
 * A texture is searched for below the model's folder (or asset_root), then below each of
 * texture_dirs: by its path as written, then by its name alone, and with '\' as '/' if not found.
 * If none of them exists, the path is stripped of quotes and blanks, and its name is searched for
 * in these folders, the model's first and then each of texture_dirs: the folder in the path,
 * ignoring ASCII case; the folder itself; its subfolders textures, tex, Textures and Texture.
 * Without asset_root, folders of these names beside the model's own folder come last, if the path
 * as written has no folder or ends in such a one ("../Textures/wood.png"); no link is followed
 * there. The first match in any of them is used: the exact name; the name in any case; the name
 * with the ending png, jpg, jpeg, tga, bmp, dds or webp instead, one after the other, in any case.
 * Among names that differ only in case, one with the same letters wins, then the first in byte
 * order. (Folders with more than 262,144 files are not searched.) def->detail reports the file that
 * is used.
 *
 * def may be NULL for the defaults. The caller frees *out with mrw_scene_free. Thread-safe. */
MRW_API mrw_status mrw_load_file(const char *path, const mrw_load_def *def, mrw_scene **out,
                                 mrw_error *error);

/* Loads a model from memory, which is only read during the call. `name` appears in messages, and
 * its ending tells the format where the content does not. `folder` is where the files named by the
 * model are looked up (NULL: in asset_root, else nowhere); def->find_file finds them in memory. */
MRW_API mrw_status mrw_load_memory(const void *bytes, size_t size, const char *name,
                                   const char *folder, const mrw_load_def *def, mrw_scene **out,
                                   mrw_error *error);

/* Compiles a scene into a file that can be loaded wherever a model can (`marrow compile`). It loads
 * as the same scene, to the last bit, on every machine, without an importer. The bytes depend only
 * on the scene. The files are versioned and hashed; a damaged file is refused. The caller frees
 * *out with mrw_bytes_free and writes it with mrw_file_write. */
MRW_API mrw_status mrw_scene_compile(const mrw_scene *scene, mrw_bytes *out, mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
