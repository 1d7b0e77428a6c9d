/* aov.c: the table of passes. */
#include "frame/aov.h"

#include <assert.h>

static const mrw_aov_info infos[MRW_AOV_COUNT] = {
    [MRW_AOV_COLOR] = {"color", MRW_FORMAT_F32, 4, "RGBA", "linear light",
                       "premultiplied colour before the tone map", 0},
    [MRW_AOV_DEPTH] = {"depth", MRW_FORMAT_F32, 1, "Z", "world units",
                       "distance along the view axis; +inf without a surface", 0},
    [MRW_AOV_DISTANCE] = {"distance", MRW_FORMAT_F32, 1, "", "world units",
                          "distance from the eye along the ray; +inf without a surface", 0},
    [MRW_AOV_NORMAL] = {"normal", MRW_FORMAT_F32, 3, "XYZ", "unit vector",
                        "world normal of the visible side, with normal maps",
                        MRW_MAP_BIT(MRW_MAP_NORMAL) | MRW_MAP_BIT(MRW_MAP_HEIGHT)},
    [MRW_AOV_POSITION] = {"position", MRW_FORMAT_F32, 3, "XYZ", "world units",
                          "world position of the surface", 0},
    [MRW_AOV_UV] = {"uv", MRW_FORMAT_F32, 2, "UV", "texture coordinates",
                    "first set as in the file, v downwards, not wrapped", 0},
    [MRW_AOV_ALBEDO] = {"albedo", MRW_FORMAT_F32, 3, "RGB", "linear, 0 to 1", "base colour",
                        MRW_MAP_BIT(MRW_MAP_BASE_COLOR)},
    [MRW_AOV_FLOW_FORWARD] =
        {"flow-forward", MRW_FORMAT_F32, 3, "XYA", "pixels",
         "motion to the point's place in the next frame: right, down, and 1 if it is visible there",
         0},
    [MRW_AOV_FLOW_BACKWARD] = {"flow-backward", MRW_FORMAT_F32, 3, "XYA", "pixels",
                               "motion to the point's place in the previous frame: right, down, "
                               "and 1 if it was visible there",
                               0},
    [MRW_AOV_ID] = {"id", MRW_FORMAT_U32, 1, "", "number", "number of the draw; 0: no surface", 0},
    [MRW_AOV_MATERIAL] = {"material", MRW_FORMAT_U32, 1, "", "number",
                          "number of the material; 0: no surface", 0},
    [MRW_AOV_JOINT] = {"joint", MRW_FORMAT_U32, 1, "", "number",
                       "1 + the node index of the joint with the largest weight; 0: none", 0},
    [MRW_AOV_TRIANGLE] = {"triangle", MRW_FORMAT_U32, 1, "", "number",
                          "1 + the index of the triangle in its mesh; 0: no surface", 0},
    [MRW_AOV_BARYCENTRIC] = {"barycentric", MRW_FORMAT_F32, 3, "XYZ", "weights, sum 1",
                             "weights of the triangle's corners at the point", 0},
    [MRW_AOV_WEIGHTS] = {"weights", MRW_FORMAT_F32, 1, "", "0 to 1",
                         "how much this joint moves the point", 0},
    [MRW_AOV_COVERAGE] = {"coverage", MRW_FORMAT_F32, 1, "", "0 to 1",
                          "covered share of the pixel, including alpha", 0},
    [MRW_AOV_CRYPTO_OBJECT] = {"crypto-object", MRW_FORMAT_F32, 12, "", "ids and shares",
                               "Cryptomatte of objects", 0},
    [MRW_AOV_CRYPTO_MATERIAL] = {"crypto-material", MRW_FORMAT_F32, 12, "", "ids and shares",
                                 "Cryptomatte of materials", 0},
};

const mrw_aov_info *mrw_aov_info_of(mrw_aov aov)
{
    assert((unsigned)aov < MRW_AOV_COUNT);
    return &infos[aov];
}

bool mrwi_frame_wants_aov(const mrw_frame_def *def, mrw_aov aov)
{
    for (uint32_t i = 0; i < def->aov_count; i++) {
        if (def->aovs[i].aov == aov) {
            return true;
        }
    }
    return false;
}

bool mrwi_frame_is_crypto(mrw_aov aov)
{
    return aov == MRW_AOV_CRYPTO_OBJECT || aov == MRW_AOV_CRYPTO_MATERIAL;
}
