/* test_sliders.c: blend shape channels of FBX files and their in-betweens, and models of one name,
 * in text and in both binary layouts. Every target moves a vertex of its own by (0,0,10), so that
 * the vertices show the weights. The answers are worked out by hand: a channel at d percent,
 * between two targets that are there in full at f and g, shows them with (g-d)/(g-f) and
 * (d-f)/(g-f); the mesh itself is at 0.
 *
 * The import helper's files are no part of the library; those that mend bytes are compiled in. */
#include "import/beyond.c"
#include "import/curve.c"
#include "import/edits.c"
#include "import/fbx_arrays.c"
#include "import/fbx_beyond.c"
#include "import/fbx_bytes.c"
#include "import/fbx_curves.c"
#include "import/fbx_instances.c"
#include "import/fbx_nodes.c"
#include "import/fbx_objects.c"
#include "import/fbx_shapes.c"
#include "import/fbx_sliders.c"

#include "import_fixture.h"

#include "fbx_fixture.h"

#define MAX_ROWS 4

typedef struct slider {
    int targets;
    double full[MAX_ROWS];
    int full_count; /* -1: not written; 0: as many as targets */
    double percent;
    double property; /* DeformPercent once more, among the properties; 0: not there */
    int keys;
    double times[MAX_ROWS], values[MAX_ROWS];
    int constant; /* keys hold their value */
    int deformer; /* its number */
} slider;

/* ---- writing a scene ------------------------------------------------------------------------- */

#define CORNERS 12

static void write_mesh(void)
{
    static const double material[] = {0};
    double corners[3 * CORNERS], indices[CORNERS];
    for (int i = 0; i < CORNERS; i++) {
        corners[3 * i] = i, corners[3 * i + 1] = i * i % 7, corners[3 * i + 2] = 0;
        indices[i] = i % 3 == 2 ? -i - 1 : i;
    }
    named("Geometry", 1, "Geometry", "Head", "Mesh");
    array("Vertices", 'd', 3 * CORNERS, corners);
    array("PolygonVertexIndex", 'i', CORNERS, indices);
    node("GeometryVersion"), integer(124), end();
    node("LayerElementMaterial"), integer(0);
    node("MappingInformationType"), string("", "AllSame"), end();
    node("ReferenceInformationType"), string("", "IndexToDirect"), end();
    array("Materials", 'i', 1, material);
    end();
    node("Layer"), integer(0);
    node("LayerElement");
    node("Type"), string("", "LayerElementMaterial"), end();
    node("TypedIndex"), integer(0), end();
    end(), end(), end();
    named("Model", 2, "Model", "Head", "Mesh");
    end();
}

static void write_stack(void)
{
    named("AnimationStack", 900, "AnimStack", "Take", "");
    node("Properties70");
    property("LocalStart", "KTime", 0);
    property("LocalStop", "KTime", seconds(4));
    end(), end();
    named("AnimationLayer", 901, "AnimLayer", "Base", "");
    end();
}

/* Ids: a channel 100, its curve node 200, its curve 300; a shape 400; a deformer 500. */
static void write_channel(const slider *s, int k)
{
    static const double flags[2] = {24836, 24578}, zeros[4] = {0};
    double times[MAX_ROWS], keys = s->keys;
    char name[20];
    snprintf(name, sizeof name, "Slider.%d", k);
    named("Deformer", 100 + k, "SubDeformer", name, "BlendShapeChannel");
    if (s->property != 0.0) {
        node("Properties70"), property("DeformPercent", "Number", s->property), end();
    }
    node("DeformPercent"), number(s->percent), end();
    if (s->full_count >= 0) {
        array("FullWeights", 'd', s->full_count > 0 ? s->full_count : s->targets, s->full);
    }
    end();
    if (s->keys > 0) {
        for (int i = 0; i < s->keys; i++) {
            times[i] = seconds(s->times[i]);
        }
        named("AnimationCurveNode", 200 + k, "AnimCurveNode", "DeformPercent", "");
        end();
        named("AnimationCurve", 300 + k, "AnimCurve", "", "");
        node("Default"), number(0), end();
        node("KeyVer"), integer(4008), end();
        array("KeyTime", 'l', s->keys, times);
        array("KeyValueFloat", 'f', s->keys, s->values);
        array("KeyAttrFlags", 'i', 1, &flags[s->constant]);
        array("KeyAttrDataFloat", 'f', 4, zeros);
        array("KeyAttrRefCount", 'i', 1, &keys);
        end();
    }
}

static void write_shape(int k, int vertices)
{
    double indices[MAX_ROWS], offsets[3 * MAX_ROWS] = {0};
    for (int i = 0; i < vertices; i++) {
        indices[i] = k + i, offsets[3 * i + 2] = 10;
    }
    named("Geometry", 400 + k, "Geometry", "Shape", "Shape");
    array("Indexes", 'i', vertices, indices);
    array("Vertices", 'd', 3 * vertices, offsets);
    end();
}

static void write_connections(const slider *sliders, int count, int deformers)
{
    node("Connections");
    connect(1, 2, NULL), connect(2, 0, NULL), connect(901, 900, NULL);
    for (int d = 0; d < deformers; d++) {
        connect(500 + d, 1, NULL);
    }
    for (int k = 0, target = 0; k < count; k++) {
        connect(100 + k, 500 + sliders[k].deformer, NULL);
        for (int i = 0; i < sliders[k].targets; i++) {
            connect(400 + target++, 100 + k, NULL);
        }
        if (sliders[k].keys > 0) {
            connect(200 + k, 901, NULL);
            connect(200 + k, 100 + k, "DeformPercent");
            connect(300 + k, 200 + k, "d|DeformPercent");
        }
    }
    end();
}

static void write_objects(const slider *sliders, int count, int deformers, int shape_vertices)
{
    node("Objects");
    write_mesh();
    for (int d = 0; d < deformers; d++) {
        named("Deformer", 500 + d, "Deformer", "Face", "BlendShape");
        end();
    }
    for (int k = 0, target = 0; k < count; k++) {
        write_channel(&sliders[k], k);
        for (int i = 0; i < sliders[k].targets; i++) {
            write_shape(target++, shape_vertices);
        }
    }
    write_stack();
    end();
}

/* Shapes of several vertices move those behind their own, too. */
static void write_scene(const slider *sliders, int count, int shape_vertices)
{
    int deformers = 0;
    for (int k = 0; k < count; k++) {
        deformers = sliders[k].deformer >= deformers ? sliders[k].deformer + 1 : deformers;
    }
    begin_file();
    write_objects(sliders, count, deformers, shape_vertices);
    write_connections(sliders, count, deformers);
    end_file();
}

static mrw_scene *load_written(bool curves)
{
    mrw_load_def def = mrw_load_def_default();
    mrw_error error = {0};
    mrw_scene *scene = NULL;
    def.fbx_curves = curves;
    mrw_status status = mrw_load_memory(file, file_size, "test.fbx", NULL, &def, &scene, &error);
    ck_assert_msg(status == MRW_OK, "%s", error.text);
    return scene;
}

static mrw_scene *load_sliders(int format, const slider *sliders, int count)
{
    how = (layout)format;
    write_scene(sliders, count, 1);
    return load_written(false);
}

/* The weights of the first targets, as their vertices show them. */
static void check(const mrw_scene *scene, uint32_t clip, double time, int count,
                  const double *expected)
{
    pose(scene, clip, time);
    for (int i = 0; i < count; i++) {
        double got = place(scene, 0, (uint32_t)i).z / 10.0;
        ck_assert_msg(fabs(got - expected[i]) < 2e-6, "target %d at %g s: %.7f, not %.7f", i, time,
                      got, expected[i]);
    }
}

#define ck_rest(scene, count, ...) check(scene, MRW_NONE, 0.0, count, (const double[]){__VA_ARGS__})
#define ck_weights(scene, time, count, ...)                                                        \
    check(scene, 0, time, count, (const double[]){__VA_ARGS__})

/* ---- in-betweens ----------------------------------------------------------------------------- */

START_TEST(targets_fade_into_one_another)
{
    const slider s = {
        .targets = 2, .full = {50, 100}, .keys = 2, .times = {0, 1}, .values = {0, 100}};
    mrw_scene *scene = load_sliders(_i, &s, 1);
    ck_weights(scene, 0.0, 2, 0, 0);
    ck_weights(scene, 0.25, 2, 0.5, 0);
    ck_weights(scene, 0.4995, 2, 0.999, 0);
    ck_weights(scene, 0.5, 2, 1, 0);
    ck_weights(scene, 0.5005, 2, 0.999, 0.001);
    ck_weights(scene, 0.75, 2, 0.5, 0.5);
    ck_weights(scene, 1.0, 2, 0, 1);
    mrw_scene_free(scene);
    const slider three = {
        .targets = 3, .full = {30, 80, 100}, .keys = 3, .times = {0, 1, 2}, .values = {100, 0, 90}};
    scene = load_sliders(_i, &three, 1);
    ck_weights(scene, 0.0, 3, 0, 0, 1);
    ck_weights(scene, 0.1, 3, 0, 0.5, 0.5);  /* 90 */
    ck_weights(scene, 0.45, 3, 0.5, 0.5, 0); /* 55 */
    ck_weights(scene, 0.85, 3, 0.5, 0, 0);   /* 15 */
    ck_weights(scene, 1.5, 3, 0.7, 0.3, 0);  /* 45 */
    ck_weights(scene, 2.0, 3, 0, 0.5, 0.5);
    mrw_scene_free(scene);
}
END_TEST

/* The only channel of the first clip that moves weights. */
static const mrw_channel *weight_channel(const mrw_scene *scene)
{
    const mrw_channel *found = NULL;
    for (uint32_t c = 0; c < scene->clips[0].channel_count; c++) {
        const mrw_channel *channel = &scene->channels[scene->clips[0].first_channel + c];
        if (channel->path == MRW_PATH_WEIGHTS) {
            ck_assert_ptr_null(found);
            found = channel;
        }
    }
    ck_assert_ptr_nonnull(found);
    return found;
}

START_TEST(keys_are_put_where_a_segment_passes_a_target)
{
    static const double expected[] = {0.0, 0.5, 1.0, 2.25, 3.0};
    slider s = {.targets = 2,
                .full = {50, 100},
                .keys = 3,
                .times = {0, 1, 3},
                .values = {0, 100, 20}}; /* 50 again at 1 + 2 * 50/80 */
    mrw_scene *scene = load_sliders(_i, &s, 1);
    const mrw_channel *channel = weight_channel(scene);
    ck_assert_uint_eq(channel->key_count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        ck_assert_double_eq_tol(scene->key_times[channel->first_time + i], expected[i], 1e-7);
    }
    mrw_scene_free(scene);
    s.values[0] = 50, s.values[2] = 60; /* a key on a target, and a segment that stays above it */
    scene = load_sliders(_i, &s, 1);
    ck_assert_uint_eq(weight_channel(scene)->key_count, 3);
    ck_weights(scene, 2.0, 2, 0.4, 0.6);
    mrw_scene_free(scene);
    const slider one = {
        .targets = 1, .full = {50}, .keys = 2, .times = {0, 1}, .values = {-100, 100}};
    scene = load_sliders(_i, &one, 1);
    ck_assert_uint_eq(weight_channel(scene)->key_count, 2);
    mrw_scene_free(scene);
}
END_TEST

START_TEST(beyond_the_last_target_it_goes_on)
{
    const slider s = {
        .targets = 2, .full = {50, 100}, .keys = 2, .times = {0, 3}, .values = {-100, 200}};
    mrw_scene *scene = load_sliders(_i, &s, 1);
    ck_weights(scene, 0.0, 2, -2, 0);
    ck_weights(scene, 0.5, 2, -1, 0); /* -50 */
    ck_weights(scene, 1.25, 2, 0.5, 0);
    ck_weights(scene, 2.5, 2, -1, 2); /* 150: the second less the first, once more */
    ck_weights(scene, 3.0, 2, -2, 3);
    mrw_scene_free(scene);
}
END_TEST

START_TEST(one_target_is_full_at_another_percentage)
{
    const slider sliders[] = {
        {.targets = 1, .full = {200}, .keys = 2, .times = {0, 1}, .values = {0, 100}},
        {.targets = 1, .full = {50}, .keys = 2, .times = {0, 1}, .values = {0, 100}},
        {.targets = 1, .full_count = -1, .keys = 2, .times = {0, 1}, .values = {0, 100}},
        {.targets = 1, .full = {0}, .keys = 2, .times = {0, 1}, .values = {0, 100}},
    };
    mrw_scene *scene = load_sliders(_i, sliders, 4);
    ck_weights(scene, 0.0, 4, 0, 0, 0, 0);
    ck_weights(scene, 0.5, 4, 0.25, 1, 0.5, 0); /* where the mesh itself is, no target is */
    ck_weights(scene, 1.0, 4, 0.5, 2, 1, 0);
    mrw_scene_free(scene);
}
END_TEST

START_TEST(full_weights_of_any_order_and_sign)
{
    const slider sliders[] = {
        {.targets = 2, .full = {100, 50}, .keys = 2, .times = {0, 1}, .values = {-100, 100}},
        {.targets = 2, .full = {100, -100}, .keys = 2, .times = {0, 1}, .values = {-100, 100}},
        {.targets = 2, .full = {-50, -100}, .keys = 2, .times = {0, 1}, .values = {-100, 100}},
        {.targets = 2, .full = {50, 50}, .keys = 2, .times = {0, 1}, .values = {-100, 100}},
    };
    mrw_scene *scene = load_sliders(_i, sliders, 4);
    ck_weights(scene, 0.0, 8, 0, -2, 0, 1, 0, 1, -2, 0);
    ck_weights(scene, 0.125, 8, 0, -1.5, 0, 0.75, 0.5, 0.5, -1.5, 0); /* -75 */
    ck_weights(scene, 0.5, 8, 0, 0, 0, 0, 0, 0, 0, 0);
    ck_weights(scene, 0.875, 8, 0.5, 0.5, 0.75, 0, -1.5, 0, 1.5, 0); /* 75 */
    mrw_scene_free(scene);
}
END_TEST

START_TEST(rest_is_the_files_percentage)
{
    const slider sliders[] = {
        {.targets = 2, .full = {50, 100}, .percent = 75},
        {.targets = 1, .full = {100}, .percent = 10, .property = 40}, /* the property counts */
        {.targets = 1, .full = {200}, .percent = -50},
        {.targets = 1, .full = {100}, .percent = 30, .keys = 1, .values = {60}},
    };
    mrw_scene *scene = load_sliders(_i, sliders, 4);
    ck_rest(scene, 5, 0.5, 0.5, 0.4, -0.25, 0.3);
    ck_weights(scene, 0.0, 5, 0.5, 0.5, 0.4, -0.25, 0.6); /* a clip leaves the others alone */
    mrw_scene_free(scene);
}
END_TEST

/* ---- channels and deformers ------------------------------------------------------------------ */

START_TEST(keys_find_their_channel)
{
    /* several deformers of a mesh, a channel without targets, one without keys */
    const slider sliders[] = {
        {.targets = 2, .full = {50, 100}, .keys = 2, .times = {0, 1}, .values = {0, 100}},
        {.targets = 0, .full = {100}, .keys = 2, .times = {0, 1}, .values = {70, 80}},
        {.targets = 1, .full = {100}, .deformer = 1, .percent = 20},
        {.targets = 1, .full = {100}, .keys = 2, .times = {0, 1}, .values = {40, 0}},
        {.targets = 3,
         .full = {20, 60, 100},
         .deformer = 2,
         .keys = 2,
         .times = {0, 2},
         .values = {0, 100}},
        {.targets = 1, .full = {100}, .deformer = 1, .keys = 1, .values = {90}},
    };
    mrw_scene *scene = load_sliders(_i, sliders, 6);
    ck_rest(scene, 8, 0, 0, 0.2, 0, 0, 0, 0, 0);
    ck_weights(scene, 0.0, 8, 0, 0, 0.2, 0.4, 0, 0, 0, 0.9);
    ck_weights(scene, 0.75, 8, 0.5, 0.5, 0.2, 0.1, 0.5625, 0.4375, 0, 0.9); /* 37.5 */
    ck_weights(scene, 1.6, 8, 0, 1, 0.2, 0, 0, 0.5, 0.5, 0.9);
    mrw_scene_free(scene);
}
END_TEST

START_TEST(targets_are_named_by_their_channel)
{
    const slider sliders[] = {{.targets = 2, .full = {50, 100}}, {.targets = 1, .full = {100}}};
    mrw_scene *scene = load_sliders(_i, sliders, 2);
    static const char *const names[] = {"Slider.0", "Slider.0", "Slider.1"};
    ck_assert_uint_eq(scene->targets_count, 3);
    for (uint32_t t = 0; t < 3; t++) {
        ck_assert_str_eq(mrw_scene_string(scene, scene->targets[t].name), names[t]);
    }
    mrw_scene_free(scene);
}
END_TEST

START_TEST(curves_are_followed_before_targets_are_told_apart)
{
    /* constant at 25, then at 75; cubic is the same way through more keys */
    const slider s = {.targets = 2,
                      .full = {50, 100},
                      .keys = 3,
                      .times = {0, 1, 2},
                      .values = {25, 75, 75},
                      .constant = 1};
    how = (layout)_i;
    write_scene(&s, 1, 1);
    for (int follow = 0; follow < 2; follow++) {
        mrw_scene *scene = load_written(follow == 1);
        ck_weights(scene, 0.0, 2, 0.5, 0);
        if (follow == 1) {
            ck_weights(scene, 0.5, 2, 0.5, 0);
            ck_weights(scene, 0.999, 2, 0.5, 0);
        } else {
            ck_weights(scene, 0.5, 2, 1, 0);
            ck_weights(scene, 0.75, 2, 0.75, 0.25);
        }
        ck_weights(scene, 1.0, 2, 0.5, 0.5);
        ck_weights(scene, 1.5, 2, 0.5, 0.5);
        mrw_scene_free(scene);
    }
}
END_TEST

/* Blender's way: one target, a full weight of each of its vertices. */
START_TEST(full_weights_of_vertices)
{
    const slider s = {.targets = 1,
                      .full = {0, 25, 75, 100},
                      .full_count = 4,
                      .keys = 2,
                      .times = {0, 1},
                      .values = {0, 100}};
    how = (layout)_i;
    write_scene(&s, 1, 4);
    mrw_scene *scene = load_written(false);
    ck_weights(scene, 1.0, 5, 0, 0.25, 0.75, 1, 0);
    ck_weights(scene, 0.5, 5, 0, 0.125, 0.375, 0.5, 0);
    mrw_scene_free(scene);
    write_scene(&s, 1, 3); /* as many as it has not */
    scene = load_written(false);
    ck_weights(scene, 0.5, 5, 0.5, 0.5, 0.5, 0, 0);
    mrw_scene_free(scene);
}
END_TEST

/* ---- models of one name ---------------------------------------------------------------------- */

/* The mesh under two models of one name; the second moves by 10 along X. */
static void write_twins(void)
{
    static const double flags = 24836, zeros[4] = {0}, two = 2, values[] = {0, 10};
    const double times[] = {0, seconds(1)};
    begin_file();
    node("Objects");
    write_mesh();
    named("Model", 3, "Model", "Head", "Mesh");
    end();
    write_stack();
    named("AnimationCurveNode", 600, "AnimCurveNode", "T", "");
    end();
    named("AnimationCurve", 601, "AnimCurve", "", "");
    array("KeyTime", 'l', 2, times);
    array("KeyValueFloat", 'f', 2, values);
    array("KeyAttrFlags", 'i', 1, &flags);
    array("KeyAttrDataFloat", 'f', 4, zeros);
    array("KeyAttrRefCount", 'i', 1, &two);
    end(), end();
    node("Connections");
    connect(1, 2, NULL), connect(1, 3, NULL), connect(2, 0, NULL), connect(3, 0, NULL);
    connect(901, 900, NULL), connect(600, 901, NULL);
    connect(600, 3, "Lcl Translation"), connect(601, 600, "d|X");
    end();
    end_file();
}

START_TEST(models_of_one_name_stay_apart)
{
    how = (layout)_i;
    write_twins();
    mrw_scene *scene = load_written(false);
    ck_assert_uint_eq(scene->draws_count, 2);
    pose(scene, 0, 0.5);
    for (uint32_t d = 0; d < 2; d++) {
        const mrw_node *owner = &scene->nodes[scene->draws[d].node];
        ck_assert_str_eq(mrw_scene_string(scene, owner->name), "Head");
        ck_place(scene, d, 2, 2 + 5.0 * d, 4, 0);
    }
    mrw_scene_free(scene);
}
END_TEST

/* ---- damage ---------------------------------------------------------------------------------- */

static const slider damaged[] = {
    {.targets = 2,
     .full = {50, 100},
     .property = 5,
     .keys = 2,
     .times = {0, 1},
     .values = {0, 100}},
    {.targets = 1, .full = {0, 25, 75, 100}, .full_count = 4, .deformer = 1},
};

static bool mend(const uint8_t *bytes, size_t size, size_t *count)
{
    mrwi_import_fbx_sliders sliders;
    mrwi_import_beyond beyond;
    uint8_t *out = NULL;
    size_t out_size;
    uint32_t unpainted;
    bool good =
        mrwi_import_fbx_mend(bytes, size, true, &sliders, &beyond, &unpainted, &out, &out_size);
    *count = sliders.count;
    for (size_t i = 0; good && i < sliders.count; i++) {
        const mrwi_import_fbx_slider *s = &sliders.list[i];
        ck_assert(isfinite(s->rest));
        for (uint32_t t = 0; t < s->target_count; t++) {
            ck_assert(s->knot_of[t] == MRW_NONE ||
                      (s->knot_of[t] < s->knot_count && s->knots[s->knot_of[t]] != 0.0f));
        }
        for (uint32_t k = 1; k < s->knot_count; k++) {
            ck_assert(s->knots[k] > s->knots[k - 1]);
        }
    }
    mrwi_base_free(out);
    mrwi_import_fbx_sliders_free(&sliders);
    mrwi_import_beyond_free(&beyond);
    return good;
}

/* Every prefix, and every byte set to another value. */
static void break_bytes(void)
{
    for (size_t i = 0; i < 2 * file_size; i++) {
        size_t count, length = i < file_size ? i : file_size;
        uint8_t *exact = malloc(length + 1);
        memcpy(exact, file, length);
        if (i >= file_size) {
            exact[i - file_size] ^= (uint8_t)(1 + 37 * i);
        }
        ck_assert(mend(exact, length, &count));
        free(exact);
    }
}

START_TEST(no_byte_leads_outside)
{
    size_t count;
    how = (layout)_i;
    write_scene(damaged, 2, 4);
    ck_assert(mend(file, file_size, &count));
    ck_assert_uint_eq(count, 2);
    break_bytes();
    write_twins();
    break_bytes();
}
END_TEST

START_TEST(memory_may_end_anywhere)
{
    bool failed = false;
    how = (layout)_i;
    write_scene(damaged, 2, 4);
    for (uint64_t n = 1; n < 1000; n++) {
        size_t count;
        mrwi_base_alloc_fail_at(n);
        failed = !mend(file, file_size, &count) || failed;
        bool pending = mrwi_base_alloc_fail_pending();
        mrwi_base_alloc_fail_at(0);
        if (pending) {
            ck_assert(failed);
            return;
        }
    }
    ck_abort_msg("it never came to an end");
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("sliders");
    TCase *between = tcase_create("in-betweens");
    tcase_add_loop_test(between, targets_fade_into_one_another, 0, LAYOUTS);
    tcase_add_loop_test(between, keys_are_put_where_a_segment_passes_a_target, 0, LAYOUTS);
    tcase_add_loop_test(between, beyond_the_last_target_it_goes_on, 0, LAYOUTS);
    tcase_add_loop_test(between, one_target_is_full_at_another_percentage, 0, LAYOUTS);
    tcase_add_loop_test(between, full_weights_of_any_order_and_sign, 0, LAYOUTS);
    tcase_add_loop_test(between, rest_is_the_files_percentage, 0, LAYOUTS);
    suite_add_tcase(s, between);
    TCase *channels = tcase_create("channels");
    tcase_add_loop_test(channels, keys_find_their_channel, 0, LAYOUTS);
    tcase_add_loop_test(channels, targets_are_named_by_their_channel, 0, LAYOUTS);
    tcase_add_loop_test(channels, curves_are_followed_before_targets_are_told_apart, 0, LAYOUTS);
    tcase_add_loop_test(channels, full_weights_of_vertices, 0, LAYOUTS);
    suite_add_tcase(s, channels);
    TCase *names = tcase_create("names");
    tcase_add_loop_test(names, models_of_one_name_stay_apart, 0, LAYOUTS);
    suite_add_tcase(s, names);
    TCase *damage = tcase_create("damage");
    tcase_set_timeout(damage, 60);
    tcase_add_loop_test(damage, no_byte_leads_outside, 0, LAYOUTS);
    tcase_add_loop_test(damage, memory_may_end_anywhere, 0, LAYOUTS);
    suite_add_tcase(s, damage);
    return s;
}

TEST_MAIN(suite())
