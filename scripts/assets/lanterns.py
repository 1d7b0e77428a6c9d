"""assets/lanterns.glb: what is hidden, and what is turned inside out.

Three lanterns on a post. A crate around all of it is hidden, with a ball below it; the left lantern
goes out and on, with its hook; the right one is a box whose triangles face inwards.
"""
from . import gltf
from .stage import Solid, _ball

PERIOD = 2.0


def build():
    g = gltf.Gltf('Lanterns')
    g.json['extensionsUsed'] = ['KHR_animation_pointer', 'KHR_node_visibility']
    wood = g.material('wood', (0.30, 0.18, 0.10, 1))
    paper = g.material('paper', (0.85, 0.62, 0.30, 1))
    crate = g.material('crate', (0.20, 0.35, 0.55, 1))
    post = Solid().box((-1.1, 0.9, -0.05), (1.1, 1.0, 0.05)).box((-0.05, 0.0, -0.05), (0.05, 0.9, 0.05))
    g.node(name='Post', mesh=post.add_to(g, 'Post', wood))
    hook = Solid().box((-0.02, 0.6, -0.02), (0.02, 0.9, 0.02)).add_to(g, 'Hook', wood)
    round_one = Solid().lathe(_ball(0.22, 0.45)).add_to(g, 'Round', paper)
    inside = Solid().box((-0.2, 0.25, -0.2), (0.2, 0.65, 0.2))
    inside.triangles = [(a, c, b) for a, b, c in inside.triangles]
    left = g.node(name='Left', mesh=round_one, translation=[-0.8, 0, 0])
    g.node(left, name='Hook', mesh=hook)
    g.node(name='Middle', mesh=round_one, translation=[0.3, -0.1, 0.3])
    g.node(name='Right', mesh=inside.add_to(g, 'Inside', paper), translation=[0.8, 0, 0])
    hidden = {'KHR_node_visibility': {'visible': False}}
    proxies = g.node(name='Proxies', extensions=hidden)
    box = Solid().box((-1.6, -0.2, -0.9), (1.6, 1.4, -0.8)).add_to(g, 'Crate', crate)
    crates = g.node(proxies, name='Crate', mesh=box)
    g.node(crates, name='Ball', mesh=round_one, translation=[0, 1.2, 0])
    clip = g.animation('Blink')
    clip.channel(g.json['scenes'][0]['nodes'][2], 'translation', [0.0, PERIOD],
                 [(0.3, -0.1, 0.3), (0.3, 0.1, 0.3)])
    sampler = {'input': clip._input([0.0, 0.5, 1.5]), 'interpolation': 'STEP',
               'output': g.accessor([1, 0, 1], 'SCALAR', gltf.U8)}
    clip.item['samplers'].append(sampler)
    pointer = '/nodes/%d/extensions/KHR_node_visibility/visible' % left
    clip.item['channels'].append(
        {'sampler': 1, 'target': {'path': 'pointer',
                                  'extensions': {'KHR_animation_pointer': {'pointer': pointer}}}})
    return {'lanterns.glb': g.encode()}
