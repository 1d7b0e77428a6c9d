/* mode_values.h: the looks of shading modes as numbers that spec and lanes share. Linear light. */
#ifndef MRWI_SHADE_MODE_VALUES_H
#define MRWI_SHADE_MODE_VALUES_H

#define CLAY_GREY 0.5f

/* The grey of faces, how far a line reaches to either side of an edge in pixels, and the colour of
 * lines. */
#define WIRE_GREY  0.8f
#define WIRE_REACH 0.5f
#define WIRE_LINE  0.012f, 0.022f, 0.05f

/* Lines would cover small triangles and make dense meshes black. There are none if the triangle's
 * least height is below WIRE_NONE pixels; above that, they gain WIRE_GAIN per pixel. */
#define WIRE_NONE 1.0f
#define WIRE_GAIN (1.0f / 3.0f)
#if !defined(GL_core_profile) && !defined(GL_ES) /* shaders declare it in their own way */
static const float wire_line[3] = {WIRE_LINE};
#endif

/* The light below the first edge of the cosine to a lamp, and the additions beyond the first and
 * the second edge. Steps are 1 / STEEP wide. */
#define BAND_DARK   0.38f
#define BAND_MIDDLE 0.37f
#define BAND_BRIGHT 0.25f
#define BAND_EDGE_1 0.1f
#define BAND_EDGE_2 0.6f
#define BAND_STEEP  24.0f

/* Matcaps: the radius of the ball in sides of its square, a little less than a half, so that
 * nothing beside the ball is seen (three.js); the wrap of mrw_raster_map is clamp. */
#define MATCAP_REACH 0.495f
#define MATCAP_WRAP  1u

/* The highlight, by (N.H)^2: its strength on smooth materials, the roughness from which there is
 * none, and how fast it grows below that. */
#define SHINE_EDGE     0.955f
#define SHINE_STEEP    80.0f
#define SHINE_STRENGTH 0.3f
#define SHINE_ROUGH    0.6f
#define SHINE_GAIN     4.0f

/* The dark rim, by the cosine to the eye. */
#define RIM_EDGE  0.2f
#define RIM_STEEP 9.0f
#define RIM_DARK  0.25f

#endif
