/* left_out.c: the one table of what drawing with OpenGL leaves out. */
#include "gl/gl.h"

const gl_left_out_row gl_left_out[] = {
    {"goldens of software",
     "pictures are the driver's: the same bits twice from one, not from two; "
     "`marrow test --backend gl` has goldens of its own"},
    {"multisample targets",
     "samples are drawn one after another: all drivers have the same places, "
     "and masks and layers are exact at each"},
    {"shading once a pixel",
     "each sample is a pass of its own; it shades the pixel's centre, or the triangle's first "
     "sample, as software does"},
    {"several threads", "a device has one queue: one thread draws"},
    {"textures near the driver's limit", "all levels lie in one picture, half as high again: where "
                                         "the driver takes sides of up to 16384, 10922 rows"},
    {"transparent layers beyond 256 of a sample", "each is a pass of its own"},
    {"shadow maps, ambient occlusion", "found by this program, and looked up by shaders"},
    {"overlays", "drawn by this program, over the pictures of all backends"},
    {"light at vertices (gouraud), data of vertices, displacement",
     "made by this program, as for all backends"},
    {"snapping of corners that the near or far plane cuts", "the driver cuts; a few pixels of "
                                                            "coverage along the cut differ"},
    {"curvature of triangles that cross the near plane",
     "their corners have no place on the screen"},
    {"OpenGL ES without EXT_color_buffer_float and EXT_float_blend",
     "samples and their sums are floats"},
    {NULL, NULL},
};
