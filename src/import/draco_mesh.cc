/* draco_mesh.cc: one compressed mesh to integers, with libdraco, which has no C interface: the one
 * file of C++. What is not caught here would end the process. */
#include "import/draco.h"

#include <draco/attributes/attribute_octahedron_transform.h>
#include <draco/attributes/attribute_quantization_transform.h>
#include <draco/compression/decode.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <vector>

namespace
{

/* An attribute that can be handed over. */
typedef struct attribute {
    const draco::PointAttribute *data;
    mrwi_load_draco_attribute told;
} attribute;

} // namespace

struct mrwi_import_draco_mesh {
    std::unique_ptr<draco::Mesh> mesh;
    std::vector<attribute> attributes;
};

namespace
{

std::unique_ptr<draco::Mesh> decode(const uint8_t *bytes, size_t size, mrwi_load_draco_head *head)
{
    draco::DecoderBuffer buffer;
    buffer.Init(reinterpret_cast<const char *>(bytes), size);
    draco::Decoder decoder;
    for (int type = 0; type < draco::GeometryAttribute::NAMED_ATTRIBUTES_COUNT; type++) {
        decoder.SetSkipAttributeTransform(static_cast<draco::GeometryAttribute::Type>(type));
    }
    auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
    if (!decoded.ok()) {
        std::snprintf(head->reason, sizeof head->reason, "libdraco says \"%s\"",
                      decoded.status().error_msg());
        return nullptr;
    }
    return std::move(decoded).value();
}

/* Bytes of an integer, 0 for what is none of at most 32 bits. */
int integer_size(draco::DataType type)
{
    switch (type) {
    case draco::DT_INT8:
    case draco::DT_UINT8:
    case draco::DT_INT16:
    case draco::DT_UINT16:
    case draco::DT_INT32:
    case draco::DT_UINT32:
        return draco::DataTypeLength(type);
    default:
        return 0;
    }
}

bool tell(const draco::PointAttribute &a, mrwi_load_draco_attribute *out)
{
    draco::AttributeQuantizationTransform quantization;
    draco::AttributeOctahedronTransform octahedron;
    std::memset(out, 0, sizeof *out);
    out->id = a.unique_id();
    out->components = a.num_components();
    if (out->components < 1 || out->components > MRWI_LOAD_DRACO_COMPONENTS) {
        return false;
    }
    const draco::AttributeTransformData *transform = a.GetAttributeTransformData();
    if (transform && transform->transform_type() == draco::ATTRIBUTE_QUANTIZATION_TRANSFORM &&
        quantization.InitFromAttribute(a)) {
        out->kind = MRWI_LOAD_DRACO_QUANTIZED;
        out->bits = static_cast<uint32_t>(quantization.quantization_bits());
        out->range = quantization.range();
        for (uint32_t i = 0; i < out->components; i++) {
            out->minimum[i] = quantization.min_value(static_cast<int>(i));
        }
        return integer_size(a.data_type()) == 4;
    }
    if (transform && transform->transform_type() == draco::ATTRIBUTE_OCTAHEDRON_TRANSFORM &&
        octahedron.InitFromAttribute(a)) {
        out->kind = MRWI_LOAD_DRACO_OCTAHEDRAL;
        out->bits = static_cast<uint32_t>(octahedron.quantization_bits());
        return out->components == 2 && integer_size(a.data_type()) == 4;
    }
    bool floats = a.data_type() == draco::DT_FLOAT32;
    out->kind = floats ? MRWI_LOAD_DRACO_FLOATS : MRWI_LOAD_DRACO_INTEGERS;
    return floats || integer_size(a.data_type()) > 0;
}

/* One value, sign-extended as its type asks. */
uint32_t load(const uint8_t *p, draco::DataType type)
{
    switch (type) {
    case draco::DT_INT8:
        return static_cast<uint32_t>(static_cast<int8_t>(p[0]));
    case draco::DT_UINT8:
        return p[0];
    case draco::DT_INT16:
    case draco::DT_UINT16: {
        uint16_t value;
        std::memcpy(&value, p, sizeof value);
        return type == draco::DT_UINT16 ? value
                                        : static_cast<uint32_t>(static_cast<int16_t>(value));
    }
    default: {
        uint32_t value;
        std::memcpy(&value, p, sizeof value);
        return value;
    }
    }
}

} // namespace

mrwi_import_draco_mesh *mrwi_import_draco_open(const uint8_t *bytes, size_t size,
                                               mrwi_load_draco_head *head)
{
    std::memset(head, 0, sizeof *head);
    try {
        auto out = std::make_unique<mrwi_import_draco_mesh>();
        out->mesh = decode(bytes, size, head);
        if (!out->mesh) {
            return nullptr;
        }
        for (int i = 0; i < out->mesh->num_attributes(); i++) {
            attribute found = {out->mesh->attribute(i), {}};
            if (tell(*found.data, &found.told)) {
                out->attributes.push_back(found);
            }
        }
        head->points = out->mesh->num_points();
        head->faces = out->mesh->num_faces();
        head->attributes = static_cast<uint32_t>(out->attributes.size());
        return out.release();
    } catch (const std::exception &) { /* memory, or a size that no vector can have */
        std::snprintf(head->reason, sizeof head->reason, "it needs more memory than there is");
        return nullptr;
    }
}

void mrwi_import_draco_close(mrwi_import_draco_mesh *mesh)
{
    delete mesh;
}

void mrwi_import_draco_attributes(const mrwi_import_draco_mesh *mesh,
                                  mrwi_load_draco_attribute *out)
{
    for (const attribute &a : mesh->attributes) {
        *out++ = a.told;
    }
}

bool mrwi_import_draco_indices(const mrwi_import_draco_mesh *mesh, uint32_t *out)
{
    for (uint32_t i = 0; i < mesh->mesh->num_faces(); i++) {
        for (draco::PointIndex point : mesh->mesh->face(draco::FaceIndex(i))) {
            if (point.value() >= mesh->mesh->num_points()) {
                return false;
            }
            *out++ = point.value();
        }
    }
    return true;
}

bool mrwi_import_draco_values(const mrwi_import_draco_mesh *mesh, uint32_t index, uint32_t *out)
{
    const draco::PointAttribute &a = *mesh->attributes[index].data;
    const uint32_t points = mesh->mesh->num_points(), width = a.num_components();
    const size_t size = static_cast<size_t>(draco::DataTypeLength(a.data_type()));
    const size_t bytes = a.buffer() ? a.buffer()->data_size() : 0;
    if (!a.is_mapping_identity() && a.indices_map_size() < points) {
        return false;
    }
    for (uint32_t i = 0; i < points; i++) {
        const draco::AttributeValueIndex row = a.mapped_index(draco::PointIndex(i));
        const int64_t at = a.GetBytePos(row);
        if (at < 0 || static_cast<uint64_t>(at) + size * width > bytes) {
            return false;
        }
        const uint8_t *p = a.buffer()->data() + at;
        for (uint32_t c = 0; c < width; c++) {
            *out++ = load(p + c * size, a.data_type());
        }
    }
    return true;
}
