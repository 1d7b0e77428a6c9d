/* load.h: files to scenes. */
#ifndef MARROW_LOAD_H
#define MARROW_LOAD_H

#include "image.h"
#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the colours of materials, lights and vertices are encoded as in FBX, Collada, OBJ, 3DS, X,
 * B3D, MS3D, Ogre and IQM files; AUTO: sRGB, but linear materials and lights in what Blender wrote.
 * Other formats are not asked: glTF says linear, M3D's are taken as linear, and SMD, MD5, MDL, STL
 * and BVH have none. */
typedef enum mrw_material_colors {
    MRW_MATERIAL_COLORS_AUTO,
    MRW_MATERIAL_COLORS_SRGB,
    MRW_MATERIAL_COLORS_LINEAR
} mrw_material_colors;

typedef struct mrw_load_def {
    /* texture_dir_count folders where textures are searched, too (mrw_load_file); may be NULL. */
    const char *const *texture_dirs;
    size_t texture_dir_count;
    /* Folder that paths in the model may lead to ("../textures" from the model's folder must stay
     * below it); NULL: the model's folder. */
    const char *asset_root;
    /* Formats read beyond the default ones: "md5,x", "all", NULL. */
    const char *formats;
    /* Read the file as this format; NULL: told by content, then name. */
    const char *input_format;
    /* Name or index from 0 of the glTF scene that is drawn; NULL: the one the file names, else the
     * first. Nodes and clips of the others are loaded, too. */
    const char *scene;

    /* Limits: what exceeds one is refused with a message that names it. */
    /* Bytes of one file, of all buffers of a model together, and of all its images; default 2
     * GiB. */
    uint64_t max_file_size;
    /* Pixels of one texture; all of a model together may have twice as many; default 16384 *
     * 16384. */
    uint64_t max_texture_size;
    /* Bytes that the images of the model may take for drawing, mip levels included
     * (mrw_image_memory). They are counted from their headers in the order of the file, equal ones
     * as often as they stand there; one that no longer fits is not decoded: a checker and a
     * warning. Default 1 GiB. */
    uint64_t texture_memory;
    /* Vertices, indices, keys, weights and nodes read of one file; draws, morph targets and rows
     * without data count ten times; default 100 million (more than ten million make a load last
     * seconds). */
    uint64_t max_elements;
    /* Vertices of all meshes together, as filed; default 20 million. */
    uint64_t max_vertices;
    /* Joints of all skins together; default 65535. */
    uint64_t max_joints;
    /* Keys of all clips together; default 50 million. */
    uint64_t max_keys;
    /* Seconds of wall time that the import helper may take; default 10. */
    double import_seconds;
    /* Bytes of its address space, at least 64 MiB; default 2 GiB. */
    uint64_t import_memory;

    /* Follow the curves between FBX keys (steps, tangents) as Maya and MotionBuilder do; false:
     * straight lines, as most importers draw them. */
    bool fbx_curves;

    /* Each clip begins with its first key: what comes before it, where nothing moves yet, is no
     * part of the clip; mrw_clip.start says how much that is. */
    bool from_first_key;

    /* mrw_material_colors. */
    uint32_t material_colors;
    /* Texture coordinates are turned upside down, and triangles around, with the normals that are
     * computed of them; those of the file stay. Compiled scenes are refused. */
    bool flip_v;
    bool flip_winding;

    /* Threads that decode the pictures of a glTF file while the rest of it is read. The scene, its
     * warnings, and what the limits allow are the same. Default 1: none is started. */
    int threads;

    /* The scene is loaded for its clips (mrw_scene_add_clips): no picture is opened, and no
     * material shows one. Compiled scenes stay as they are. */
    bool clips_only;

    /* The maps that are read of the scene, a bit each: MRW_MAP_BIT(MRW_MAP_NORMAL) and so on,
     * MRW_MAPS_ALPHA, MRW_MAPS_ALL; default all of them. What pictures read says mrw_frame_maps.
     *
     * An image that no such map shows is opened, so a file that lacks is told, but it is not
     * decoded: it is MRW_IMAGE_UNDECODED, and what is wrong with its pixels is not noticed. With
     * MRW_MAPS_ALPHA and without the base color, images of base colors are decoded that may have
     * alpha, of materials that are not opaque, and stay where a texel has some. The scene's hash is
     * the same whatever is read: so base textures that may have alpha, of formats that name no
     * alpha mode, are decoded for that, and dropped again where nothing else reads them.
     *
     * What was not decoded cannot be drawn, and such a scene cannot be compiled. Compiled scenes
     * keep their texels. 0 is for a look at the scene. */
    uint32_t maps;

    /* Import in this process: only for files you trust, where no helper can run. */
    bool no_sandbox;

    /* Told, during the load, what this machine lacks to import safely (no seccomp, no sandbox):
     * about no file, so no reason to refuse one. NULL: not told. */
    void (*machine_warning)(void *user, const char *text);
    void *machine_warning_user;

    /* Told what was taken where a file does not say it well, such as a texture under another name.
     * One line, safe for a terminal, on the thread that loads. NULL: not told. */
    void (*detail)(void *user, const char *text);
    void *detail_user;

    /* Told of each file beside the model that is opened for it, such as buffers and textures, by a
     * descriptor that stays the load's: what is asked of it with fstat holds whatever the file is
     * called. On the thread that loads. NULL: not told. */
    void (*file_opened)(void *user, int fd);
    void *file_opened_user;

    /* Told how far the load of a glTF file is: so many of its parts, which are its images, meshes
     * and animations, are read; those that nothing shows count as soon as that is known. On any
     * thread that the load uses, several at a time, so that a smaller number may come after a
     * larger one. NULL: not told. */
    void (*progress)(void *user, uint32_t done, uint32_t count);
    void *progress_user;
} mrw_load_def;

MRW_API mrw_load_def mrw_load_def_default(void);

/* A format of models that marrow knows. All text is static. */
typedef struct mrw_model_format {
    const char *name;       /* as `formats` and `input_format` name it; NULL: it has none */
    const char *title;      /* "FBX" */
    const char *extensions; /* without dots, spaces between them; "": only content tells */
    bool read;              /* false: it is refused */
    bool ask;               /* read only when `formats` names it */
    bool imported;          /* read in the import helper */
    const char *reason;     /* why it is refused, or has to be asked for; NULL: neither */
    const char *remedy;     /* what to do instead, or NULL */
} mrw_model_format;

/* How many there are, and each of them: index is below the count. */
MRW_API size_t mrw_model_format_count(void);
MRW_API mrw_model_format mrw_model_format_at(size_t index);

/* Checks what `formats` and `input_format` name. MRW_ERROR_USAGE and a message that lists the
 * formats when there is no such one, or one that marrow never reads. */
MRW_API mrw_status mrw_load_def_check(const mrw_load_def *def, mrw_error *error);

/* Loads a model file, whose format its content tells, or else its name: glTF 2.0, FBX, Collada,
 * B3D, BVH, MS3D, SMD, OBJ, STL, 3DS, M3D, IQM; with def->formats also MD5, X, Ogre and Half-Life
 * MDL. "demo:NAME" loads one of the project's own models, which are part of the library: figure,
 * tentacle, blob, stage.
 *
 * glTF, M3D, IQM and compiled scenes are read in this process. The others are read by assimp in a
 * helper process, the program marrow-import, which is started for each load, may open nothing, and
 * is ended when it takes too long or too much. It is looked for in MARROW_IMPORTER, beside the
 * running program, beside libmarrow.so, in the libexec/marrow folder of either's prefix and of the
 * prefix that was installed to; where it is not found or cannot start, that is
 * MRW_ERROR_UNSUPPORTED. This process is not changed: no signal handler, no descriptor, no child
 * stays.
 *
 * Files that the model names are opened only below its folder or asset_root (textures also in
 * texture_dirs), through no link that leads elsewhere; other paths are refused. A missing texture
 * is one warning in scene->warnings and a visible checker. Only pictures that something drawn shows
 * are opened: what is wrong with others is not noticed, and they count for no limit. What cannot be
 * repaired is MRW_ERROR_INPUT with file, element and reason; so is a helper that crashed or reached
 * a limit.
 *
 * A texture is looked for below the model's folder (or asset_root), then below each of
 * texture_dirs: by its path as written, and by its name alone; with '\' as '/' where it is not
 * found so. Where none of them is there, it is looked for by its path without quotes and blanks
 * around it, in these folders, of the model first and then of each of texture_dirs: the one of the
 * path, in any case of ASCII letters; the folder itself; textures, tex and Textures in it. There it
 * is, the first that is found in any of them: the name as it is; the name in any case; the name
 * with the ending png, jpg, jpeg, tga, bmp or dds instead, one after the other, in any case. Of
 * names that differ in case alone the one with the same letters goes first, then the first in the
 * order of bytes. (Folders with more than 262,144 files are not searched.) def->detail is told what
 * was taken.
 *
 * def may be NULL for the defaults. The caller frees *out with mrw_scene_free. Thread-safe. */
MRW_API mrw_status mrw_load_file(const char *path, const mrw_load_def *def, mrw_scene **out,
                                 mrw_error *error);

/* The same from memory, which is only read during the call. `name` stands in messages; `folder` is
 * where the files it names are looked up (NULL: in asset_root, else nowhere). */
MRW_API mrw_status mrw_load_memory(const void *bytes, size_t size, const char *name,
                                   const char *folder, const mrw_load_def *def, mrw_scene **out,
                                   mrw_error *error);

/* Writes a scene as a file that is loaded wherever a model is (`marrow compile`): the same scene,
 * to the last bit, on every machine, without an importer. The bytes depend on the scene alone. Such
 * files are versioned and hashed; a damaged one is refused. The caller frees *out with
 * mrw_bytes_free and writes it with mrw_file_write. */
MRW_API mrw_status mrw_scene_compile(const mrw_scene *scene, mrw_bytes *out, mrw_error *error);

#ifdef __cplusplus
}
#endif
#endif
