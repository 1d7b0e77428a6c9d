/* test_collada.c: Collada files through the import helper: axes, unit, animations that play
 * together, curves. The answers are worked out by hand. */
#include "import_fixture.h"

#define COLLADA_HEAD                                                                               \
    "<?xml version='1.0' encoding='utf-8'?><COLLADA "                                              \
    "xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset>"                 \
    "<unit name='inch' meter='0.0254'/><up_axis>Z_UP</up_axis></asset>"                            \
    "<library_geometries><geometry id='g' name='g'><mesh>"                                         \
    "<source id='p'><float_array id='pa' count='9'>1 2 3 0 0 0 0 7 0</float_array>"                \
    "<technique_common><accessor source='#pa' count='3' stride='3'><param name='X' "               \
    "type='float'/><param name='Y' type='float'/><param name='Z' type='float'/></accessor>"        \
    "</technique_common></source>"                                                                 \
    "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"                         \
    "<triangles count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p>"           \
    "</triangles></mesh></geometry></library_geometries>"

/* Two keys for one number of the node's transform. */
#define COLLADA_ANIMATION(id, target, times, values)                                               \
    "<animation id='" id "'><source id='" id "i'><float_array id='" id "ia' count='2'>" times      \
    "</float_array><technique_common><accessor source='#" id                                       \
    "ia' count='2' stride='1'><param name='TIME' type='float'/></accessor></technique_common>"     \
    "</source><source id='" id "o'><float_array id='" id "oa' count='2'>" values                   \
    "</float_array><technique_common><accessor source='#" id                                       \
    "oa' count='2' stride='1'><param name='V' type='float'/></accessor></technique_common>"        \
    "</source><sampler id='" id "s'><input semantic='INPUT' source='#" id                          \
    "i'/><input semantic='OUTPUT' source='#" id "o'/></sampler><channel source='#" id              \
    "s' target='" target "'/></animation>"

#define COLLADA_SCENE                                                                              \
    "<library_visual_scenes><visual_scene id='s'><node id='n' name='n'>"                           \
    "<translate sid='t'>10 0 0</translate><rotate sid='r'>0 0 1 0</rotate>"                        \
    "<instance_geometry url='#g'/></node></visual_scene></library_visual_scenes>"                  \
    "<scene><instance_visual_scene url='#s'/></scene></COLLADA>"

START_TEST(axes_unit_and_animations)
{
    mrw_scene *scene = load("test.dae", COLLADA_HEAD
                            "<library_animations>" COLLADA_ANIMATION("a", "n/t.X", "1 3", "10 30")
                                COLLADA_ANIMATION("b", "n/r.ANGLE", "1 2",
                                                  "0 90") "</library_animations>" COLLADA_SCENE);
    const double inch = 0.0254;
    pose(scene, MRW_NONE, 0.0);
    ck_place(scene, 0, 0, 11 * inch, 3 * inch, -2 * inch);
    /* without clips all animations play together, from the file's time 0 */
    ck_assert_uint_eq(scene->clips_count, 1);
    ck_assert(fabs(scene->clips[0].duration - 3.0) < 1e-6);
    pose(scene, 0, 3.0); /* Rz(90) of (1,2,3) is (-2,1,3) */
    ck_place(scene, 0, 0, 28 * inch, 3 * inch, -1 * inch);
    mrw_scene_free(scene);
}
END_TEST

/* What exporters of Maya write behind a node: nodes "a" above "b", beside "c". */
START_TEST(nodes_are_hidden)
{
    static const struct {
        const char *a, *b, *c;
        uint32_t flags[3];
    } cases[] = {
        {"", "", "", {0, 0, 0}},
        {"<extra><technique "
         "profile='OpenCOLLADAMaya'><visibility>0</visibility></technique></extra>",
         "<extra><technique profile='MAYA'><visibility sid='visibility'>1</visibility></technique>"
         "</extra>",
         "<extra><technique profile='FCOLLADA'><visibility> false "
         "</visibility></technique></extra>",
         {MRW_NODE_HIDDEN, 0, MRW_NODE_HIDDEN}},
        {"<visibility>0</visibility>", "", "<extra><visibility>1</visibility></extra>", {0, 0, 0}},
        {"",
         "<extra><technique profile='MAYA'><visibility>0</visibility></technique></extra>",
         "<!-- <extra><visibility>0</visibility></extra> -->",
         {0, MRW_NODE_HIDDEN, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char file[6000];
        snprintf(file, sizeof file,
                 COLLADA_HEAD
                 "<library_visual_scenes><visual_scene id='s'>"
                 "<node id='a' name='x'><node id='b' name='y'><instance_geometry url='#g'/>%s"
                 "</node>%s</node><node id='c' name='x'>%s</node></visual_scene>"
                 "</library_visual_scenes><scene><instance_visual_scene url='#s'/></scene>"
                 "</COLLADA>",
                 cases[i].b, cases[i].a, cases[i].c);
        mrw_scene *scene = load("test.dae", file);
        uint32_t seen = 0;
        for (uint32_t n = 0; n < scene->nodes_count; n++) {
            const char *name = mrw_scene_string(scene, scene->nodes[n].name);
            if (name[0] >= 'a' && name[0] <= 'c' && name[1] == '\0') {
                ck_assert_uint_eq(scene->nodes[n].flags, cases[i].flags[name[0] - 'a']);
                seen++;
            }
        }
        ck_assert_uint_eq(seen, 3);
        mrw_scene_free(scene);
    }
}
END_TEST

START_TEST(bones_are_joints)
{
    mrw_scene *scene =
        load("test.dae",
             "<?xml version='1.0' encoding='utf-8'?><COLLADA "
             "xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset>"
             "<unit name='meter' meter='1'/><up_axis>Y_UP</up_axis></asset>"
             "<library_visual_scenes><visual_scene id='s'><node id='rig' name='rig'>"
             "<translate>0 5 0</translate><node id='hips' name='hips' type='JOINT'>"
             "<node id='chest' name='chest' type='JOINT'><translate>0 2 0</translate></node>"
             "<node id='goal' name='goal' type='NODE'><translate>0 900 0</translate></node></node>"
             "</node></visual_scene></library_visual_scenes>"
             "<scene><instance_visual_scene url='#s'/></scene></COLLADA>");
    ck_assert_uint_eq(scene->draws_count, 1);
    ck_assert_uint_eq(scene->meshes[0].triangle_count, 8);
    mrw_scene_free(scene);
}
END_TEST

/* Two turns about one pivot, each in an animation of its own: (1,2,3) less the pivot (0,0,5) is
 * (1,2,-2), Rx(90) makes it (1,2,2), Rz(90) (-2,1,2); with the pivot and the place (8,1,7). */
START_TEST(turns_of_one_node_join)
{
    mrw_scene *scene =
        load("test.dae",
             COLLADA_HEAD "<library_animations>" COLLADA_ANIMATION("a", "n/rz.ANGLE", "1 2", "0 90")
                 COLLADA_ANIMATION(
                     "b", "n/rx.ANGLE", "1 2",
                     "0 90") "</library_animations>"
                             "<library_visual_scenes><visual_scene id='s'><node id='n' name='n'>"
                             "<translate>10 0 0</translate><translate>0 0 5</translate>"
                             "<rotate sid='rz'>0 0 1 0</rotate><rotate sid='rx'>1 0 0 0</rotate>"
                             "<translate>0 0 -5</translate><instance_geometry url='#g'/></node>"
                             "</visual_scene></library_visual_scenes>"
                             "<scene><instance_visual_scene url='#s'/></scene></COLLADA>");
    const double inch = 0.0254;
    ck_assert_uint_eq(scene->clips_count, 1);
    ck_assert_str_eq(mrw_scene_string(scene, scene->clips[0].name), "default");
    pose(scene, 0, 1.0);
    ck_place(scene, 0, 0, 11 * inch, 3 * inch, -2 * inch);
    pose(scene, 0, 2.0);
    ck_place(scene, 0, 0, 8 * inch, 7 * inch, -1 * inch);
    mrw_scene_free(scene);
}
END_TEST

/* ---- arrays that say they are shorter than what is read of them ------------------------------ */

static const char *array_dae(const char *count, const char *numbers, const char *accessor)
{
    static char file[4096];
    const int length = snprintf(
        file, sizeof file,
        "<?xml version='1.0' encoding='utf-8'?><COLLADA "
        "xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'><asset>"
        "<unit name='meter' meter='1'/><up_axis>Y_UP</up_axis></asset>"
        "<library_geometries><geometry id='g' name='g'><mesh>"
        "<source id='p'><float_array id='pa' count='%s'>%s</float_array>"
        "<technique_common><accessor source='#pa' %s><param name='X' type='float'/>"
        "<param name='Y' type='float'/><param name='Z' type='float'/></accessor>"
        "</technique_common></source>"
        "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"
        "<triangles count='1'><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p>"
        "</triangles></mesh></geometry></library_geometries>" COLLADA_SCENE,
        count, numbers, accessor);
    ck_assert_int_lt(length, (int)sizeof file);
    return file;
}

START_TEST(short_arrays)
{
    static const char nine[] = "1 2 3 0 0 0 0 7 0", four[] = "1 2 3 4";
    static const struct {
        const char *count, *numbers, *accessor;
        bool good;
    } cases[] = {
        {"9", nine, "count='3' stride='3'", true},
        {"3", nine, "count='3' stride='3'", true}, /* the numbers are there */
        {"0", nine, "count='3' stride='3'", true},
        {"8", "9 9 1 2 3 0 0 0 0 7 0", "count='3' stride='3' offset='2'", true},
        {"4", four, "count='3' stride='3'", false},
        {"4", four, "count='4000000000' stride='3'", false},
        {"4", four, "count='3' stride='4294967295'", false},
        {"4", four, "count='3' stride='3' offset='99999999999999999999'", false},
        {"4", four, "count='many' stride='3'", false},
        {"4", four, "count='4'", false}, /* three numbers each, a step of one */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *file = array_dae(cases[i].count, cases[i].numbers, cases[i].accessor);
        mrw_error error = {0};
        mrw_scene *scene = NULL;
        mrw_status status =
            mrw_load_memory(file, strlen(file), "test.dae", NULL, NULL, &scene, &error);
        ck_assert_int_eq(status, cases[i].good ? MRW_OK : MRW_ERROR_INPUT);
        if (status == MRW_OK) {
            pose(scene, MRW_NONE, 0.0);
            ck_place(scene, 0, 0, 11.0, 2.0, 3.0);
            ck_place(scene, 0, 2, 10.0, 7.0, 0.0);
            mrw_scene_free(scene);
        }
    }
}
END_TEST

/* ---- Collada's curves ------------------------------------------------------------------------ */

static void add_source(const char *id, const char *kind, int stride, const char *values)
{
    int count = 1;
    for (const char *c = values; *c != '\0'; c++) {
        count += *c == ' ';
    }
    add("<source id='%s'><%s_array id='%s-array' count='%d'>%s</%s_array><technique_common>"
        "<accessor source='#%s-array' count='%d' stride='%d'>",
        id, kind, id, count, values, kind, id, count / stride, stride);
    for (int i = 0; i < stride; i++) {
        add("<param name='%c' type='%s'/>", "XYZUVW"[i], kind);
    }
    add("</accessor></technique_common></source>");
}

/* Keys at 0 and 2 s for the translation of the node; those of X from 0 to 10. A second animation
 * with straight curves shares the times. */
static mrw_scene *curve_dae(const char *names, const char *target, int width, const char *values,
                            int stride, const char *out, const char *in)
{
    text[0] = '\0';
    add("%s<library_animations><animation id='a'>", COLLADA_HEAD);
    add("<!-- <sampler id='no'> -->");
    add_source("times", "float", 1, "0 2");
    add_source("values", "float", width, values);
    add_source("names", "Name", 1, names);
    if (stride > 0) {
        add_source("out", "float", stride, out);
        add_source("in", "float", stride, in);
    }
    add("<sampler id='s'><input semantic='INPUT' source='#times'/><input semantic='OUTPUT' "
        "source='#values'/><input semantic='INTERPOLATION' source='#names'/>%s</sampler>"
        "<channel source='#s' target='%s'/>",
        stride > 0 ? "<input semantic='OUT_TANGENT' source='#out'/><input semantic='IN_TANGENT' "
                     "source='#in'/>"
                   : "",
        target);
    add_source("angles", "float", 1, "0 90");
    add("<sampler id='r'><input semantic='INPUT' source='#times'/><input semantic='OUTPUT' "
        "source='#angles'/></sampler><channel source='#r' target='n/r.ANGLE'/></animation>"
        "</library_animations>%s",
        COLLADA_SCENE);
    return load("test.dae", text);
}

/* Where a pose puts the vertex 1, 2, 3, turned about Z by 45 degrees a second: how far it is moved
 * along X, in the file's unit. */
static double moved(const mrw_scene *scene, double time)
{
    pose(scene, 0, time);
    double angle = time * 0.78539816339744831;
    return place(scene, 0, 0).x / 0.0254 - (cos(angle) - 2.0 * sin(angle));
}

/* A segment from 0 to 10 over 2 s: a ten thousandth of its range may be missing. */
#define ck_moved(scene, time, expected)                                                            \
    do {                                                                                           \
        double got_ = moved(scene, time);                                                          \
        ck_assert_msg(fabs(got_ - (expected)) < 2e-3, "at %g: %.6f, not %.6f", (double)(time),     \
                      got_, (double)(expected));                                                   \
    } while (0)

START_TEST(bezier)
{
    static const struct {
        int stride;
        const char *out, *in;
    } same[] = {
        {2, "0.66666667 9 0 0", "0 0 1.33333333 1"}, /* times at thirds, so that t = 2s */
        {1, "9 0", "0 1"},
    };
    for (size_t i = 0; i < 2; i++) {
        mrw_scene *scene =
            curve_dae("BEZIER BEZIER", "n/t.X", 1, "0 10", same[i].stride, same[i].out, same[i].in);
        ck_moved(scene, 0.0, 0.0);
        ck_moved(scene, 1.0, (0.0 + 3 * 9 + 3 * 1 + 10) / 8);
        ck_moved(scene, 0.5, (27 * 0 + 27 * 9 + 9 * 1 + 10) / 64.0);
        ck_moved(scene, 2.0, 10.0);
        mrw_scene_free(scene);
    }
    /* at s = 1/4: t = (27 * 1 + 9 * 1 + 2) / 64, value (27 * 0 + 9 * 10 + 10) / 64 */
    mrw_scene *scene = curve_dae("BEZIER BEZIER", "n/t.X", 1, "0 10", 2, "1 0 0 0", "0 0 1 10");
    ck_moved(scene, 38 / 64.0, 100 / 64.0);
    ck_moved(scene, 1.0, 5.0);
    mrw_scene_free(scene);
}
END_TEST

START_TEST(hermite_and_step)
{
    /* control points 0 + 6/3 and 10 + 3/3 at thirds */
    mrw_scene *scene = curve_dae("HERMITE HERMITE", "n/t.X", 1, "0 10", 2, "2 6 0 0", "0 0 2 -3");
    ck_moved(scene, 1.0, (0.0 + 3 * 2 + 3 * 11 + 10) / 8);
    mrw_scene_free(scene);
    scene = curve_dae("STEP LINEAR", "n/t.X", 1, "0 10", 0, "", "");
    ck_moved(scene, 1.0, 0.0);
    ck_moved(scene, 1.9999, 0.0);
    ck_moved(scene, 2.0, 10.0);
    mrw_scene_free(scene);
    /* straight lines, and curves without tangents */
    const char *const straight[] = {"LINEAR LINEAR", "BEZIER BEZIER"};
    for (int i = 0; i < 2; i++) {
        scene = curve_dae(straight[i], "n/t.X", 1, "0 10", 0, "", "");
        ck_moved(scene, 0.5, 2.5);
        mrw_scene_free(scene);
    }
}
END_TEST

START_TEST(curves_of_three_numbers)
{
    static const struct {
        int stride;
        const char *out, *in;
    } same[] = {
        {3, "9 0 0 0 0 0", "0 0 0 1 0 0"},
        {4, "0.66666667 9 0 0 0 0 0 0", "0 0 0 0 1.33333333 1 0 0"},
        {6, "0.66666667 9 0.66666667 0 0.66666667 0 0 0 0 0 0 0",
         "0 0 0 0 0 0 1.33333333 1 1.33333333 0 1.33333333 0"},
    };
    for (size_t i = 0; i < 3; i++) {
        mrw_scene *scene = curve_dae("BEZIER BEZIER", "n/t", 3, "0 0 0 10 0 0", same[i].stride,
                                     same[i].out, same[i].in);
        ck_moved(scene, 1.0, 5.0);
        ck_moved(scene, 0.5, 262 / 64.0);
        mrw_scene_free(scene);
    }
}
END_TEST

/* Half a second in: 2.5 where the segment stays straight, 262/64 where it is followed. */
static double quarter(const char *names, const char *out)
{
    mrw_scene *scene = curve_dae(names, "n/t.X", 1, "0 10", 1, out, "0 1");
    double x = moved(scene, 0.5);
    mrw_scene_free(scene);
    return x;
}

START_TEST(damaged_curves_stay_straight)
{
    ck_assert(fabs(quarter("BEZIER", "9 0") - 2.5) < 1e-4);      /* a name too few */
    ck_assert(fabs(quarter("STEPS CURVE", "9 0") - 2.5) < 1e-4); /* names unknown */
    /* the last key's tangent is not needed, nor is what lies behind */
    ck_assert(fabs(quarter("BEZIER BEZIER", "9") - 262 / 64.0) < 2e-3);
    ck_assert(fabs(quarter("BEZIER BEZIER", "9 0 0 0") - 262 / 64.0) < 2e-3);
}
END_TEST

/* ---- lights ---------------------------------------------------------------------------------- */

#define COLLADA_LIGHT(id, what)                                                                    \
    "<light id='" id "'><technique_common>" what "</technique_common></light>"
#define COLLADA_LAMP(id, place)                                                                    \
    "<node id='n" id "' name='n" id "'><translate>" place "</translate><instance_light url='#" id  \
    "'/></node>"

/* The triangle at 10, 0, 0 has a box from (10, 0, 0) to (11, 7, 3), and its middle is (10.5, 3.5,
 * 1.5): lamps are 10 inches, 0.254 m, above. Where nothing is taken off, such a one has pi *
 * 0.254^2 = 0.202683 candela; A = 2 + 0.3 * 10 is 5, and 0.5 * 10^2 is 50. A cone ends where its
 * falloff_angle does, which is the full one. */
START_TEST(lights)
{
    static const double intensities[5] = {3.14159265, 0.202682992, 0.0405365984, 0.00405365984,
                                          0.202682992};
    mrw_scene *scene = load(
        "test.dae", COLLADA_HEAD
        "<library_lights>" COLLADA_LIGHT("sun",
                                         "<directional><color>1 0.5 0.25</color></directional>")
            COLLADA_LIGHT("flat", "<point><color>1 0.5 0.25</color></point>") COLLADA_LIGHT(
                "linear",
                "<point><color>1 0.5 0.25</color><constant_attenuation>2"
                "</constant_attenuation><linear_attenuation>0.3</linear_attenuation>"
                "</point>") COLLADA_LIGHT("square",
                                          "<point><color>1 0.5 0.25</color><constant_attenuation>0"
                                          "</constant_attenuation><quadratic_attenuation>0.5"
                                          "</quadratic_attenuation></point>")
                COLLADA_LIGHT(
                    "spot",
                    "<spot><color>1 0.5 0.25</color><falloff_angle>60"
                    "</falloff_angle></spot>") "</library_lights>"
                                               "<library_visual_scenes><visual_scene id='s'><node "
                                               "id='n' name='n'>"
                                               "<translate>10 0 0</translate><instance_geometry "
                                               "url='#g'/></node>" COLLADA_LAMP(
                                                   "sun", "0 0 9") COLLADA_LAMP("flat",
                                                                                "10.5 3.5 11.5")
                                                   COLLADA_LAMP("linear", "10.5 3.5 11.5")
                                                       COLLADA_LAMP("square", "10.5 3.5 11.5")
                                                           COLLADA_LAMP(
                                                               "spot",
                                                               "10.5 3.5 11.5") "</visual_scene></"
                                                                                "library_visual_"
                                                                                "scenes>"
                                                                                "<scene><instance_"
                                                                                "visual_scene "
                                                                                "url='#s'/></"
                                                                                "scene></COLLADA>");
    const double inch = 0.0254;
    pose(scene, MRW_NONE, 0.0);
    ck_assert_uint_eq(scene->lights_count, 5);
    for (int i = 0; i < 5; i++) {
        const mrw_scene_light *light = &scene->lights[i];
        const double got = (double)light->intensity;
        ck_assert_msg(fabs(got - intensities[i]) <= 1e-5 * intensities[i], "light %d: %g", i, got);
        const float linear[3] = {1.0f, 0.2140411f, 0.0508761f}; /* of 1 0.5 0.25 as sRGB */
        for (int c = 0; c < 3; c++) {
            ck_assert(fabsf(light->color[c] - linear[c]) < 1e-6f);
        }
    }
    /* -Z of a file with Z up is down */
    vec3 from = transform(&worlds[scene->lights[4].node], (vec3){0, 0, 0});
    vec3 ahead = transform(&worlds[scene->lights[4].node], (vec3){0, 0, -1});
    ck_assert(fabs(from.x - 10.5 * inch) < 1e-6 && fabs(from.y - 11.5 * inch) < 1e-6 &&
              fabs(from.z + 3.5 * inch) < 1e-6);
    ck_assert(fabs(ahead.x - from.x) < 1e-6 && ahead.y < from.y && fabs(ahead.z - from.z) < 1e-6);
    ck_assert(fabs((double)scene->lights[4].outer_cone - 0.52359878) < 1e-6);
    ck_assert(fabs((double)scene->lights[4].inner_cone - 0.52359878) < 1e-6);
    mrw_scene_free(scene);
}
END_TEST

/* ---- the suite ------------------------------------------------------------------------------- */

/* ---- beyond the keys ------------------------------------------------------------------------- */

/* Keys at 1 and 3 s, for x from 10 to 30; turns, too, where they have times. What the source of
 * times says of x, and that of turns; attributes are the first sampler's. */
static mrw_scene *going_dae(const char *x, const char *turn_times, const char *turns,
                            const char *attributes)
{
    static const char technique[] = "<technique profile='MAYA'>%s</technique></source>";
    char *end;
    text[0] = '\0';
    add("%s<library_animations><animation id='a'>", COLLADA_HEAD);
    for (int i = 0; i < (turn_times ? 2 : 1); i++) {
        add_source(i == 0 ? "times" : "turn-times", "float", 1, i == 0 ? "1 3" : turn_times);
        end = text + strlen(text) - strlen("</source>");
        *end = '\0';
        add(technique, i == 0 ? x : turns);
        add_source(i == 0 ? "values" : "angles", "float", 1, i == 0 ? "10 30" : "0 90");
        add("<sampler id='%s'%s><input semantic='INPUT' source='#%s'/><input semantic='OUTPUT' "
            "source='#%s'/></sampler><channel source='#%s' target='n/%s'/>",
            i == 0 ? "s" : "r", i == 0 ? attributes : "", i == 0 ? "times" : "turn-times",
            i == 0 ? "values" : "angles", i == 0 ? "s" : "r", i == 0 ? "t.X" : "r.ANGLE");
    }
    add("</animation></library_animations>"
        "<library_visual_scenes><visual_scene id='s'><node id='n' name='Body'>"
        "<translate sid='t'>10 0 0</translate><rotate sid='r'>0 0 1 0</rotate>"
        "<instance_geometry url='#g'/></node></visual_scene></library_visual_scenes>"
        "<scene><instance_visual_scene url='#s'/></scene></COLLADA>");
    return load("test.dae", text);
}

static double place_x(const mrw_scene *scene, double time)
{
    pose(scene, 0, time);
    return place(scene, 0, 0).x / 0.0254 - 1.0;
}

/* By hand. Half a second lies before the first key, but in the clip, which begins at 0. */
START_TEST(curves_go_on)
{
    static const struct {
        const char *says, *attributes;
        double early, late; /* x at 0.5 s and at 6.5 s */
    } cases[] = {
        {"<pre_infinity>CONSTANT</pre_infinity><post_infinity> CYCLE </post_infinity>", "", 10, 25},
        {"<pre_infinity>CYCLE</pre_infinity><post_infinity>CONSTANT</post_infinity>", "", 25, 30},
        {"<pre_infinity>OSCILLATE</pre_infinity><post_infinity>OSCILLATE</post_infinity>", "", 15,
         25},
        {"<pre_infinity>LINEAR</pre_infinity><post_infinity>LINEAR</post_infinity>", "", 5, 65},
        {"<pre_infinity>CYCLE_RELATIVE</pre_infinity>\n<post_infinity>CYCLE_RELATIVE"
         "</post_infinity>",
         "", 5, 65},
        {"<post_infinity>SIDEWAYS</post_infinity>", "", 10, 30},
        {"", " pre_behavior='GRADIENT' post_behavior='CYCLE'", 5, 25},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_scene *scene = going_dae(cases[i].says, NULL, NULL, cases[i].attributes);
        ck_assert(fabs(scene->clips[0].duration - 3.0) < 1e-6);
        ck_assert_double_eq_tol(place_x(scene, 0.5), cases[i].early, 1e-3);
        ck_assert_double_eq_tol(place_x(scene, 6.5), 30.0, 1e-3); /* clamped */
        beyond_clips = true;
        ck_assert_double_eq_tol(place_x(scene, 6.5), cases[i].late, 1e-3);
        beyond_clips = false;
        ck_assert_uint_eq(scene->warnings_count, 0);
        mrw_scene_free(scene);
    }
}
END_TEST

/* A Bezier curve keeps the slope of its tangent: from (0, 0) by the control points (0.5, 1) and
 * (1.5, 6) to (2, 10) that is 2 a second at its start and 8 at its end. By hand. */
START_TEST(curves_keep_the_slope_of_tangents)
{
    static const char technique[] = "<technique profile='MAYA'><pre_infinity>LINEAR</pre_infinity>"
                                    "<post_infinity>LINEAR</post_infinity></technique></source>";
    static const struct {
        const char *names;
        double early, late; /* x at -1 s and at 4 s */
    } cases[] = {{"BEZIER BEZIER", -2, 26}, {"STEP STEP", 0, 10}, {"LINEAR LINEAR", -5, 20}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        text[0] = '\0';
        add("%s<library_animations><animation id='a'>", COLLADA_HEAD);
        add_source("times", "float", 1, "0 2");
        text[strlen(text) - strlen("</source>")] = '\0';
        add("%s", technique);
        add_source("values", "float", 1, "0 10");
        add_source("names", "Name", 1, cases[i].names);
        add_source("out", "float", 2, "0.5 1 0 0");
        add_source("in", "float", 2, "0 0 1.5 6");
        add("<sampler id='s'><input semantic='INPUT' source='#times'/><input semantic='OUTPUT' "
            "source='#values'/><input semantic='INTERPOLATION' source='#names'/>"
            "<input semantic='OUT_TANGENT' source='#out'/>"
            "<input semantic='IN_TANGENT' source='#in'/></sampler>"
            "<channel source='#s' target='n/t.X'/></animation></library_animations>%s",
            COLLADA_SCENE);
        mrw_scene *scene = load("test.dae", text);
        beyond_clips = true;
        ck_assert_double_eq_tol(place_x(scene, -1.0), cases[i].early, 1e-2);
        ck_assert_double_eq_tol(place_x(scene, 4.0), cases[i].late, 1e-2);
        beyond_clips = false;
        mrw_scene_free(scene);
    }
}
END_TEST

/* Of one node, all that moves it goes on alike, or it holds. */
START_TEST(curves_of_a_node_agree_or_hold)
{
    static const char cycle[] = "<post_infinity>CYCLE</post_infinity>",
                      swing[] = "<post_infinity>OSCILLATE</post_infinity>";
    const struct {
        const char *times, *says;
        bool agree;
    } cases[] = {
        {"1 3", cycle, true}, {"1 3", swing, false}, {"1 2", cycle, false}, {"1 3", "", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_scene *scene = going_dae(cycle, cases[i].times, cases[i].says, "");
        for (uint32_t c = 0; c < scene->channels_count; c++) {
            ck_assert_uint_eq(scene->channels[c].after,
                              cases[i].agree ? MRW_EXTRAPOLATION_REPEAT : MRW_EXTRAPOLATION_HOLD);
        }
        ck_assert_uint_eq(scene->warnings_count, !cases[i].agree);
        if (!cases[i].agree) {
            ck_assert_ptr_nonnull(strstr(mrw_scene_string(scene, scene->warnings[0]),
                                         "keep their end values beyond their keys"));
        }
        mrw_scene_free(scene);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("collada");
    TCase *all = tcase_create("all");
    tcase_add_test(all, axes_unit_and_animations);
    tcase_add_test(all, nodes_are_hidden);
    tcase_add_test(all, bones_are_joints);
    tcase_add_test(all, turns_of_one_node_join);
    tcase_add_test(all, short_arrays);
    tcase_add_test(all, bezier);
    tcase_add_test(all, hermite_and_step);
    tcase_add_test(all, curves_of_three_numbers);
    tcase_add_test(all, damaged_curves_stay_straight);
    tcase_add_test(all, lights);
    tcase_add_test(all, curves_go_on);
    tcase_add_test(all, curves_keep_the_slope_of_tangents);
    tcase_add_test(all, curves_of_a_node_agree_or_hold);
    suite_add_tcase(s, all);
    return s;
}

TEST_MAIN(suite())
