"""Writes Collada 1.4.1: one skinned geometry with a group of triangles a material, one clip."""
from xml.sax.saxutils import escape, quoteattr

from . import vec
from .figure_text import number, numbers

_WEIGHT_STEPS = 255


class Writer:
    def __init__(self):
        self.lines, self.depth = ['<?xml version="1.0" encoding="utf-8"?>'], 0

    def line(self, text):
        self.lines.append(' ' * self.depth + text)

    def leaf(self, tag, text, **attributes):
        self.line('<%s%s>%s</%s>' % (tag, _attributes(attributes), escape(text), tag))

    def empty(self, tag, **attributes):
        self.line('<%s%s/>' % (tag, _attributes(attributes)))

    def open(self, tag, **attributes):
        self.line('<%s%s>' % (tag, _attributes(attributes)))
        self.depth += 1

    def close(self, *tags):
        for tag in tags:
            self.depth -= 1
            self.line('</%s>' % tag)


def _attributes(attributes):
    return ''.join(' %s=%s' % (k, quoteattr(str(v))) for k, v in attributes.items())


def _source(w, name, values, params, kind='float', array='float_array'):
    """values: texts of single numbers or names, in rows of len(params)."""
    w.open('source', id=name)
    w.leaf(array, ' '.join(values), id=name + '-array', count=len(values))
    w.open('technique_common')
    stride = 16 if kind == 'float4x4' else len(params)
    w.open('accessor', source='#' + name + '-array', count=len(values) // stride, stride=stride)
    for p in params:
        w.empty('param', name=p, type=kind)
    w.close('accessor', 'technique_common', 'source')


def _flat(rows, digits=6):
    return [number(c, digits) for row in rows for c in row]


def _effects(w, parts, texture):
    w.open('library_images')
    w.open('image', id='figure', name='figure')
    w.leaf('init_from', texture)
    w.close('image', 'library_images')
    w.open('library_effects')
    for part in parts:
        w.open('effect', id=part.name + '-effect')
        w.open('profile_COMMON')
        w.open('newparam', sid='surface')
        w.open('surface', type='2D')
        w.leaf('init_from', 'figure')
        w.close('surface', 'newparam')
        w.open('newparam', sid='sampler')
        w.open('sampler2D')
        w.leaf('source', 'surface')
        w.close('sampler2D', 'newparam')
        w.open('technique', sid='common')
        w.open('lambert')
        w.open('diffuse')
        w.empty('texture', texture='sampler', texcoord='UVMap')
        w.close('diffuse', 'lambert', 'technique', 'profile_COMMON', 'effect')
    w.close('library_effects')
    w.open('library_materials')
    for part in parts:
        w.open('material', id=part.name, name=part.name)
        w.empty('instance_effect', url='#' + part.name + '-effect')
        w.close('material')
    w.close('library_materials')


def _geometry(w, parts):
    w.open('library_geometries')
    w.open('geometry', id='body', name='Body')
    w.open('mesh')
    _source(w, 'body-positions', _flat([p for part in parts for p in part.points], 5), 'XYZ')
    _source(w, 'body-normals', _flat([n for part in parts for n in part.normals], 4), 'XYZ')
    # Collada counts texture rows from below.
    _source(w, 'body-uvs', _flat([(u, 1 - v) for part in parts for u, v in part.uvs], 5), 'ST')
    w.open('vertices', id='body-vertices')
    w.empty('input', semantic='POSITION', source='#body-positions')
    w.close('vertices')
    first = 0
    for part in parts:
        w.open('triangles', material=part.name, count=len(part.triangles))
        w.empty('input', semantic='VERTEX', source='#body-vertices', offset=0)
        w.empty('input', semantic='NORMAL', source='#body-normals', offset=0)
        w.empty('input', semantic='TEXCOORD', source='#body-uvs', offset=0, set=0)
        w.leaf('p', ' '.join(str(first + i) for t in part.triangles for i in t))
        w.close('triangles')
        first += len(part.points)
    w.close('mesh', 'geometry', 'library_geometries')


def _steps(weights):
    """Weights as steps of 1/255 that sum to one."""
    rows = [[j, int(x * _WEIGHT_STEPS + 0.5)] for j, x in weights]
    rows[0][1] += _WEIGHT_STEPS - sum(n for _, n in rows)
    return [(j, n) for j, n in rows if n]


def _controller(w, r, parts):
    w.open('library_controllers')
    w.open('controller', id='skin', name='Skin')
    w.open('skin', source='#body')
    w.leaf('bind_shape_matrix', '1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1')
    _source(w, 'skin-joints', [_id(j) for j in r.joints], ['JOINT'], 'name', 'Name_array')
    inverse = [vec.flat_rows(vec.mat_inverse(r.rest_matrix(j))) for j in range(len(r.joints))]
    _source(w, 'skin-binds', _flat(inverse, 8), ['TRANSFORM'], 'float4x4')
    _source(w, 'skin-weights', [number(n / _WEIGHT_STEPS, 8) for n in range(_WEIGHT_STEPS + 1)], ['WEIGHT'])
    w.open('joints')
    w.empty('input', semantic='JOINT', source='#skin-joints')
    w.empty('input', semantic='INV_BIND_MATRIX', source='#skin-binds')
    w.close('joints')
    rows = [_steps(ws) for part in parts for ws in part.weights]
    w.open('vertex_weights', count=len(rows))
    w.empty('input', semantic='JOINT', source='#skin-joints', offset=0)
    w.empty('input', semantic='WEIGHT', source='#skin-weights', offset=1)
    w.leaf('vcount', ' '.join(str(len(row)) for row in rows))
    w.leaf('v', ' '.join('%d %d' % pair for row in rows for pair in row))
    w.close('vertex_weights', 'skin', 'controller', 'library_controllers')


def _id(joint):
    return joint.name.replace('.', '_')


def _animations(w, r, clip):
    name, times, rotations, hips = clip
    w.open('library_animations')
    w.open('animation', id=name, name=name)
    for j, joint in enumerate(r.joints):
        key = '%s-%s' % (name, _id(joint))
        at = r.rest_translation(j)
        rows = [vec.flat_rows(vec.compose(at if j else hips[k], rotations[j][k])) for k in range(len(times))]
        w.open('animation', id=key)
        _source(w, key + '-input', [number(t, 7) for t in times], ['TIME'])
        _source(w, key + '-output', _flat(rows, 5), ['TRANSFORM'], 'float4x4')
        _source(w, key + '-kind', ['LINEAR'] * len(times), ['INTERPOLATION'], 'name', 'Name_array')
        w.open('sampler', id=key + '-sampler')
        w.empty('input', semantic='INPUT', source='#%s-input' % key)
        w.empty('input', semantic='OUTPUT', source='#%s-output' % key)
        w.empty('input', semantic='INTERPOLATION', source='#%s-kind' % key)
        w.close('sampler')
        w.empty('channel', source='#%s-sampler' % key, target='%s/transform' % _id(joint))
        w.close('animation')
    w.close('animation', 'library_animations')


def _joint_nodes(w, r, j):
    joint = r.joints[j]
    w.open('node', id=_id(joint), name=_id(joint), sid=_id(joint), type='JOINT')
    local = vec.compose(r.rest_translation(j), r.rest_rotation(j))
    w.leaf('matrix', numbers(vec.flat_rows(local), 8), sid='transform')
    for k, child in enumerate(r.joints):
        if child.parent == j:
            _joint_nodes(w, r, k)
    w.close('node')


def _scene(w, r, parts):
    w.open('library_visual_scenes')
    w.open('visual_scene', id='Scene', name='Scene')
    w.open('node', id='Figure', name='Figure', type='NODE')
    _joint_nodes(w, r, 0)
    w.close('node')
    w.open('node', id='Body', name='Body', type='NODE')
    w.open('instance_controller', url='#skin')
    w.leaf('skeleton', '#' + _id(r.joints[0]))
    w.open('bind_material')
    w.open('technique_common')
    for part in parts:
        w.open('instance_material', symbol=part.name, target='#' + part.name)
        w.empty('bind_vertex_input', semantic='UVMap', input_semantic='TEXCOORD', input_set=0)
        w.close('instance_material')
    w.close('technique_common', 'bind_material', 'instance_controller', 'node', 'visual_scene',
            'library_visual_scenes')


def encode(r, parts, clip, texture):
    """clip: (name, times, rotations per joint, hips' positions)."""
    w = Writer()
    w.open('COLLADA', xmlns='http://www.collada.org/2005/11/COLLADASchema', version='1.4.1')
    w.open('asset')
    w.empty('unit', name='meter', meter='1')
    w.leaf('up_axis', 'Y_UP')
    w.close('asset')
    _effects(w, parts, texture)
    _geometry(w, parts)
    _controller(w, r, parts)
    _animations(w, r, clip)
    _scene(w, r, parts)
    w.open('scene')
    w.empty('instance_visual_scene', url='#Scene')
    w.close('scene', 'COLLADA')
    return '\n'.join(w.lines + ['']).encode()
