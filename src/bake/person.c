/* person.c: the key points of a person among the joints of a rig. */
#include "marrow/bake.h"
#include "retarget/humanoid.h"

_Static_assert(MRW_PERSON_POINTS == MRWI_RETARGET_FACE + 12, "a face, arms and legs");

mrw_status mrw_bake_find_person(const mrw_scene *scene, uint32_t out[MRW_PERSON_POINTS],
                                bool *found, mrw_error *error)
{
    static const mrwi_retarget_bone bones[] = {MRWI_RETARGET_UPPER_ARM, MRWI_RETARGET_FOREARM,
                                               MRWI_RETARGET_WRIST,     MRWI_RETARGET_THIGH,
                                               MRWI_RETARGET_SHIN,      MRWI_RETARGET_FOOT};
    mrwi_retarget_rig rig;
    mrwi_retarget_humanoid figure;
    mrw_status status = mrwi_retarget_rig_create(scene, &rig, error);
    *found = false;
    if (status) {
        return status;
    }
    mrwi_retarget_humanoid_find(&rig, &figure);
    mrwi_retarget_humanoid_face(&rig, out);
    uint32_t count = 0;
    for (uint32_t i = MRWI_RETARGET_FACE; i < MRW_PERSON_POINTS; i++) {
        const uint32_t at = i - MRWI_RETARGET_FACE;
        out[i] = figure.bones[bones[at / 2] + at % 2];
        count += out[i] != MRW_NONE;
    }
    *found = count >= 8; /* hands and feet may be missing */
    mrwi_retarget_rig_free(&rig);
    return MRW_OK;
}
