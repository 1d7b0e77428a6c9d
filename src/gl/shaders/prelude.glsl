// prelude.glsl: stands before all others: what OpenGL ES 3.0 has in another way than OpenGL 3.3.
//
// A table is read texel by texel: of a buffer, or, since ES 3.0 has no textures of buffers, of a
// picture in which it lies row after row.

#ifdef GL_ES
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;
precision highp usampler2DArray;
#define TABLE        sampler2D
#define UINT_TABLE   usampler2D
#define fetch(table, i) texelFetch(table, ivec2((i) & ((1 << TABLE_BITS) - 1), (i) >> TABLE_BITS), 0)
#else
#define TABLE        samplerBuffer
#define UINT_TABLE   usamplerBuffer
#define fetch(table, i) texelFetch(table, i)
#endif
