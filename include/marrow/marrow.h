/* marrow.h: all of marrow. Headless skeletal animation: models in, the same pixels out everywhere.
 *
 *   mrw_load_file -> mrw_scene -> mrw_model_create -> mrw_render -> mrw_png_encode
 *
 * The rooms, in the order data flows: load.h, scene.h, anim.h, skin.h, view.h, raster.h, image.h;
 * frame.h calls them in this order. base.h holds what they share. bake.h gives posed models as
 * numbers and as geometry. stage.h goes from the settings of options.h, such as the command's, to
 * all of this. compare.h tells whether pictures are the same. golden.h tests the cases of suites
 * (suite.h) against pictures kept before, diff.h two of a kind against each other; report.h has
 * what they found, and shows it. text.h and json.h are what all this is written with. README.md has
 * a whole program.
 */
#ifndef MARROW_H
#define MARROW_H

#include "anim.h"
#include "bake.h"
#include "base.h"
#include "compare.h"
#include "diff.h"
#include "frame.h"
#include "golden.h"
#include "image.h"
#include "json.h"
#include "load.h"
#include "options.h"
#include "raster.h"
#include "report.h"
#include "scene.h"
#include "skin.h"
#include "stage.h"
#include "suite.h"
#include "text.h"
#include "view.h"

#endif
