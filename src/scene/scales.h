/* scales.h: decides which meshes need the cofactor matrix for their normals. */
#ifndef MRWI_SCENE_SCALES_H
#define MRWI_SCENE_SCALES_H

#include "marrow/scene.h"

/* Sets MRW_MESH_NONUNIFORM in `meshes`, the scene's own, if nodes, clips or skins require it. The
 * flag is never removed. */
mrw_status mrwi_scene_mark_scales(const mrw_scene *scene, mrw_mesh *meshes, mrw_error *error);

#endif
