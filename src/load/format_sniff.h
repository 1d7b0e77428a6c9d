/* format_sniff.h: the content tests of format.c's table. Each gets the bytes behind a byte order
 * mark and white space, and looks at the first 64 KiB at most. */
#ifndef MRWI_LOAD_FORMAT_SNIFF_H
#define MRWI_LOAD_FORMAT_SNIFF_H

#include "marrow/base.h"

typedef bool mrwi_sniffer(const uint8_t *bytes, size_t size);

mrwi_sniffer mrwi_is_gltf, mrwi_is_fbx, mrwi_is_collada, mrwi_is_b3d, mrwi_is_bvh, mrwi_is_ms3d,
    mrwi_is_smd, mrwi_is_obj, mrwi_is_stl, mrwi_is_3ds, mrwi_is_m3d_text, mrwi_is_marrow,
    mrwi_is_md5, mrwi_is_x, mrwi_is_ogre, mrwi_is_mdl;

mrwi_sniffer mrwi_is_md5_camera, mrwi_is_mdl_part, mrwi_is_mdl_other, mrwi_is_ogre_skeleton,
    mrwi_is_m3d_binary, mrwi_is_md2, mrwi_is_md3, mrwi_is_iqm, mrwi_is_ply, mrwi_is_off,
    mrwi_is_pmx, mrwi_is_pmd, mrwi_is_lwo, mrwi_is_lws, mrwi_is_ase, mrwi_is_opengex, mrwi_is_usd,
    mrwi_is_blender, mrwi_is_maya, mrwi_is_irrlicht, mrwi_is_zip, mrwi_is_gzip, mrwi_is_picture,
    mrwi_is_xml;

/* Finds an FBX version below 7100, or a byte order, that cannot be read. */
bool mrwi_fbx_too_old(const uint8_t *bytes, size_t size, char *version, size_t room);

#endif
