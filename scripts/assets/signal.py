"""assets/signal.glb: materials that change with time (KHR_animation_pointer).

A belt whose texture runs along it, a sign that turns its texture, a lamp that glows and fades, a
ball that goes from dull to polished, a pane that becomes clear, and a disc that is eaten away from
its rim as the alpha cutoff rises. Nothing moves.
"""
from . import gltf, png
from .stage import Solid, _ball

PERIOD = 2.0


def _arrows_png(size=64):
    """A dark band with light chevrons that point to the left."""
    pixels = bytearray()
    for y in range(size):
        for x in range(size):
            along = (x / size - abs(y / size - 0.5)) % 1.0
            pixels += bytes((232, 190, 60) if 0.25 < along < 0.6 else (52, 54, 60))
    return png.encode(size, size, pixels)


def _disc_png(size=64):
    """Alpha falls from the middle, where it is 1, to 0 at the rim."""
    pixels = bytearray()
    for y in range(size):
        for x in range(size):
            dx, dy = (x + 0.5) / size - 0.5, (y + 0.5) / size - 0.5
            r = 2.0 * (dx * dx + dy * dy) ** 0.5
            pixels += bytes((120, 176, 84, max(0, min(255, int(255 * (1.0 - r))))))
    return png.encode(size, size, pixels, 4)


class _Clip:
    def __init__(self, g, name):
        self.g, self.clip = g, g.animation(name)

    def channel(self, pointer, times, rows, interpolation='LINEAR'):
        kind = {1: 'SCALAR', 2: 'VEC2', 3: 'VEC3', 4: 'VEC4'}[len(rows[0])]
        values = [row[0] for row in rows] if kind == 'SCALAR' else rows
        item = self.clip.item
        item['samplers'].append({'input': self.clip._input(times), 'interpolation': interpolation,
                                 'output': self.g.accessor(values, kind)})
        item['channels'].append(
            {'sampler': len(item['samplers']) - 1,
             'target': {'path': 'pointer',
                        'extensions': {'KHR_animation_pointer': {'pointer': pointer}}}})


def _quad(x, y, w, h, z=0.0):
    return Solid().face(((x, y, z), (x + w, y, z), (x + w, y + h, z), (x, y + h, z)),
                        ((0, 1), (1, 1), (1, 0), (0, 0)))


def build():
    g = gltf.Gltf('Signal')
    g.json['extensionsUsed'] = ['KHR_animation_pointer', 'KHR_texture_transform',
                                'KHR_materials_emissive_strength']
    arrows, disc = g.texture(_arrows_png(), 'arrows'), g.texture(_disc_png(), 'disc', wrap=33071)
    belt, sign = g.material('Belt', texture=arrows), g.material('Sign', texture=arrows)
    # Five chevrons lie along the belt.
    g.json['materials'][belt]['pbrMetallicRoughness']['baseColorTexture']['extensions'] = {
        'KHR_texture_transform': {'scale': [5, 1]}}
    lamp = g.material('Lamp', color=(0.1, 0.02, 0.02, 1), emissiveFactor=[1, 0.25, 0.05])
    ball = g.material('Ball', color=(0.75, 0.75, 0.78, 1), roughness=1.0)
    pane = g.material('Pane', color=(0.2, 0.4, 0.8, 1), alphaMode='BLEND', doubleSided=True)
    leaf = g.material('Disc', texture=disc, alphaMode='MASK', alphaCutoff=0.1, doubleSided=True)
    for name, solid, material in (
            ('Belt', _quad(-1.5, -0.3, 3.0, 0.5, 0.1), belt),
            ('Sign', _quad(-1.5, 0.4, 0.7, 0.7), sign),
            ('Lamp', Solid().lathe(_ball(0.3, 0.75)), lamp),
            ('Ball', Solid().lathe(_ball(0.35, 0.75)), ball),
            ('Pane', _quad(0.5, 0.3, 0.9, 0.9, 0.5), pane),
            ('Disc', _quad(0.6, 0.4, 0.7, 0.7, -0.2), leaf)):
        place = {'Lamp': [-0.4, 0, 0], 'Ball': [0.2, 0, 0]}.get(name)
        mesh = solid.add_to(g, name, material)
        g.node(name=name, mesh=mesh, **({'translation': place} if place else {}))
    clip = _Clip(g, 'Change')
    transform = '/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform/'
    clip.channel('/materials/%d%soffset' % (belt, transform), [0.0, PERIOD], [(0, 0), (-1, 0)])
    clip.channel('/materials/%d%srotation' % (sign, transform), [0.0, PERIOD], [(0.0,), (3.1415927,)])
    clip.channel('/materials/%d%sscale' % (sign, transform), [0.0, 1.0, PERIOD],
                 [(1, 1), (2, 2), (1, 1)])
    clip.channel('/materials/%d/extensions/KHR_materials_emissive_strength/emissiveStrength' % lamp,
                 [0.0, 1.0, PERIOD], [(0.0,), (3.0,), (0.0,)])
    clip.channel('/materials/%d/emissiveFactor' % lamp, [0.0, 1.5], [(1, 0.25, 0.05), (0.1, 0.6, 1)],
                 'STEP')
    clip.channel('/materials/%d/pbrMetallicRoughness/roughnessFactor' % ball, [0.0, PERIOD],
                 [(1.0,), (0.1,)])
    # in-tangent, value, out-tangent of each key
    clip.channel('/materials/%d/pbrMetallicRoughness/metallicFactor' % ball, [0.0, 1.0, PERIOD],
                 [(v,) for v in (0, 0, 1, 1, 1, 0, 0, 1, 0)], 'CUBICSPLINE')
    clip.channel('/materials/%d/pbrMetallicRoughness/baseColorFactor' % pane, [0.0, PERIOD],
                 [(0.2, 0.4, 0.8, 1), (0.9, 0.3, 0.3, 0.1)])
    clip.channel('/materials/%d/alphaCutoff' % leaf, [0.0, PERIOD], [(0.1,), (0.8,)])
    return {'signal.glb': g.encode()}
