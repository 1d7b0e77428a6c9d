"""Skeletons: joints with rest frames along the bones, poses, and smooth skin weights.

A pose gives each joint a turn in the axes of the rest pose (X to the left, Y up, Z ahead), carried
along by its parent; Rig.local turns it into the rotation of the joint's own frame. So clips are
written in body axes whatever the directions of the joints' frames.
"""
import math

from . import vec


class Joint:
    def __init__(self, name, parent, head, tail, radius, hint):
        self.name, self.parent, self.head, self.tail, self.radius = name, parent, head, tail, radius
        y = vec.unit(vec.sub(tail, head))
        z = vec.unit(vec.mad(hint, y, -vec.dot(hint, y)))
        self.frame = vec.quat_from_columns(vec.cross(y, z), y, z)  # Y along the bone


class Rig:
    def __init__(self):
        self.joints, self.index = [], {}

    def add(self, name, parent, head, tail, radius, hint=(0.0, 0.0, 1.0)):
        self.index[name] = len(self.joints)
        self.joints.append(Joint(name, self.index[parent] if parent else -1, head, tail, radius, hint))

    def rest_translation(self, j):
        joint = self.joints[j]
        if joint.parent < 0:
            return joint.head
        parent = self.joints[joint.parent]
        return vec.quat_rotate(vec.quat_conj(parent.frame), vec.sub(joint.head, parent.head))

    def rest_rotation(self, j):
        joint = self.joints[j]
        if joint.parent < 0:
            return joint.frame
        return vec.quat_mul(vec.quat_conj(self.joints[joint.parent].frame), joint.frame)

    def local(self, j, turn):
        """The joint's local rotation for a turn in rest axes."""
        joint = self.joints[j]
        q = vec.quat_mul(turn, joint.frame)
        if joint.parent >= 0:
            q = vec.quat_mul(vec.quat_conj(self.joints[joint.parent].frame), q)
        return vec.quat_unit(q)

    def rest_matrix(self, j):
        return vec.compose(self.joints[j].head, self.joints[j].frame)

    def carried(self, turns, root):
        """World turns and heads of all joints; turns: name -> quaternion; root: the root's head."""
        world, heads = [], []
        for joint in self.joints:
            turn = turns.get(joint.name, vec.IDENTITY)
            if joint.parent < 0:
                world.append(turn)
                heads.append(root)
            else:
                p = joint.parent
                offset = vec.sub(joint.head, self.joints[p].head)
                world.append(vec.quat_mul(world[p], turn))
                heads.append(vec.add(heads[p], vec.quat_rotate(world[p], offset)))
        return world, heads


def _segment_distance(p, a, b):
    ab = vec.sub(b, a)
    t = vec.clamp(vec.dot(vec.sub(p, a), ab) / vec.dot(ab, ab), 0.0, 1.0)
    return vec.distance(p, vec.mad(a, ab, t))


def nearest_joints(rig, points, names, sharpness=7.0):
    """Soft first guess: joints by distance to their bones in units of the bone's thickness."""
    rows = []
    use = [(rig.index[n], rig.joints[rig.index[n]]) for n in names]
    for p in points:
        ranked = [(_segment_distance(p, j.head, j.tail) / j.radius, i) for i, j in use]
        best = min(ranked)[0]
        row = {i: math.exp(-sharpness * (d - best)) for d, i in ranked if sharpness * (d - best) < 5}
        total = sum(row.values())
        rows.append({i: w / total for i, w in row.items()})
    return rows


def diffuse(rows, neighbours, rounds, rate):
    """Spreads weights along the surface, so that they never jump the gap between two limbs."""
    for _ in range(rounds):
        fresh = []
        for i, row in enumerate(rows):
            near = neighbours[i]
            share = rate[i] / len(near)
            mixed = {j: w * (1.0 - rate[i]) for j, w in row.items()}
            for n in near:
                for j, w in rows[n].items():
                    mixed[j] = mixed.get(j, 0.0) + w * share
            fresh.append({j: w for j, w in mixed.items() if w > 1e-4})
        rows = fresh
    return rows


def limited(row, count):
    """The `count` largest influences as (joint, weight), largest first, summing to one."""
    pairs = sorted(row.items(), key=lambda p: (-p[1], p[0]))[:count]
    pairs = [p for p in pairs if p[1] > 0.004] or pairs[:1]
    total = sum(w for _, w in pairs)
    return [(j, w / total) for j, w in pairs]


def to_units(pairs, count, whole):
    """Weights as integers that sum to `whole` exactly, padded to `count` pairs."""
    units = [[j, int(w * whole + 0.5)] for j, w in pairs]
    units[0][1] += whole - sum(u for _, u in units)
    units = [(j, n) for j, n in units if n]
    return units + [(0, 0)] * (count - len(units))


def two_bone(hip, ankle, upper, lower, pole):
    """Knee position of a leg of two bones that reaches from hip to ankle, bending towards pole."""
    to = vec.sub(ankle, hip)
    span = min(vec.length(to), (upper + lower) * 0.9995)
    axis = vec.unit(to)
    along = (upper * upper - lower * lower + span * span) / (2 * span)
    height = math.sqrt(max(0.0, upper * upper - along * along))
    side = vec.unit(vec.mad(pole, axis, -vec.dot(pole, axis)))
    return vec.mad(vec.mad(hip, axis, along), side, height)


def aim(rest_dir, rest_side, new_dir, new_side):
    """The rotation that takes one direction and the side it faces to another."""
    def columns(d, s):
        y = vec.unit(d)
        z = vec.unit(vec.mad(s, y, -vec.dot(s, y)))
        return vec.quat_from_columns(vec.cross(y, z), y, z)
    return vec.quat_mul(columns(new_dir, new_side), vec.quat_conj(columns(rest_dir, rest_side)))
