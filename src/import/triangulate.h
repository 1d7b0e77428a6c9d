/* triangulate.h: polygons with many corners, cut into triangles. */
#ifndef MRWI_IMPORT_TRIANGULATE_H
#define MRWI_IMPORT_TRIANGULATE_H

#include <stdbool.h>
#include <stdint.h>

/* Cuts a polygon with `count` corners (float[3] each), at least 3, into count - 2 triangles of its
 * own winding. out receives 3 * (count - 2) numbers of corners. A polygon that crosses itself or
 * has no area is cut, too, in some way. The time has a bound that is linear in the count.
 * Returns false if there is no memory. */
bool mrwi_import_triangulate(const float *corners, uint32_t count, uint32_t *out);

#endif
