/* left_out.c: the table of the features that drawing with OpenGL leaves out. */
#include "gl/gl.h"

const gl_left_out_row gl_left_out[] = {
    {"goldens of the software backend",
     "pictures depend on the driver: one driver repeats its pictures exactly, but two drivers "
     "differ; `marrow test --backend gl` has its own goldens"},
    {"multisample targets",
     "samples are drawn one after another, so that all drivers use the same positions, "
     "and masks and layers are exact in each"},
    {"shading once per pixel",
     "each sample has its own pass, which shades the pixel's centre, or the triangle's first "
     "sample, as software does"},
    {"several threads", "a device has one queue, so one thread draws"},
    {"textures near the driver's limit",
     "all mip levels share one picture, 1.5 times as high as the texture; if the driver allows "
     "sides of 16384, a texture has at most 10922 rows"},
    {"transparent layers beyond 256 per sample", "each layer needs its own pass"},
    {"shadow maps, ambient occlusion", "computed by this program and looked up by shaders"},
    {"overlays", "drawn by this program, over the pictures of all backends"},
    {"vertex lighting (gouraud), vertex data, displacement",
     "made by this program, as for all backends"},
    {"snapping of corners that the near or far plane cuts", "the driver clips; the coverage of "
                                                            "a few pixels along the cut differs"},
    {"curvature of triangles that cross the near plane",
     "their corners have no position on the screen"},
    {"OpenGL ES without EXT_color_buffer_float and EXT_float_blend",
     "samples and their sums are floats"},
    {NULL, NULL},
};
