/* test_import.c: what comes through the import helper, from files written here: FBX and its chains,
 * axes, units and times, BVH, SMD, OBJ, X. The answers are worked out by hand. */
#include "import_fixture.h"

#define SECOND "46186158000" /* FBX ticks */

/* The settings: which axis of the file is right, up and front, and how many centimetres a unit is.
 */
static void begin_fbx_by(const char *creator, const char *axes, const char *unit)
{
    int coord, up, front, front_sign;
    ck_assert_int_eq(sscanf(axes, "%d %d %d %d", &coord, &up, &front, &front_sign), 4);
    text[0] = '\0';
    add("; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n FBXHeaderVersion: 1003\n"
        " FBXVersion: 7400\n Creator: '%s'\n}\nGlobalSettings:  {\n Version: 1000\n"
        " Properties70:  {\n",
        creator);
    add("  P: 'UpAxis', 'int', 'Integer', '',%d\n  P: 'UpAxisSign', 'int', 'Integer', '',1\n", up);
    add("  P: 'FrontAxis', 'int', 'Integer', '',%d\n", front);
    add("  P: 'FrontAxisSign', 'int', 'Integer', '',%d\n", front_sign);
    add("  P: 'CoordAxis', 'int', 'Integer', '',%d\n", coord);
    add("  P: 'CoordAxisSign', 'int', 'Integer', '',1\n");
    add("  P: 'UnitScaleFactor', 'double', 'Number', '',%s\n", unit);
    add("  P: 'TimeMode', 'enum', '', '',6\n }\n}\nObjects:  {\n");
}

static void begin_fbx(const char *axes, const char *unit)
{
    begin_fbx_by("", axes, unit);
}

/* A triangle with its first corner at `corner`. */
static void add_triangle(int id, const char *corner)
{
    add(" Geometry: %d, 'Geometry::Tri', 'Mesh' {\n  Vertices: *9 {\n   a: %s,0,0,0,0,0,7\n  }\n"
        "  PolygonVertexIndex: *3 {\n   a: 0,1,-3\n  }\n  GeometryVersion: 124\n"
        "  LayerElementMaterial: 0 {\n   Version: 101\n   Name: ''\n"
        "   MappingInformationType: 'AllSame'\n   ReferenceInformationType: 'IndexToDirect'\n"
        "   Materials: *1 {\n    a: 0\n   }\n  }\n  Layer: 0 {\n   Version: 100\n"
        "   LayerElement:  {\n    Type: 'LayerElementMaterial'\n    TypedIndex: 0\n   }\n  }\n"
        " }\n",
        id, corner);
}

/* A model; `properties` lists some as name and three numbers, as in "Lcl Translation:1,2,3;". */
static void add_model(int id, const char *name, const char *class, const char *properties)
{
    add(" Model: %d, 'Model::%s', '%s' {\n  Version: 232\n  Properties70:  {\n", id, name, class);
    for (const char *p = properties; *p != '\0';) {
        char key[60], value[100];
        ck_assert_int_eq(sscanf(p, "%59[^:]:%99[^;];", key, value), 2);
        bool number = !strchr(value, ',');
        add("   P: '%s', '%s', '', 'A',%s\n", key, number ? "enum" : "Vector3D", value);
        p = strchr(p, ';') + 1;
    }
    add("  }\n }\n");
}

/* A curve for one axis of a property: two keys. */
static void add_curve(int id, const char *times, const char *values)
{
    add(" AnimationCurve: %d, 'AnimCurve::', '' {\n  Default: 0\n  KeyVer: 4008\n  KeyTime: *2 {\n"
        "   a: %s\n  }\n  KeyValueFloat: *2 {\n   a: %s\n  }\n  KeyAttrFlags: *1 {\n   a: 24836\n"
        "  }\n  KeyAttrDataFloat: *4 {\n   a: 0,0,0,0\n  }\n  KeyAttrRefCount: *1 {\n   a: 2\n"
        "  }\n }\n",
        id, times, values);
}

static void add_stack(const char *name, const char *start, const char *stop)
{
    add(" AnimationStack: 900, 'AnimStack::%s', '' {\n  Properties70:  {\n"
        "   P: 'LocalStart', 'KTime', 'Time', '',%s\n   P: 'LocalStop', 'KTime', 'Time', '',%s\n"
        "  }\n }\n AnimationLayer: 901, 'AnimLayer::Base', '' {\n }\n",
        name, start, stop);
}

static void add_curve_node(int id, const char *name)
{
    add(" AnimationCurveNode: %d, 'AnimCurveNode::%s', '' {\n  Properties70:  {\n  }\n }\n", id,
        name);
}

static void begin_connections(void)
{
    add("}\nConnections:  {\n C: 'OO',901,900\n");
}

static void connect(int from, int to)
{
    add(" C: 'OO',%d,%d\n", from, to);
}

static void connect_property(int from, int to, const char *property)
{
    add(" C: 'OP',%d,%d, '%s'\n", from, to, property);
}

static mrw_scene *end_fbx(void)
{
    add("}\n");
    return load("test.fbx", text);
}

/* A still triangle under a model of the given properties, its first corner at 1, 2, 3. */
static mrw_scene *still_fbx(const char *axes, const char *unit, const char *properties)
{
    begin_fbx(axes, unit);
    add_triangle(1, "1,2,3");
    add_model(2, "Thing", "Mesh", properties);
    begin_connections();
    connect(1, 2);
    connect(2, 0);
    mrw_scene *scene = end_fbx();
    pose(scene, MRW_NONE, 0.0);
    return scene;
}

#define Y_UP "0 1 2 1"
#define Z_UP "0 2 1 -1"

/* ---- FBX at rest ----------------------------------------------------------------------------- */

START_TEST(fbx_axes_and_unit)
{
    /* inches, Z up, looking along Y: right 1, up 3, towards the viewer -2 */
    mrw_scene *scene = still_fbx(Z_UP, "2.54", "");
    ck_place(scene, 0, 0, 0.0254, 3 * 0.0254, -2 * 0.0254);
    mrw_scene_free(scene);
    /* X up: right is Y, front is Z; metres */
    scene = still_fbx("1 0 2 -1", "100", "");
    ck_place(scene, 0, 0, 2, 1, -3);
    mrw_scene_free(scene);
}
END_TEST

START_TEST(fbx_pivots)
{
    /* T(10,0,0) Rp(0,1,0) Rz(90) Rp^-1 on (1,2,3): about (0,1): (1,1) turns to (-1,1) */
    mrw_scene *scene =
        still_fbx(Y_UP, "100", "Lcl Translation:10,0,0;RotationPivot:0,1,0;Lcl Rotation:0,0,90;");
    ck_place(scene, 0, 0, 9, 2, 3);
    mrw_scene_free(scene);
    /* PreRotation 90 about Z, then the geometric part, which children don't see */
    scene =
        still_fbx(Y_UP, "100", "RotationActive:1;PreRotation:0,0,90;GeometricTranslation:0,0,5;");
    ck_place(scene, 0, 0, -2, 1, 8);
    mrw_scene_free(scene);
}
END_TEST

/* A child of InheritType `type` below a parent scaled by 2 along X. */
static mrw_scene *inherit_fbx(int type, bool with_pivot)
{
    char child[120];
    snprintf(child, sizeof child, "InheritType:%d;Lcl Translation:10,0,0;Lcl Scaling:1,3,1;%s",
             type, with_pivot ? "RotationPivot:0,0,4;" : "");
    begin_fbx(Y_UP, "100");
    add_triangle(1, "1,2,3");
    add_model(2, "Parent", "Null", "Lcl Scaling:2,1,1;");
    add_model(3, "Child", "Mesh", child);
    begin_connections();
    connect(1, 3);
    connect(3, 2);
    connect(2, 0);
    mrw_scene *scene = end_fbx();
    pose(scene, MRW_NONE, 0.0);
    return scene;
}

START_TEST(fbx_inherit_type)
{
    for (int pivot = 0; pivot < 2; pivot++) {
        mrw_scene *scene = inherit_fbx(1, pivot);
        ck_place(scene, 0, 0, 2 * (10 + 1), 3 * 2, 3);
        mrw_scene_free(scene);
        scene =
            inherit_fbx(2, pivot); /* the parent's scale moves the child, but does not widen it */
        ck_place(scene, 0, 0, 2 * 10 + 1, 3 * 2, 3);
        mrw_scene_free(scene);
    }
}
END_TEST

/* ---- FBX in motion --------------------------------------------------------------------------- */

/* A model with one animated property, along one axis, in a stack of LocalStart 1 s. */
static mrw_scene *moving_fbx(const char *properties, const char *property, const char *node,
                             const char *axis, const char *times, const char *values)
{
    begin_fbx(Y_UP, "100");
    add_triangle(1, "1,2,3");
    add_model(2, "Thing", "Mesh", properties);
    add_stack("Arm|Walk", SECOND, "138558474000");
    add_curve_node(10, node);
    add_curve(11, times, values);
    begin_connections();
    connect(1, 2);
    connect(2, 0);
    connect(10, 901);
    connect_property(10, 2, property);
    connect_property(11, 10, axis);
    return end_fbx();
}

/* ---- FBX: what is hidden --------------------------------------------------------------------- */

/* Models 2 above 3 above 4, each with a triangle. */
static void add_three(const char *top, const char *middle, const char *bottom)
{
    const char *properties[] = {top, middle, bottom};
    begin_fbx(Y_UP, "100");
    for (int i = 0; i < 3; i++) {
        const char *names[] = {"Top", "Middle", "Bottom"};
        add_triangle(12 + i, "1,2,3");
        add_model(2 + i, names[i], "Mesh", properties[i]);
    }
}

static void connect_three(void)
{
    for (int i = 0; i < 3; i++) {
        connect(12 + i, 2 + i);
        connect(2 + i, i > 0 ? 1 + i : 0);
    }
}

/* Which of the three are shown, a bit each. */
static unsigned shown(const mrw_scene *scene, uint32_t clip, double time)
{
    static const char *const names[] = {"Top", "Middle", "Bottom"};
    mrw_transform locals[64];
    uint8_t animated[64];
    float own_weights[64];
    bool hidden[64] = {false};
    mrw_poser *poser = NULL;
    unsigned bits = 0;
    ck_assert_int_eq(mrw_poser_create(scene, &poser, NULL), MRW_OK);
    mrw_sample(&(mrw_sample_job){.poser = poser,
                                 .clip = clip,
                                 .time = time,
                                 .locals = locals,
                                 .animated = animated,
                                 .weights = own_weights});
    mrw_find_hidden(poser, animated, hidden);
    mrw_poser_free(poser);
    ck_assert_uint_eq(scene->draws_count, 3);
    for (uint32_t d = 0; d < 3; d++) {
        const uint32_t node = scene->draws[d].node;
        for (unsigned i = 0; i < 3; i++) {
            const char *name = mrw_scene_string(scene, scene->nodes[node].name);
            bits |= strcmp(name, names[i]) == 0 && !hidden[node] ? 1u << i : 0;
        }
    }
    return bits;
}

START_TEST(fbx_hides_models)
{
    static const struct {
        const char *top, *middle, *bottom;
        unsigned shown;
    } cases[] = {
        {"Visibility:1;Show:1;", "", "", 7},
        {"Visibility:0;", "", "", 0},
        {"", "Visibility:0;", "", 1},
        {"", "Show:0;", "", 5},
        {"Visibility:0;", "Visibility Inheritance:0;", "", 6},
        {"Visibility:0;", "Visibility Inheritance:0;Lcl Translation:1,2,3;", "Show:0;", 2},
        {"RotationPivot:1,0,0;Lcl Rotation:0,90,0;Visibility:0;", "", "Visibility:1;", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        add_three(cases[i].top, cases[i].middle, cases[i].bottom);
        begin_connections();
        connect_three();
        mrw_scene *scene = end_fbx();
        ck_assert_uint_eq(shown(scene, MRW_NONE, 0.0), cases[i].shown);
        mrw_scene_free(scene);
    }
}
END_TEST

/* Joints of one name are told apart by marks: the second is meant. */
START_TEST(fbx_hides_the_second_model_of_a_name)
{
    begin_fbx(Y_UP, "100");
    add_triangle(12, "1,2,3");
    add_triangle(13, "1,2,3");
    add_model(2, "Twin", "Mesh", "");
    add_model(3, "Twin", "Mesh", "Visibility:0;");
    begin_connections();
    connect(12, 2);
    connect(13, 3);
    connect(2, 0);
    connect(3, 0);
    mrw_scene *scene = end_fbx();
    ck_assert_uint_eq(scene->draws_count, 2);
    uint32_t flags = 0;
    for (uint32_t d = 0; d < 2; d++) {
        flags += scene->nodes[scene->draws[d].node].flags;
    }
    ck_assert_uint_eq(flags, MRW_NODE_HIDDEN);
    mrw_scene_free(scene);
}
END_TEST

static void add_visibility_curve(void)
{
    add_curve_node(10, "Visibility");
    add_curve(11, SECOND ",92372316000", "1,0"); /* at 1 s shown, at 2 s hidden */
}

/* A clip from 1 s to 3 s that moves the topmost model and hides the one in the middle from 2 s on;
 * then one that hides it and moves nothing, which assimp leaves out. */
START_TEST(fbx_clips_hide_models)
{
    for (int moves = 1; moves >= 0; moves--) {
        add_three("", "Visibility:0;", "");
        add_visibility_curve();
        add_stack("Blink", SECOND, "138558474000");
        if (moves) {
            add_curve_node(20, "T");
            add_curve(21, SECOND ",138558474000", "0,20");
        }
        begin_connections();
        connect_three();
        connect(10, 901);
        connect_property(10, 3, "Visibility");
        connect_property(11, 10, "d|Visibility");
        if (moves) {
            connect(20, 901);
            connect_property(20, 2, "Lcl Translation");
            connect_property(21, 20, "d|X");
        }
        mrw_scene *scene = end_fbx();
        ck_assert_uint_eq(scene->clips_count, 1);
        ck_assert_str_eq(mrw_scene_string(scene, scene->clips[0].name), "Blink");
        ck_assert(fabs(scene->clips[0].duration - (moves ? 2.0 : 1.0)) < 1e-5);
        ck_assert_uint_eq(shown(scene, MRW_NONE, 0.0), 1);
        ck_assert_uint_eq(shown(scene, 0, 0.0), 7);
        ck_assert_uint_eq(shown(scene, 0, 0.99), 7);
        ck_assert_uint_eq(shown(scene, 0, 1.0), 1);
        mrw_scene_free(scene);
    }
}
END_TEST

START_TEST(fbx_times_and_names)
{
    /* the last key lies 20000 ticks, 0.4 us, after LocalStop at 3 s */
    mrw_scene *scene =
        moving_fbx("", "Lcl Translation", "T", "d|X", SECOND ",138558494000", "0,20");
    ck_assert_uint_eq(scene->clips_count, 1);
    ck_assert_str_eq(mrw_scene_string(scene, scene->clips[0].name), "Walk");
    ck_assert_str_eq(mrw_scene_string(scene, scene->clips[0].full_name), "Arm|Walk");
    ck_assert(fabs(scene->clips[0].duration - 2.0) < 1e-5);
    pose(scene, 0, 0.0); /* 1 s of the file */
    ck_place(scene, 0, 0, 1, 2, 3);
    pose(scene, 0, 2.0000005);
    ck_place(scene, 0, 0, 21, 2, 3);
    pose(scene, 0, 0.5);
    vec3 quarter = place(scene, 0, 0);
    ck_assert(fabs(quarter.x - 6.0) < 1e-4);
    mrw_scene_free(scene);
}
END_TEST

/* ---- FBX beyond the keys --------------------------------------------------------------------- */

/* Says of the first curve of the text that does not say so yet what comes before and after it. */
static void go_on(const char *before, const char *after)
{
    static char rest[sizeof text];
    char *at = text;
    while ((at = strstr(at, "KeyVer: 4008\n")) && (at += 13, strncmp(at, "  Pre-", 6) == 0)) {
    }
    ck_assert_ptr_nonnull(at);
    strcpy(rest, at);
    sprintf(
        at,
        "  Pre-Extrapolation:  {\n   Type: %s\n  }\n  Post-Extrapolation:  {\n   Type: %s\n  }\n%s",
        before, after, rest);
}

/* The triangle whose node moves from x = 0 to 20 between 1 and 3 s of the file, 0 and 2 of the
 * clip. */
static mrw_scene *going_fbx(const char *before, const char *after)
{
    mrw_scene_free(moving_fbx("", "Lcl Translation", "T", "d|X", SECOND ",138558474000", "0,20"));
    go_on(before, after);
    return load("test.fbx", text);
}

START_TEST(fbx_goes_on_beyond_its_keys)
{
    static const struct {
        const char *before, *after;
        double early, late; /* x at -0.5 s and at 5.5 s: by hand */
    } cases[] = {{"C", "C", 0, 20},
                 {"R", "R", 15, 15},
                 {"M", "M", 5, 15},
                 {"A", "A", -5, 55},
                 {"K", "K", -5, 55},
                 {"R\n   Repetition: 0", "R\n   Repetition: 1", 0, 20},
                 {"M\n   Repetition: 1", "A\n   Repetition: 1", 5, 40},
                 {"C", "R\n   Repetition: -1", 0, 15},
                 {"C,'R'", "X", 0, 20}};
    beyond_clips = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mrw_scene *scene = going_fbx(cases[i].before, cases[i].after);
        ck_assert(fabs(scene->clips[0].duration - 2.0) < 1e-5);
        pose(scene, 0, -0.5);
        ck_assert_double_eq_tol(place(scene, 0, 0).x, 1.0 + cases[i].early, 1e-4);
        pose(scene, 0, 5.5);
        ck_assert_double_eq_tol(place(scene, 0, 0).x, 1.0 + cases[i].late, 1e-4);
        ck_assert_uint_eq(scene->warnings_count, 0);
        mrw_scene_free(scene);
    }
    beyond_clips = false;
}
END_TEST

/* A curve keeps the slope of its tangent, not that of the line between its keys: with flat ones it
 * holds, with 4 units a second it goes on so. By hand. */
START_TEST(fbx_keeps_the_slope_of_tangents)
{
    static const struct {
        const char *flags, *slopes; /* as floats: right of the first key, left of the last */
        double early, late;         /* x at -0.5 s and at 5.5 s */
    } cases[] = {{" 1032", "0,0,0,0", 0, 20},                    /* cubic, user */
                 {" 1032", "1082130432,1082130432,0,0", -2, 34}, /* 4.0f */
                 {"24578", "0,0,0,0", 0, 20},                    /* constant */
                 {"24836", "0,0,0,0", -5, 55}};                  /* linear */
    beyond_clips = true;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        mrw_load_def def = mrw_load_def_default();
        mrw_error error = {0};
        mrw_scene *scene = NULL;
        char edited[sizeof text];
        mrw_scene_free(going_fbx("K", "K"));
        char *flags = strstr(text, "24836");
        char *slopes = flags ? strstr(flags, "0,0,0,0") : NULL;
        ck_assert_ptr_nonnull(slopes);
        memcpy(flags, cases[i / 2].flags, 5);
        *slopes = '\0';
        snprintf(edited, sizeof edited, "%s%s%s", text, cases[i / 2].slopes, slopes + 7);
        def.fbx_curves = i % 2 == 1;
        ck_assert_msg(mrw_load_memory(edited, strlen(edited), "test.fbx", NULL, &def, &scene,
                                      &error) == MRW_OK,
                      "%s", error.text);
        pose(scene, 0, -0.5);
        ck_assert_double_eq_tol(place(scene, 0, 0).x, 1.0 + cases[i / 2].early, 1e-4);
        pose(scene, 0, 5.5);
        ck_assert_double_eq_tol(place(scene, 0, 0).x, 1.0 + cases[i / 2].late, 1e-4);
        pose(scene, 0, 2.0);
        ck_assert_double_eq_tol(place(scene, 0, 0).x, 21.0, 1e-4);
        mrw_scene_free(scene);
    }
    beyond_clips = false;
}
END_TEST

/* A wheel that turns on about its axis below a PreRotation: a quarter in 2 s. */
START_TEST(fbx_turns_on)
{
    static const char *const types[] = {"K", "A"};
    beyond_clips = true;
    for (int i = 0; i < 2; i++) {
        mrw_scene_free(moving_fbx("RotationActive:1;PreRotation:0,0,90;Lcl Translation:0,0,4;",
                                  "Lcl Rotation", "R", "d|Z", SECOND ",138558474000", "0,90"));
        go_on("C", types[i]);
        mrw_scene *scene = load("test.fbx", text);
        pose(scene, 0, 4.0); /* 90 and two quarters: (1,2) ends at (2,-1) */
        ck_place(scene, 0, 0, 2, -1, 7);
        pose(scene, 0, 8.0);
        ck_place(scene, 0, 0, -2, 1, 7);
        mrw_scene_free(scene);
    }
    beyond_clips = false;
}
END_TEST

/* Curves of x, y and z; the last three say how they go on. Returns the x channel's way on behind
 * its keys. */
static uint32_t three_axes(const char *const times[3], const char *const values[3],
                           const char *const types[3], bool warns)
{
    static const char *const axes[3] = {"d|X", "d|Y", "d|Z"};
    begin_fbx(Y_UP, "100");
    add_triangle(1, "1,2,3");
    add_model(3, "Thing", "Null", "");
    add_model(2, "Thing", "Mesh", ""); /* of the same name */
    add_stack("Walk", "0", "138558474000");
    add_curve_node(10, "T");
    for (int i = 0; i < 3; i++) {
        add_curve(11 + i, times[i], values[i]);
    }
    begin_connections();
    connect(1, 2);
    connect(2, 0);
    connect(3, 0);
    connect(10, 901);
    connect_property(10, 2, "Lcl Translation");
    for (int i = 0; i < 3; i++) {
        connect_property(11 + i, 10, axes[i]);
    }
    add("}\n");
    for (int i = 0; i < 3; i++) {
        go_on("C", types[i]);
    }
    mrw_scene *scene = load("test.fbx", text);
    ck_assert_uint_eq(scene->channels[0].path, MRW_PATH_TRANSLATION);
    const uint32_t after = scene->channels[0].after;
    ck_assert_uint_eq(scene->warnings_count, warns);
    if (warns) {
        const char *warning = mrw_scene_string(scene, scene->warnings[0]);
        ck_assert_msg(strstr(warning, "clip \"Walk\": 1 channels") && strstr(warning, "Thing"),
                      "%s", warning);
    }
    mrw_scene_free(scene);
    return after;
}

#define THREE(a, b, c) ((const char *const[]){a, b, c})

/* Axes that move must agree on what follows and on when it does; those that stand still do not
 * matter. */
START_TEST(fbx_axes_agree_or_hold)
{
    const char *const whole = "0," SECOND;
    const char *const all[3] = {whole, whole, whole}, *const moving[3] = {"0,1", "2,1", "1,5"};
    ck_assert_uint_eq(three_axes(all, moving, THREE("R", "R", "R"), false),
                      MRW_EXTRAPOLATION_REPEAT);
    ck_assert_uint_eq(three_axes(all, moving, THREE("R", "R", "M"), true), MRW_EXTRAPOLATION_HOLD);
    ck_assert_uint_eq(three_axes(all, THREE("0,1", "3,3", "4,4"), THREE("M", "C", "R"), false),
                      MRW_EXTRAPOLATION_MIRROR);
    ck_assert_uint_eq(
        three_axes(THREE(whole, whole, "0,92372316000"), moving, THREE("R", "R", "R"), true),
        MRW_EXTRAPOLATION_HOLD);
    /* one that stands still, but for longer: the channel's cycle would be longer, too */
    ck_assert_uint_eq(three_axes(THREE(whole, whole, "0,92372316000"), THREE("0,1", "2,1", "4,4"),
                                 THREE("R", "R", "C"), true),
                      MRW_EXTRAPOLATION_HOLD);
}
END_TEST

/* A constant key holds its value, unless curves are not followed: then it is a ramp. */
START_TEST(fbx_curves_are_followed_by_default)
{
    static const double expected[2] = {6.0, 1.0};
    mrw_scene_free(moving_fbx("", "Lcl Translation", "T", "d|X", SECOND ",138558474000", "0,20"));
    char *flags = strstr(text, "24836"); /* linear */
    ck_assert_ptr_nonnull(flags);
    memcpy(flags, "24578", 5); /* constant: 2, where linear has 4 */
    for (int follow = 0; follow < 2; follow++) {
        mrw_load_def def = mrw_load_def_default();
        mrw_error error = {0};
        mrw_scene *scene = NULL;
        if (follow == 0) {
            def.fbx_curves = false;
        }
        ck_assert_msg(mrw_load_memory(text, strlen(text), "test.fbx", NULL, &def, &scene, &error) ==
                          MRW_OK,
                      "%s", error.text);
        pose(scene, 0, 0.5);
        ck_assert_double_eq_tol(place(scene, 0, 0).x, expected[follow], 1e-4);
        mrw_scene_free(scene);
    }
}
END_TEST

START_TEST(fbx_animated_rotation_counts_pre_rotation_once)
{
    /* PreRotation 90 and an animated rotation from 0 to 90, all about Z: (1,2) ends at (-1,-2) */
    mrw_scene *scene = moving_fbx("RotationActive:1;PreRotation:0,0,90;Lcl Translation:0,0,4;",
                                  "Lcl Rotation", "R", "d|Z", SECOND ",138558474000", "0,90");
    pose(scene, 0, 0.0);
    ck_place(scene, 0, 0, -2, 1, 7);
    pose(scene, 0, 2.0);
    ck_place(scene, 0, 0, -1, -2, 7);
    mrw_scene_free(scene);
}
END_TEST

START_TEST(fbx_animated_parent_scale)
{
    begin_fbx(Y_UP, "100");
    add_triangle(1, "1,2,3");
    add_model(2, "Parent", "Null", "");
    add_model(3, "Child", "Mesh", "InheritType:2;Lcl Translation:10,0,0;");
    add_stack("Grow", "0", SECOND);
    add_curve_node(10, "S");
    add_curve(11, "0," SECOND, "1,3");
    begin_connections();
    connect(1, 3);
    connect(3, 2);
    connect(2, 0);
    connect(10, 901);
    connect_property(10, 2, "Lcl Scaling");
    connect_property(11, 10, "d|X");
    mrw_scene *scene = end_fbx();
    for (int i = 0; i <= 8; i++) { /* between keys 1/s is baked */
        double scale = 1.0 + 2.0 * i / 8.0;
        pose(scene, 0, i / 8.0);
        ck_place(scene, 0, 0, scale * 10 + 1, 2, 3);
        pose(scene, 0, i / 8.0 * 0.999);
        vec3 v = place(scene, 0, 0);
        ck_assert(fabs(v.x - ((1.0 + 2.0 * i / 8.0 * 0.999) * 10 + 1)) < 2e-5);
    }
    mrw_scene_free(scene);
}
END_TEST

START_TEST(fbx_skin_counts_the_geometric_part)
{
    begin_fbx(Y_UP, "100");
    add_triangle(1, "1,2,3");
    add_model(2, "Skin", "Mesh", "GeometricTranslation:5,0,0;Lcl Translation:100,0,0;");
    add_model(3, "Bone", "LimbNode", "Lcl Rotation:0,0,90;");
    add(" NodeAttribute: 4, 'NodeAttribute::', 'LimbNode' {\n  TypeFlags: 'Skeleton'\n }\n"
        " Deformer: 5, 'Deformer::', 'Skin' {\n  Version: 101\n  Link_DeformAcuracy: 50\n }\n"
        " Deformer: 6, 'SubDeformer::', 'Cluster' {\n  Version: 100\n"
        "  Indexes: *3 {\n   a: 0,1,2\n  }\n  Weights: *3 {\n   a: 0.5,0.5,0.5\n  }\n"
        "  Transform: *16 {\n   a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1\n  }\n"
        "  TransformLink: *16 {\n   a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1\n  }\n }\n");
    begin_connections();
    connect(1, 2);
    connect(2, 0);
    connect(3, 0);
    connect(4, 3);
    connect(5, 1);
    connect(6, 5);
    connect(3, 6);
    mrw_scene *scene = end_fbx();
    pose(scene, MRW_NONE, 0.0);
    ck_assert_uint_eq(scene->skins_count, 1);
    /* the bone turns (1 + 5, 2, 3); the mesh's own place and the halved weights don't matter */
    ck_place(scene, 0, 0, -2, 6, 3);
    mrw_scene_free(scene);
}
END_TEST

static void add_cluster(int id, const char *vertices, int count)
{
    add(" Deformer: %d, 'SubDeformer::', 'Cluster' {\n  Version: 100\n"
        "  Indexes: *%d {\n   a: %s\n  }\n  Weights: *%d {\n   a: %s\n  }\n"
        "  Transform: *16 {\n   a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1\n  }\n"
        "  TransformLink: *16 {\n   a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1\n  }\n }\n",
        id, count, vertices, count, count == 1 ? "1" : "1,1");
}

/* A turned bone holds corner 0; its child, which has its name and moves, the others. */
START_TEST(fbx_joints_of_one_name)
{
    begin_fbx(Y_UP, "100");
    add_triangle(1, "1,2,3");
    add_model(2, "Skin", "Mesh", "");
    add_model(3, "Bone", "LimbNode", "Lcl Rotation:0,0,90;");
    add_model(4, "Bone", "LimbNode", "");
    add(" Deformer: 5, 'Deformer::', 'Skin' {\n  Version: 101\n  Link_DeformAcuracy: 50\n }\n");
    add_cluster(6, "0", 1);
    add_cluster(7, "1,2", 2);
    add_stack("Move", "0", SECOND);
    add_curve_node(10, "T");
    add_curve(11, "0," SECOND, "0,20");
    begin_connections();
    connect(1, 2);
    connect(2, 0);
    connect(3, 0);
    connect(4, 3);
    connect(5, 1);
    connect(6, 5);
    connect(7, 5);
    connect(3, 6);
    connect(4, 7);
    connect(10, 901);
    connect_property(10, 4, "Lcl Translation");
    connect_property(11, 10, "d|X");
    mrw_scene *scene = end_fbx();
    ck_assert_uint_eq(scene->skins_count, 1);
    ck_assert_uint_eq(scene->skins[0].joint_count, 2);
    for (uint32_t j = 0; j < 2; j++) {
        const mrw_node *joint = &scene->nodes[scene->joints[j]];
        ck_assert_str_eq(mrw_scene_string(scene, joint->name), "Bone");
    }
    for (int i = 0; i < 2; i++) {
        pose(scene, 0, 0.5 * i);
        ck_place(scene, 0, 0, -2, 1, 3);
        ck_place(scene, 0, 1, 0, 10 * i, 0);
        ck_place(scene, 0, 2, 0, 10 * i, 7);
    }
    mrw_scene_free(scene);
}
END_TEST

/* A blend shape that moves corner 0 by (0,0,10), its weight running from 0 to 100 %. */
static mrw_scene *morph_fbx(const char *normals)
{
    begin_fbx(Y_UP, "100");
    add_triangle(1, "1,2,3");
    add_model(2, "Face", "Mesh", "");
    add(" Geometry: 3, 'Geometry::Smile', 'Shape' {\n  Version: 100\n  Indexes: *1 {\n   a: 0\n"
        "  }\n  Vertices: *3 {\n   a: 0,0,10\n  }\n%s }\n"
        " Deformer: 4, 'Deformer::Face', 'BlendShape' {\n  Version: 100\n }\n"
        " Deformer: 5, 'SubDeformer::Smile', 'BlendShapeChannel' {\n  Version: 100\n"
        "  DeformPercent: 0\n  FullWeights: *1 {\n   a: 100\n  }\n }\n",
        normals);
    add_stack("Smiling", "0", SECOND);
    add_curve_node(10, "DeformPercent");
    add_curve(11, "0," SECOND, "0,100");
    begin_connections();
    connect(1, 2);
    connect(2, 0);
    connect(4, 1);
    connect(5, 4);
    connect(3, 5);
    connect(10, 901);
    connect_property(10, 5, "DeformPercent");
    connect_property(11, 10, "d|DeformPercent");
    return end_fbx();
}

START_TEST(fbx_morph)
{
    static const char *const normals[] = {"  Normals: *3 {\n   a: 0,0,0\n  }\n", ""};
    for (int i = 0; i < 2; i++) { /* Maya leaves normals out that don't change */
        mrw_scene *scene = morph_fbx(normals[i]);
        pose(scene, MRW_NONE, 0.0);
        ck_place(scene, 0, 0, 1, 2, 3);
        pose(scene, 0, 0.25);
        ck_place(scene, 0, 0, 1, 2, 5.5);
        pose(scene, 0, 1.0);
        ck_place(scene, 0, 0, 1, 2, 13);
        mrw_scene_free(scene);
    }
}
END_TEST

/* ---- FBX: what hangs on models --------------------------------------------------------------- */

START_TEST(fbx_camera_looks_along_x)
{
    begin_fbx(Y_UP, "100");
    add_triangle(1, "1,2,3");
    add_model(2, "Thing", "Mesh", "");
    add_model(3, "Eye", "Camera", "Lcl Translation:0,5,0;");
    add(" NodeAttribute: 4, 'NodeAttribute::Eye', 'Camera' {\n  Properties70:  {\n"
        "   P: 'AspectWidth', 'double', 'Number', '',200\n"
        "   P: 'AspectHeight', 'double', 'Number', '',100\n"
        "   P: 'FieldOfView', 'FieldOfView', '', 'A',90\n"
        "   P: 'NearPlane', 'double', 'Number', '',2\n"
        "   P: 'FarPlane', 'double', 'Number', '',50\n  }\n  TypeFlags: 'Camera'\n }\n");
    begin_connections();
    connect(1, 2);
    connect(2, 0);
    connect(3, 0);
    connect(4, 3);
    mrw_scene *scene = end_fbx();
    pose(scene, MRW_NONE, 0.0);
    ck_assert_uint_eq(scene->cameras_count, 1);
    const mrw_scene_camera *camera = &scene->cameras[0];
    ck_assert_str_eq(mrw_scene_string(scene, camera->name), "Eye");
    /* 90 degrees across at 2:1 are 2 atan(1/2) up */
    ck_assert(fabs((double)camera->yfov - 2.0 * atan(0.5)) < 1e-5);
    ck_assert(fabsf(camera->near_plane - 2.0f) < 1e-5f && fabsf(camera->far_plane - 50.0f) < 1e-4f);
    vec3 ahead = transform(&worlds[camera->node], (vec3){0, 0, -1});
    ck_assert(fabs(ahead.x - 1) < 1e-6 && fabs(ahead.y - 5) < 1e-6 && fabs(ahead.z) < 1e-6);
    vec3 above = transform(&worlds[camera->node], (vec3){0, 1, 0});
    ck_assert(fabs(above.x) < 1e-6 && fabs(above.y - 6) < 1e-6 && fabs(above.z) < 1e-6);
    mrw_scene_free(scene);
}
END_TEST

static void add_light(int id, const char *name, int type, const char *more)
{
    add(" NodeAttribute: %d, 'NodeAttribute::%s', 'Light' {\n  Properties70:  {\n"
        "   P: 'LightType', 'enum', '', '',%d\n   P: 'Color', 'Color', '', 'A',1,0.5,0\n"
        "   P: 'Intensity', 'Number', '', 'A',50\n%s  }\n  TypeFlags: 'Light'\n }\n",
        id, name, type, more);
}

/* A triangle whose box is (0, 0, 0) to (1, 2, 7) and whose middle so is (0.5, 1, 3.5): a sun that
 * is turned, a bulb 10 above its middle, a spot in it. */
static mrw_scene *lit_fbx(const char *creator, const char *unit)
{
    begin_fbx_by(creator, Y_UP, unit);
    add_triangle(1, "1,2,3");
    add_model(2, "Thing", "Mesh", "");
    add_model(3, "Sun", "Light", "Lcl Rotation:0,0,90;Lcl Translation:4,0,0;");
    add_model(4, "Bulb", "Light", "Lcl Translation:0.5,11,3.5;");
    add_model(5, "Spot", "Light", "Lcl Translation:0.5,1,3.5;");
    add_light(6, "Sun", 1, "");
    add_light(7, "Bulb", 0, "   P: 'DecayType', 'enum', '', '',2\n");
    add_light(8, "Spot", 2,
              "   P: 'InnerAngle', 'Number', '', 'A',40\n"
              "   P: 'OuterAngle', 'Number', '', 'A',60\n");
    begin_connections();
    connect(1, 2);
    for (int id = 2; id < 6; id++) {
        connect(id, 0);
    }
    for (int id = 6; id < 9; id++) {
        connect(id, id - 3);
    }
    mrw_scene *scene = end_fbx();
    pose(scene, MRW_NONE, 0.0);
    ck_assert_uint_eq(scene->lights_count, 3);
    return scene;
}

static void check_intensities(const mrw_scene *scene, double sun, double bulb, double spot,
                              double green)
{
    const double expected[3] = {sun, bulb, spot};
    for (int i = 0; i < 3; i++) {
        const mrw_scene_light *light = &scene->lights[i];
        const double got = (double)light->intensity;
        ck_assert_msg(fabs(got - expected[i]) <= 1e-5 * expected[i], "light %d: %g, not %g", i, got,
                      expected[i]);
        ck_assert(light->color[0] == 0.5f && light->color[2] == 0.0f);
        ck_assert(fabs((double)light->color[1] - green) < 1e-6);
    }
}

/* Lights shine along -Y of their model: turned by 90 degrees about Z, along X. Intensity 100 is
 * full light, pi lux: of points and spots at the model, 10 away, so that the bulb has 100 pi
 * candela, the spot in its middle pi times the square of half the diagonal, 13.5. Centimetres are
 * 10^-4 of that. Cones are filed as full angles. */
START_TEST(fbx_lights)
{
    mrw_scene *scene = lit_fbx("FBX SDK/FBX Plugins version 2019.2", "100");
    const mrw_scene_light *lights = scene->lights;
    ck_assert(lights[0].type == MRW_SCENE_LIGHT_DIRECTIONAL &&
              lights[1].type == MRW_SCENE_LIGHT_POINT && lights[2].type == MRW_SCENE_LIGHT_SPOT);
    check_intensities(scene, 3.14159265, 314.159265, 42.4115008, 0.1070206);
    vec3 from = transform(&worlds[lights[0].node], (vec3){0, 0, 0});
    vec3 ahead = transform(&worlds[lights[0].node], (vec3){0, 0, -1});
    ck_assert(fabs(ahead.x - from.x - 1) < 1e-6 && fabs(ahead.y - from.y) < 1e-6 &&
              fabs(ahead.z - from.z) < 1e-6);
    from = transform(&worlds[lights[1].node], (vec3){0, 0, 0});
    ck_assert(fabs(from.x - 0.5) < 1e-6 && fabs(from.y - 11) < 1e-6 && fabs(from.z - 3.5) < 1e-6);
    ahead = transform(&worlds[lights[2].node], (vec3){0, 0, -1});
    ck_assert(fabs(ahead.x - 0.5) < 1e-6 && fabs(ahead.y) < 1e-6 && fabs(ahead.z - 3.5) < 1e-6);
    ck_assert(fabs((double)lights[2].inner_cone - 0.34906585) < 1e-6);
    ck_assert(fabs((double)lights[2].outer_cone - 0.52359878) < 1e-6);
    mrw_scene_free(scene);
    scene = lit_fbx("", "1");
    check_intensities(scene, 3.14159265, 0.0314159265, 0.00424115008, 0.1070206);
    mrw_scene_free(scene);
}
END_TEST

/* A watt in all directions is 1 / (4 pi) candela, one for each m2 a lux. */
START_TEST(fbx_lights_of_blender_are_watts)
{
    mrw_scene *scene = lit_fbx("Blender (stable FBX IO) - 2.80 (sub 75) - 4.14.14", "1");
    check_intensities(scene, 1, 0.0795774715, 0.0795774715, 0.25);
    mrw_scene_free(scene);
    scene = lit_fbx("Blender (stable FBX IO) - 2.79 (sub 0) - 3.7.13", "100");
    check_intensities(scene, 3.14159265, 314.159265, 42.4115008, 0.25);
    mrw_scene_free(scene);
    scene = lit_fbx("Blender", "100");
    check_intensities(scene, 3.14159265, 314.159265, 42.4115008, 0.25);
    mrw_scene_free(scene);
}
END_TEST

START_TEST(fbx_material)
{
    begin_fbx(Y_UP, "100");
    add_triangle(1, "1,2,3");
    add_model(2, "Thing", "Mesh", "");
    add(" Material: 3, 'Material::Paint', '' {\n  Version: 102\n  ShadingModel: 'lambert'\n"
        "  Properties70:  {\n   P: 'DiffuseColor', 'Color', '', 'A',0.25,0.5,1\n"
        "   P: 'TransparencyFactor', 'Number', '', 'A',1\n   P: 'Opacity', 'double', 'Number', "
        "'',0.25\n  }\n }\n");
    begin_connections();
    connect(1, 2);
    connect(2, 0);
    connect(3, 2);
    mrw_scene *scene = end_fbx();
    ck_assert_uint_ne(scene->meshes[0].material, MRW_NONE);
    const mrw_material *paint = &scene->materials[scene->meshes[0].material];
    ck_assert_str_eq(mrw_scene_string(scene, paint->name), "Paint");
    const float expected[4] = {0.0508761f, 0.2140411f, 1.0f, 0.25f}; /* of sRGB; opacity */
    for (int c = 0; c < 4; c++) {
        ck_assert(fabsf(paint->maps[MRW_MAP_BASE_COLOR].factor[c] - expected[c]) < 1e-6f);
    }
    ck_assert_uint_eq(paint->alpha_mode, MRW_ALPHA_BLEND);
    ck_assert_uint_eq(paint->flags, MRW_MATERIAL_DOUBLE_SIDED); /* FBX says CullingOff */
    ck_assert_uint_eq(paint->maps[MRW_MAP_BASE_COLOR].texture, MRW_NONE);
    mrw_scene_free(scene);
}
END_TEST

/* ---- others ---------------------------------------------------------------------------------- */

/* An X file whose clips, of one channel each, end at these ticks. */
static mrw_scene *load_x(const char *header, const unsigned *last, int count)
{
    mrw_load_def def = mrw_load_def_default();
    mrw_error error = {0};
    mrw_scene *scene = NULL;
    text[0] = '\0';
    add("xof 0303txt 0032\n%sFrame Root {\n FrameTransformMatrix {\n"
        "  1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0;;\n }\n Mesh Tri {\n"
        "  3;\n  1.0;2.0;3.0;,\n  0.0;0.0;0.0;,\n  0.0;7.0;0.0;;\n  1;\n  3;0,1,2;;\n }\n}\n",
        header);
    for (int i = 0; i < count; i++) {
        add("AnimationSet Clip%d {\n Animation {\n  {Root}\n  AnimationKey {\n   2;\n   2;\n"
            "   0;3;0.0,0.0,0.0;;,\n   %u;3;10.0,0.0,0.0;;;\n  }\n }\n}\n",
            i, last[i]);
    }
    def.formats = "x";
    mrw_status status = mrw_load_memory(text, strlen(text), "a.x", NULL, &def, &scene, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    ck_assert_uint_eq(scene->clips_count, (uint32_t)count);
    return scene;
}

/* 4800 a second where the longest clip has 1000 ticks, else 25, and for all clips alike. */
START_TEST(x_ticks_that_are_not_named)
{
    static const unsigned last[] = {999, 1000, 480, 4800};
    mrw_scene *scene = load_x("", &last[0], 1);
    ck_assert_double_eq_tol(scene->clips[0].duration, 999.0 / 25.0, 1e-9);
    mrw_scene_free(scene);
    scene = load_x("", &last[1], 1);
    ck_assert_double_eq_tol(scene->clips[0].duration, 1000.0 / 4800.0, 1e-9);
    mrw_scene_free(scene);
    scene = load_x("", &last[2], 2);
    ck_assert_double_eq_tol(scene->clips[0].duration, 0.1, 1e-9);
    ck_assert_double_eq_tol(scene->clips[1].duration, 1.0, 1e-9);
    mrw_scene_free(scene);
    scene = load_x("AnimTicksPerSecond {\n 60;\n}\n", &last[1], 1);
    ck_assert_double_eq_tol(scene->clips[0].duration, 1000.0 / 60.0, 1e-9);
    mrw_scene_free(scene);
}
END_TEST

START_TEST(bvh_draws_its_bones)
{
    mrw_scene *scene =
        load("test.bvh", "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition "
                         "Yposition Zposition Zrotation Xrotation Yrotation\n JOINT Chest\n {\n"
                         "  OFFSET 0 10 0\n  CHANNELS 3 Zrotation Xrotation Yrotation\n"
                         "  End Site\n  {\n   OFFSET 0 5 0\n  }\n }\n}\nMOTION\nFrames: 3\n"
                         "Frame Time: 0.5\n0 0 0 0 0 0 0 0 0\n2 0 0 0 0 0 0 0 0\n"
                         "4 0 0 90 0 0 0 0 0\n");
    ck_assert_uint_eq(scene->draws_count, 1);
    ck_assert_uint_eq(scene->meshes[0].triangle_count, 2 * 8);
    ck_assert(scene->meshes[0].flags & MRW_MESH_BONES);
    ck_assert(fabs(scene->clips[0].duration - 1.0) < 1e-6);
    pose(scene, 0, 1.0); /* the tips, turned by 90 degrees about Z: from 4,0 to 4-15,0 */
    double least = 0.0;
    for (uint32_t v = 0; v < scene->meshes[0].vertex_count; v++) {
        vec3 p = place(scene, 0, v);
        least = p.x < least ? p.x : least;
    }
    ck_assert(fabs(least - (4.0 - 15.0)) < 1e-4);
    mrw_scene_free(scene);
}
END_TEST

/* The octahedra are solid from outside: six times the volume of each is above 0. */
static void ck_bones(const mrw_scene *scene, uint32_t bones, double length)
{
    ck_assert_uint_eq(scene->draws_count, 1);
    const mrw_mesh *mesh = &scene->meshes[0];
    ck_assert_uint_eq(mesh->triangle_count, bones * 8);
    double total = 0.0;
    for (uint32_t b = 0; b < bones; b++) {
        double volume = 0.0, far[2] = {1e9, -1e9};
        for (uint32_t c = 24 * b; c < 24 * (b + 1); c += 3) {
            const float *p[3];
            for (uint32_t k = 0; k < 3; k++) {
                p[k] = scene->positions +
                       3 * ((size_t)mesh->position + scene->indices[mesh->first_index + c + k]);
                const double y = (double)p[k][1];
                far[0] = y < far[0] ? y : far[0];
                far[1] = y > far[1] ? y : far[1];
            }
            volume += (double)p[0][0] *
                          ((double)p[1][1] * (double)p[2][2] - (double)p[1][2] * (double)p[2][1]) +
                      (double)p[0][1] *
                          ((double)p[1][2] * (double)p[2][0] - (double)p[1][0] * (double)p[2][2]) +
                      (double)p[0][2] *
                          ((double)p[1][0] * (double)p[2][1] - (double)p[1][1] * (double)p[2][0]);
        }
        ck_assert_double_gt(volume, 0.0);
        total += far[1] - far[0];
    }
    ck_assert_double_eq_tol(total, length, 1e-4 * length);
}

/* Two joints and a tip along Y, with a group between; around them an effector, a camera, a locator
 * and a joint that somebody left behind. */
START_TEST(fbx_bones_are_joints)
{
    begin_fbx(Y_UP, "100");
    add_model(2, "Reference", "Null", "Lcl Translation:50,50,50;");
    add_model(3, "Hips", "Root", "Lcl Translation:0,10,0;");
    add_model(4, "Group", "Null", "Lcl Translation:0,1,0;");
    add_model(5, "Chest", "LimbNode", "Lcl Translation:0,1,0;");
    add_model(6, "Head", "LimbNode", "Lcl Translation:0,3,0;");
    add_model(7, "HandEffector", "IKEffector", "Lcl Translation:0,100,0;");
    add_model(8, "HandFk", "FKEffector", "Lcl Translation:0,100,0;");
    add_model(9, "View", "Camera", "Lcl Translation:0,900,0;");
    add_model(10, "Target", "Null", "Lcl Translation:0,900,0;");
    add_model(11, "Lost", "LimbNode", "Lcl Translation:0,800000000,0;");
    begin_connections();
    for (int id = 3; id <= 6; id++) {
        connect(id, id - 1);
    }
    for (int id = 7; id <= 11; id++) {
        connect(id, 3);
    }
    connect(2, 0);
    mrw_scene *scene = end_fbx();
    ck_bones(scene, 2, 5.0);
    bool told = false;
    for (uint32_t i = 0; i < scene->warnings_count; i++) {
        told = told || strstr(mrw_scene_string(scene, scene->warnings[i]), "\"Lost\"");
    }
    ck_assert(told);
    mrw_scene_free(scene);
}
END_TEST

/* Without joints all but the camera are bones. */
START_TEST(fbx_bones_without_joints)
{
    begin_fbx(Y_UP, "100");
    add_model(2, "Hips", "Null", "");
    add_model(3, "Chest", "Null", "Lcl Translation:0,2,0;");
    add_model(4, "View", "Camera", "Lcl Translation:0,4,0;");
    begin_connections();
    connect(2, 0);
    connect(3, 2);
    connect(4, 2);
    mrw_scene *scene = end_fbx();
    ck_bones(scene, 1, 2.0);
    mrw_scene_free(scene);
}
END_TEST

START_TEST(smd_stands_up)
{
    mrw_scene *scene = load("test.smd", "version 1\nnodes\n0 \"root\" -1\nend\nskeleton\ntime 0\n"
                                        "0 0 0 0 0 0 0\nend\ntriangles\nskin.bmp\n"
                                        "0 1 2 3 0 0 1 0.25 0.25\n0 5 0 0 0 0 1 0 0\n"
                                        "0 0 5 0 0 0 1 0 1\nend\n");
    pose(scene, MRW_NONE, 0.0);
    bool found = false;
    for (uint32_t v = 0; v < scene->meshes[0].vertex_count; v++) {
        vec3 p = place(scene, 0, v);
        found |= fabs(p.x - 1) < 1e-5 && fabs(p.y - 3) < 1e-5 && fabs(p.z + 2) < 1e-5;
    }
    ck_assert(found);
    mrw_scene_free(scene);
}
END_TEST

START_TEST(obj_turns_v_round)
{
    mrw_scene *scene = load("test.obj", "o Tri\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0.25\nvt 1 0\n"
                                        "vt 0 1\nl 1 2\nf 1/1 2/2 3/3\n");
    ck_assert_uint_eq(scene->draws_count, 1);
    const mrw_mesh *mesh = &scene->meshes[0];
    ck_assert_uint_eq(mesh->triangle_count, 1);
    uint32_t first = scene->indices[mesh->first_index];
    ck_assert(fabsf(scene->uvs[2 * (mesh->uv[0] + first) + 1] - 0.75f) < 1e-6f);
    ck_assert(mesh->flags & MRW_MESH_COMPUTED_NORMALS);
    mrw_scene_free(scene);
}
END_TEST

START_TEST(damage_is_one_message)
{
    static const char *const files[][2] = {
        {"a.fbx", "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n FBXVersion: 7400\n"},
        {"a.dae", "<?xml version='1.0'?><COLLADA version='1.4.1'><asset/></COLLADA>"},
        {"a.bvh", "HIERARCHY\nROOT Hips\n{\n OFFSET 0 0"},
        {"a.obj", "v 0 0 0\nf 1 2 9\n"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        mrw_error error = {0};
        mrw_scene *scene = NULL;
        mrw_status status = mrw_load_memory(files[i][1], strlen(files[i][1]), files[i][0], NULL,
                                            NULL, &scene, &error);
        ck_assert_msg(status == MRW_OK || status == MRW_ERROR_INPUT, "%s: %s", files[i][0],
                      error.text);
        ck_assert(status == MRW_OK || strstr(error.text, files[i][0]) == error.text);
        mrw_scene_free(scene);
    }
}
END_TEST

/* ---- the suite ------------------------------------------------------------------------------- */

static Suite *suite(void)
{
    Suite *s = suite_create("import");
    TCase *fbx = tcase_create("fbx");
    tcase_add_test(fbx, fbx_axes_and_unit);
    tcase_add_test(fbx, fbx_pivots);
    tcase_add_test(fbx, fbx_inherit_type);
    tcase_add_test(fbx, fbx_times_and_names);
    tcase_add_test(fbx, fbx_hides_models);
    tcase_add_test(fbx, fbx_hides_the_second_model_of_a_name);
    tcase_add_test(fbx, fbx_clips_hide_models);
    tcase_add_test(fbx, fbx_curves_are_followed_by_default);
    tcase_add_test(fbx, fbx_goes_on_beyond_its_keys);
    tcase_add_test(fbx, fbx_turns_on);
    tcase_add_test(fbx, fbx_keeps_the_slope_of_tangents);
    tcase_add_test(fbx, fbx_axes_agree_or_hold);
    tcase_add_test(fbx, fbx_animated_rotation_counts_pre_rotation_once);
    tcase_add_test(fbx, fbx_animated_parent_scale);
    tcase_add_test(fbx, fbx_skin_counts_the_geometric_part);
    tcase_add_test(fbx, fbx_joints_of_one_name);
    tcase_add_test(fbx, fbx_morph);
    tcase_add_test(fbx, fbx_camera_looks_along_x);
    tcase_add_test(fbx, fbx_lights);
    tcase_add_test(fbx, fbx_lights_of_blender_are_watts);
    tcase_add_test(fbx, fbx_material);
    suite_add_tcase(s, fbx);
    TCase *others = tcase_create("others");
    tcase_add_test(others, x_ticks_that_are_not_named);
    tcase_add_test(others, bvh_draws_its_bones);
    tcase_add_test(fbx, fbx_bones_are_joints);
    tcase_add_test(fbx, fbx_bones_without_joints);
    tcase_add_test(others, smd_stands_up);
    tcase_add_test(others, obj_turns_v_round);
    tcase_add_test(others, damage_is_one_message);
    suite_add_tcase(s, others);
    return s;
}

TEST_MAIN(suite())
