/* marrow.h: all of marrow. Headless skeletal animation: models in, the same pixels out everywhere.
 *
 *   mrw_load_file -> mrw_scene -> mrw_model_create -> mrw_render -> mrw_png_encode
 *
 * The rooms, in the order data flows; frame.h calls them in this order:
 *
 *   load.h     files to scenes              light.h    lights and rigs
 *   scene.h    what a scene is              raster.h   triangles to pixels
 *   anim.h     a clip at a time, palettes   image.h    pixels to files
 *   skin.h     vertices by their joints     frame.h    all of it: pictures and sequences
 *   view.h     cameras, framing
 *
 * Around them:
 *
 *   base.h     what all share: status, messages, units, who frees what, kernels, threads
 *   options.h  settings, such as the command's, and command lines
 *   session.h  from settings to all of the above
 *   output.h   pictures to files: names, PNG, animations, sheets
 *   bake.h     posed models as numbers and as geometry
 *   compare.h  whether pictures are the same
 *   suite.h    suite files and their cases
 *   golden.h   tests of those cases against pictures kept before
 *   aov.h      passes: what frames know besides colour
 *   clips.h    clips of other files
 *   legend.h   what the numbers of passes mean
 *   diff.h     two pictures, folders or models against each other
 *   report.h   what golden.h and diff.h found, and how it is shown
 *   text.h, json.h   what all this is written with
 *
 * Each header includes what it needs and may be included alone, in C11 or C++11. To build with the
 * installed library: `cc program.c $(pkg-config --cflags --libs marrow)`. README.md has a whole
 * program. Every public name begins with mrw_ or MRW_.
 *
 * The same scene gives the same pictures and numbers, bit for bit, whatever the machine, the
 * compiler, the kernels or the number of threads: speed is all that differs.
 */
#ifndef MARROW_H
#define MARROW_H

#include "anim.h"
#include "aov.h"
#include "bake.h"
#include "base.h"
#include "clips.h"
#include "compare.h"
#include "diff.h"
#include "frame.h"
#include "golden.h"
#include "image.h"
#include "json.h"
#include "legend.h"
#include "light.h"
#include "load.h"
#include "options.h"
#include "output.h"
#include "raster.h"
#include "report.h"
#include "scene.h"
#include "session.h"
#include "skin.h"
#include "suite.h"
#include "text.h"
#include "view.h"

#endif
