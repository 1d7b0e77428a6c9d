/* fbx_seeds.c: writes a small FBX model in text and in both binary layouts, as seeds of fuzzing. */
#include "../test.h"

#include <stdlib.h>

/* The fixture checks its room by Check, which works only while a test runs. */
#undef ck_assert_uint_lt
#define ck_assert_uint_lt(a, b) ((a) < (b) ? (void)0 : abort())

#include "../fbx_fixture.h"

static void write_mesh(void)
{
    static const double corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const double indices[] = {0, 1, -3};
    static const double shape_indices[] = {0, 1};
    static const double moved[] = {0, 0, 1, 0, 1, 0};
    static const double full[] = {50, 100};
    named("Geometry", 100, "Geometry", "mesh", "Mesh");
    array("Vertices", 'd', 9, corners);
    array("PolygonVertexIndex", 'i', 3, indices);
    end();
    named("Geometry", 101, "Geometry", "shape", "Shape");
    array("Indexes", 'i', 2, shape_indices);
    array("Vertices", 'd', 6, moved);
    end();
    named("Deformer", 110, "Deformer", "morph", "BlendShape");
    end();
    named("Deformer", 111, "SubDeformer", "channel", "BlendShapeChannel");
    node("DeformPercent"), number(25), end();
    array("FullWeights", 'd', 2, full);
    end();
}

static void write_skin(void)
{
    static const double indices[] = {0, 1, 2};
    static const double weights[] = {1, 0.5, 0.25};
    named("Deformer", 120, "Deformer", "skin", "Skin");
    end();
    named("Deformer", 121, "SubDeformer", "cluster", "Cluster");
    array("Indexes", 'i', 3, indices);
    array("Weights", 'd', 3, weights);
    end();
}

static void write_clip(void)
{
    double times[] = {0, seconds(0.5), seconds(1)};
    static const double values[] = {0, 1, 0};
    static const double flags[] = {264, 258, 1032}; /* cubic, constant, cubic by the user */
    static const double data[] = {0, 1, 0, 0, 0, 0, 0, 0, 1, -1, 0, 0};
    static const double counts[] = {1, 1, 1};
    named("AnimationStack", 130, "AnimStack", "walk", "");
    end();
    named("AnimationLayer", 131, "AnimLayer", "layer", "");
    end();
    named("AnimationCurveNode", 132, "AnimCurveNode", "T", "");
    end();
    named("AnimationCurve", 133, "AnimCurve", "", "");
    array("KeyTime", 'l', 3, times);
    array("KeyValueFloat", 'f', 3, values);
    array("KeyAttrFlags", 'i', 3, flags);
    array("KeyAttrDataFloat", 'f', 12, data);
    array("KeyAttrRefCount", 'i', 3, counts);
    end();
}

static void write_model(void)
{
    begin_file();
    node("Objects"), open_children();
    write_mesh();
    write_skin();
    named("Model", 140, "Model", "same", "Mesh"), end();
    named("Model", 141, "Model", "same", "LimbNode"), end();
    named("Material", 142, "Material", "red", ""), end();
    write_clip();
    end();
    node("Connections"), open_children();
    connect(140, 0, NULL), connect(141, 0, NULL), connect(100, 140, NULL), connect(142, 140, NULL);
    connect(100, 141, NULL), connect(110, 100, NULL), connect(111, 110, NULL);
    connect(101, 111, NULL), connect(120, 100, NULL), connect(121, 120, NULL);
    connect(141, 121, NULL), connect(131, 130, NULL), connect(132, 131, NULL);
    connect(132, 141, "Lcl Translation"), connect(133, 132, "d|X");
    end();
    end_file();
}

int main(int count, char **words)
{
    static const char *const names[] = {"text.fbx", "binary.fbx", "wide.fbx"};
    for (int i = 0; count == 2 && i < LAYOUTS; i++) {
        char path[1000];
        how = (layout)i;
        write_model();
        snprintf(path, sizeof path, "%s/%s", words[1], names[i]);
        FILE *out = fopen(path, "wb");
        if (!out || fwrite(file, 1, file_size, out) != file_size || fclose(out) != 0) {
            fprintf(stderr, "fbx_seeds: cannot write %s\n", path);
            return 4;
        }
    }
    return count == 2 ? 0 : 2;
}
