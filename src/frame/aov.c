/* aov.c: the table of passes. */
#include "frame/frame.h"

#include <assert.h>

static const mrw_aov_info infos[MRW_AOV_COUNT] = {
    [MRW_AOV_COLOR] = {"color", MRW_FORMAT_F32, 4, "RGBA", "linear light",
                       "premultiplied colour before the tone map", 0},
    [MRW_AOV_DEPTH] = {"depth", MRW_FORMAT_F32, 1, "Z", "world units",
                       "distance along the view axis; +inf where nothing is", 0},
    [MRW_AOV_DISTANCE] = {"distance", MRW_FORMAT_F32, 1, "", "world units",
                          "distance from the eye along the ray; +inf where nothing is", 0},
    [MRW_AOV_NORMAL] = {"normal", MRW_FORMAT_F32, 3, "XYZ", "unit vector",
                        "normal of the seen side in the world, normal maps included",
                        MRW_MAP_BIT(MRW_MAP_NORMAL) | MRW_MAP_BIT(MRW_MAP_HEIGHT)},
    [MRW_AOV_POSITION] = {"position", MRW_FORMAT_F32, 3, "XYZ", "world units",
                          "point of the surface in the world", 0},
    [MRW_AOV_UV] = {"uv", MRW_FORMAT_F32, 2, "UV", "texture coordinates",
                    "first set as the file has it, v downwards, not wrapped", 0},
    [MRW_AOV_ALBEDO] = {"albedo", MRW_FORMAT_F32, 3, "RGB", "linear, 0 to 1", "base colour",
                        MRW_MAP_BIT(MRW_MAP_BASE_COLOR)},
    [MRW_AOV_FLOW_FORWARD] = {"flow-forward", MRW_FORMAT_F32, 3, "XYA", "pixels",
                              "to where the point is in the next frame: right, down, and 1 where "
                              "it is seen there",
                              0},
    [MRW_AOV_FLOW_BACKWARD] = {"flow-backward", MRW_FORMAT_F32, 3, "XYA", "pixels",
                               "to where the point was in the last frame: right, down, and 1 "
                               "where it was seen there",
                               0},
    [MRW_AOV_ID] = {"id", MRW_FORMAT_U32, 1, "", "number", "draw; 0: nothing", 0},
    [MRW_AOV_MATERIAL] = {"material", MRW_FORMAT_U32, 1, "", "number", "material; 0: nothing", 0},
    [MRW_AOV_JOINT] = {"joint", MRW_FORMAT_U32, 1, "", "number",
                       "1 and the node of the joint that weighs most; 0: none", 0},
    [MRW_AOV_TRIANGLE] = {"triangle", MRW_FORMAT_U32, 1, "", "number",
                          "1 and the triangle of its mesh; 0: nothing", 0},
    [MRW_AOV_BARYCENTRIC] = {"barycentric", MRW_FORMAT_F32, 3, "XYZ", "shares, sum 1",
                             "the point between the triangle's corners", 0},
    [MRW_AOV_WEIGHTS] = {"weights", MRW_FORMAT_F32, 1, "", "0 to 1",
                         "how much the joint moves the point", 0},
    [MRW_AOV_COVERAGE] = {"coverage", MRW_FORMAT_F32, 1, "", "0 to 1",
                          "share of the pixel that is covered, alpha counted", 0},
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
