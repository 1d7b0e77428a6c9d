/* marrow.h: includes all of marrow. Headless skeletal animation: models in, the same pixels out
 * everywhere.
 *
 *   mrw_load_file -> mrw_scene -> mrw_model_create -> mrw_render -> mrw_png_encode
 *
 * The modules, in the order of the data flow; frame.h calls them in this order:
 *
 *   load.h     files to scenes              light.h    lights and rigs
 *   scene.h    the data of a scene          raster.h   triangles to pixels
 *   anim.h     clips, poses, palettes       codecs.h   pixels to files
 *   skin.h     deformed vertices            frame.h    all of it: pictures and sequences
 *   view.h     cameras, framing
 *
 * Around them:
 *
 *   base.h     status, messages, units, ownership, kernels, threads
 *   settings.h values of all options: numbers, flags and texts
 *   options.h  the options that set them, and command lines
 *   models.h   from settings to models, clips and the list of pictures
 *   session.h  from settings and models to pictures
 *   simple.h   two handles and texts, for other languages
 *   image.h    pixel buffers, their hash, sheets
 *   output.h   pictures to files: names, PNG, animations, sheets
 *   plan.h     from settings and models to the pictures to draw and their files
 *   bake.h     posed models as numbers and as geometry
 *   explain.h  what a scene holds, as JSON and as text
 *   compare.h  comparison of two pictures
 *   suite.h    suite files and their cases
 *   golden.h   tests of those cases against stored pictures
 *   aov.h      passes: per-pixel data besides colour
 *   clips.h    clips from other files
 *   legend.h   meaning of the numbers in passes
 *   diff.h     differences of two pictures, folders or models
 *   report.h   results of golden.h and diff.h, and their presentation
 *   text.h, json.h   text and JSON output, used by all the others
 *
 * Each header includes what it needs and may be included alone, in C11 or C++11. A header that only
 * points to a type of another one declares the type and does not include that header: settings.h,
 * options.h, models.h, plan.h, bake.h, legend.h, golden.h and diff.h compile without frame.h. A
 * program that draws includes session.h or frame.h itself; one that reads the fields of
 * mrw_load_def includes load.h.
 *
 * To build with the installed library: `cc program.c $(pkg-config --cflags --libs marrow)`.
 * README.md and `marrow help library` have a complete program. Every public name begins with mrw_
 * or MRW_.
 *
 * The same scene gives the same pictures and numbers, bit for bit, on every machine, with every
 * compiler, kernel and number of threads. Only the speed differs.
 */
#ifndef MARROW_H
#define MARROW_H

#include "anim.h"
#include "aov.h"
#include "bake.h"
#include "base.h"
#include "clips.h"
#include "codecs.h"
#include "compare.h"
#include "diff.h"
#include "explain.h"
#include "frame.h"
#include "golden.h"
#include "image.h"
#include "json.h"
#include "legend.h"
#include "light.h"
#include "load.h"
#include "models.h"
#include "options.h"
#include "output.h"
#include "plan.h"
#include "raster.h"
#include "report.h"
#include "scene.h"
#include "session.h"
#include "settings.h"
#include "simple.h"
#include "skin.h"
#include "suite.h"
#include "text.h"
#include "view.h"

#endif
