/* encode.cc: one triangle mesh, given as text, to a Draco buffer, for scripts/make_draco.py.
 *
 *     encode METHOD SPEED POSITION NORMAL COLOR TEX_COORD GENERIC <mesh >buffer
 *
 * METHOD is 0 (sequential) or 1 (edgebreaker); then the speed (0 the smallest, 10 the fastest) and
 * the bits of each kind of attribute, 0 for floats as they are. The text is the number of points
 * and of faces, the faces, the number of attributes, and of each its kind (0 position, 1 normal, 2
 * colour, 3 texture coordinate, 4 generic), its type (as draco::DataType), its components and its
 * values. Attribute i has the unique id i. */
#include <draco/compression/encode.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

namespace
{

template <typename T> T read()
{
    T value{};
    std::cin >> value;
    return value;
}

/* The bytes of one value. */
void store(draco::DataType type, uint8_t *to)
{
    if (type == draco::DT_FLOAT32) {
        const float value = read<float>();
        std::memcpy(to, &value, sizeof value);
    } else {
        const long long value = read<long long>();
        std::memcpy(to, &value, static_cast<size_t>(draco::DataTypeLength(type)));
    }
}

void add_attribute(draco::Mesh *mesh, uint32_t points)
{
    const auto kind = static_cast<draco::GeometryAttribute::Type>(read<int>());
    const auto type = static_cast<draco::DataType>(read<int>());
    const auto components = static_cast<uint8_t>(read<int>());
    const int size = draco::DataTypeLength(type), stride = size * components;
    draco::GeometryAttribute form;
    form.Init(kind, nullptr, components, type, false, stride, 0);
    draco::PointAttribute *attribute = mesh->attribute(mesh->AddAttribute(form, true, points));
    for (uint32_t i = 0; i < points; i++) {
        uint8_t row[64];
        for (int c = 0; c < components; c++) {
            store(type, row + c * size);
        }
        attribute->SetAttributeValue(draco::AttributeValueIndex(i), row);
    }
}

} // namespace

int main(int count, char **arguments)
{
    if (count != 8) {
        return 2;
    }
    draco::Mesh mesh;
    const uint32_t points = read<uint32_t>(), faces = read<uint32_t>();
    mesh.set_num_points(points);
    mesh.SetNumFaces(faces);
    for (uint32_t i = 0; i < faces; i++) {
        draco::Mesh::Face face;
        for (int k = 0; k < 3; k++) {
            face[static_cast<size_t>(k)] = draco::PointIndex(read<uint32_t>());
        }
        mesh.SetFace(draco::FaceIndex(i), face);
    }
    for (int left = read<int>(); left > 0; left--) {
        add_attribute(&mesh, points);
    }
    draco::Encoder encoder;
    encoder.SetEncodingMethod(std::atoi(arguments[1]));
    encoder.SetSpeedOptions(std::atoi(arguments[2]), std::atoi(arguments[2]));
    for (int kind = 0; kind < 5; kind++) {
        const int bits = std::atoi(arguments[3 + kind]);
        if (bits > 0) {
            encoder.SetAttributeQuantization(static_cast<draco::GeometryAttribute::Type>(kind),
                                             bits);
        }
    }
    draco::EncoderBuffer buffer;
    const draco::Status status = encoder.EncodeMeshToBuffer(mesh, &buffer);
    if (!status.ok()) {
        std::fprintf(stderr, "encode: %s\n", status.error_msg());
        return 1;
    }
    std::fwrite(buffer.data(), 1, buffer.size(), stdout);
    return std::cin ? 0 : 1;
}
