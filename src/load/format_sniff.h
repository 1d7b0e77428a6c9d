/* format_sniff.h: the content tests of format.c's table. Each gets the bytes after a byte order
 * mark and white space, and reads at most the first 64 KiB. */
#ifndef MRWI_LOAD_FORMAT_SNIFF_H
#define MRWI_LOAD_FORMAT_SNIFF_H

#include "marrow/base.h"

typedef bool mrwi_load_sniffer(const uint8_t *bytes, size_t size);

mrwi_load_sniffer mrwi_load_is_gltf, mrwi_load_is_fbx, mrwi_load_is_collada, mrwi_load_is_b3d,
    mrwi_load_is_bvh, mrwi_load_is_ms3d, mrwi_load_is_smd, mrwi_load_is_obj, mrwi_load_is_stl,
    mrwi_load_is_3ds, mrwi_load_is_m3d_text, mrwi_load_is_marrow, mrwi_load_is_md5, mrwi_load_is_x,
    mrwi_load_is_ogre, mrwi_load_is_mdl, mrwi_load_is_iqm;

mrwi_load_sniffer mrwi_load_is_md5_camera, mrwi_load_is_mdl_part, mrwi_load_is_mdl_other,
    mrwi_load_is_ogre_skeleton, mrwi_load_is_m3d_binary, mrwi_load_is_md2, mrwi_load_is_md3,
    mrwi_load_is_iqe, mrwi_load_is_ply, mrwi_load_is_off, mrwi_load_is_pmx, mrwi_load_is_pmd,
    mrwi_load_is_lwo, mrwi_load_is_lws, mrwi_load_is_ase, mrwi_load_is_opengex, mrwi_load_is_usd,
    mrwi_load_is_blender, mrwi_load_is_maya, mrwi_load_is_irrlicht, mrwi_load_is_zip,
    mrwi_load_is_gzip, mrwi_load_is_picture, mrwi_load_is_xml;

/* Finds an FBX version below 7100, or a byte order, that is not supported. */
bool mrwi_load_fbx_too_old(const uint8_t *bytes, size_t size, char *version, size_t room);

#endif
