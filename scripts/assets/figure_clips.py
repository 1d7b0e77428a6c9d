"""The figure's clips as functions of time: Walk, Run and Wave.

A function returns (turns, hips position): turns are in rest axes (see rig.py). Feet follow paths
given on the ground, knees come from two-bone inverse kinematics, so that feet stay where they are
put: they land on the heel, roll, and leave from the ball. Everything is periodic and smooth, so
a clip loops without a step and can be keyed with tangents.
"""
import math

from . import figure_shape as shape
from . import figure_rig, rig, vec
from .vec import euler, quat_axis, quat_conj, quat_mul, smoothstep

WALK, RUN, WAVE = 16.0 / 15.0, 0.72, 2.8
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_HANG = 40.0  # degrees by which the arms of the rest pose are lowered to hang
_FLEX_AXIS = vec.quat_rotate(quat_axis(Z, _HANG), X)
_CURL_AXIS = vec.cross(shape.HAND_AXIS, vec.mul(shape.PALM_NORMAL, -1.0))
_UPPER = vec.distance(shape.HIP, shape.KNEE)
_LOWER = vec.distance(shape.KNEE, shape.ANKLE)
_HEEL = 0.078  # from below the ankle back to the edge of the heel


def wave(phase, peak):
    """cos with its maximum at `peak`; phase and peak in turns."""
    return math.cos(2 * math.pi * (phase - peak))


def mirror(q, side):
    return q if side > 0 else (q[0], -q[1], -q[2], q[3])


def hermite(a, b, slope_a, slope_b, t):
    t2, t3 = t * t, t * t * t
    return ((2 * t3 - 3 * t2 + 1) * a + (t3 - 2 * t2 + t) * slope_a + (3 * t2 - 2 * t3) * b +
            (t3 - t2) * slope_b)


class Steps:
    """The path of one foot: where its flat print would be, its pitch (toes up > 0) and its lift."""

    def __init__(self, duty, front, back, strike, push, flat, rise, lift, lift_peak=0.5):
        self.duty, self.front, self.back = duty, front, back
        self.strike, self.push, self.flat, self.rise = strike, push, flat, rise
        self.lift, self.lift_peak = lift, lift_peak

    def print_z(self, p):
        """The print moves back with the ground in stance and ahead in the air."""
        slope = (self.back - self.front) / self.duty
        if p < self.duty:
            return self.front + slope * p
        t = (p - self.duty) / (1 - self.duty)
        s = slope * (1 - self.duty)
        return hermite(self.back, self.front, s, s, t)

    def pitch(self, p):
        if p < self.flat:
            return self.strike * (1 - smoothstep(0.0, self.flat, p))
        if p < self.rise:
            return 0.0
        if p < self.duty:
            t = (p - self.rise) / (self.duty - self.rise)
            return -self.push * t * t * (1.6 - 0.6 * t)
        t = (p - self.duty) / (1 - self.duty)
        leave = -self.push * 1.4 / (self.duty - self.rise) * (1 - self.duty)
        return hermite(-self.push, self.strike, leave * 0.5, 0.0, t)

    def ankle(self, p, side):
        p %= 1.0
        pitch = self.pitch(p)
        z, a = self.print_z(p), math.radians(pitch)
        c, s = math.cos(a), math.sin(a)
        ay = shape.ANKLE[1]
        if pitch >= 0:  # turns about the edge of the heel
            y, dz = _HEEL * s + ay * c, -_HEEL + _HEEL * c - ay * s
        else:  # turns about the ball
            by, bz = ay - shape.BALL[1], shape.BALL[2] - shape.ANKLE[2]
            y, dz = shape.BALL[1] - bz * s + by * c, bz - bz * c - by * s
        if p > self.duty:
            t = (p - self.duty) / (1 - self.duty)
            t = t ** (math.log(0.5) / math.log(self.lift_peak))
            y += self.lift * math.sin(math.pi * t) ** 2
        return (shape.ANKLE[0] * side, y, shape.ANKLE[2] + z + dz), pitch

    def toe_bend(self, p, pitch):
        """How far the toes stay level while the heel is up."""
        p %= 1.0
        hold = 1.0 if p < self.duty else 1 - smoothstep(0.0, 0.30, (p - self.duty) / (1 - self.duty))
        return min(0.0, pitch) * hold


def solve_legs(r, turns, hips, feet):
    """Adds thigh, shin, foot and toe turns. feet: side -> (ankle, foot turn, toe bend, pole)."""
    for name, s in figure_rig.SIDES:
        ankle, foot, bend, pole = feet[name]
        world, heads = r.carried(turns, hips)
        hip = heads[r.index['thigh.' + name]]
        knee = rig.two_bone(hip, ankle, _UPPER, _LOWER, pole)
        hinge = vec.unit(vec.cross(pole, vec.sub(ankle, hip)))
        def flip(p):
            return (p[0] * s, p[1], p[2])
        rest_thigh = vec.sub(flip(shape.KNEE), flip(shape.HIP))
        rest_shin = vec.sub(flip(shape.ANKLE), flip(shape.KNEE))
        thigh = rig.aim(rest_thigh, X, vec.sub(knee, hip), hinge)
        shin = rig.aim(rest_shin, X, vec.sub(ankle, knee), hinge)
        turns['thigh.' + name] = quat_mul(quat_conj(world[r.index['hips']]), thigh)
        turns['shin.' + name] = quat_mul(quat_conj(thigh), shin)
        turns['foot.' + name] = quat_mul(quat_conj(shin), foot)
        turns['toe.' + name] = euler(x=bend)


def set_arm(turns, name, side, swing, hang=_HANG, flex=15.0, twist=0.0, wrist=0.0, shrug=0.0, reach=0.0):
    """An arm that hangs: swing back > 0, elbow flex, forearm twist inwards."""
    arm = quat_mul(euler(x=swing), quat_axis(Z, -hang))
    fore = quat_axis(_FLEX_AXIS, -flex)
    turns['clavicle.' + name] = mirror(euler(y=reach, z=shrug), side)
    turns['upperarm.' + name] = mirror(arm, side)
    turns['forearm.' + name] = mirror(fore, side)
    turns['forearm_twist.' + name] = mirror(quat_axis(shape.FOREARM, twist), side)
    turns['hand.' + name] = mirror(quat_axis(_FLEX_AXIS, -wrist), side)


def set_fingers(turns, name, side, curl, thumb=8.0):
    for k, (finger, *_rest) in enumerate(shape.FINGERS):
        amount = thumb if finger == 'thumb' else curl * (1.0 + 0.18 * k)
        for part, share in ((1, 0.9), (2, 1.1)):
            turns['%s%d.%s' % (finger, part, name)] = mirror(quat_axis(_CURL_AXIS, amount * share), side)


def set_scarf(turns, phase, first, rest, beat, sway, lag=0.13):
    """The tails follow the body late: a wave runs down each of them."""
    for n, (name, count, _, _) in enumerate(figure_rig.SCARF_TAILS):
        for k in range(count):
            late = phase - lag * (k + 1) - 0.06 * n
            x = (first if k == 0 else rest) + beat * (0.5 + 0.35 * k) * wave(2 * late, 0.0)
            z = sway * (0.6 + 0.3 * k) * wave(late, 0.1) + (2.5 if n == 0 else -2.5)
            turns['scarf_%s%d' % (name, k + 1)] = euler(x=x, z=z)


def set_spine(turns, pitch=0.0, yaw=0.0, roll=0.0):
    """One bend of the trunk, shared by its three joints."""
    for name, share in (('spine1', 0.30), ('spine2', 0.35), ('chest', 0.35)):
        turns[name] = euler(pitch * share, yaw * share, roll * share)


def set_head(turns, pitch=0.0, yaw=0.0, roll=0.0):
    turns['neck'] = euler(pitch * 0.4, yaw * 0.4, roll * 0.4)
    turns['head'] = euler(pitch * 0.6, yaw * 0.6, roll * 0.6)


_WALK_STEPS = Steps(duty=0.61, front=0.300, back=-0.305, strike=20.0, push=50.0, flat=0.12, rise=0.38,
                    lift=0.052, lift_peak=0.33)
_RUN_STEPS = Steps(duty=0.36, front=0.190, back=-0.350, strike=6.0, push=58.0, flat=0.06, rise=0.14,
                   lift=0.235, lift_peak=0.40)


def _feet(steps, phase, narrow, out):
    feet = {}
    for name, s in figure_rig.SIDES:
        p = (phase if s > 0 else phase + 0.5) % 1.0
        ankle, pitch = steps.ankle(p, s)
        ankle = (ankle[0] * narrow, ankle[1], ankle[2])
        turn = euler(x=-pitch, y=out * s)
        pole = vec.unit((0.10 * s, 0.12, 1.0))
        feet[name] = (ankle, turn, steps.toe_bend(p, pitch), pole)
    return feet


def walk(r, t):
    """Left heel strikes at phase 0, right at 0.5; bodies rise over the standing leg."""
    p = t / WALK
    turns = {}
    swing = wave(p, 0.0)
    hips = (0.017 * wave(p, 0.28), 0.800 - 0.0235 + 0.0135 * wave(2 * p, 0.58), 0.004 * wave(2 * p, 0.3))
    turns['hips'] = euler(x=2.0 + 1.0 * wave(2 * p, 0.1), y=-8.0 * swing, z=3.6 * wave(p, 0.20))
    set_spine(turns, pitch=2.0 - 1.2 * wave(2 * p, 0.1), yaw=8.0 * swing + 7.5 * wave(p, 0.03),
              roll=-5.0 * wave(p, 0.20))
    set_head(turns, pitch=-2.5 + 1.5 * wave(2 * p, 0.22), yaw=-7.0 * wave(p, 0.03), roll=1.2 * wave(p, 0.24))
    for name, s in figure_rig.SIDES:
        q = p if s > 0 else p + 0.5
        set_arm(turns, name, s, swing=27.0 * wave(q, 0.02) + 1.0, hang=_HANG - 5.0 + 2.0 * wave(2 * q, 0.1),
                flex=24.0 - 14.0 * wave(q, 0.10), twist=-12.0, wrist=9.0 - 7.0 * wave(q, 0.17),
                shrug=1.5 * wave(2 * q, 0.6), reach=3.0 * wave(q, 0.02))
        set_fingers(turns, name, s, 27.0 - 4.0 * wave(q, 0.2), thumb=16.0)
    set_scarf(turns, p, first=9.0, rest=3.0, beat=4.5, sway=5.5)
    solve_legs(r, turns, hips, _feet(_WALK_STEPS, p, 0.86, 5.0))
    return turns, hips


def run(r, t):
    """A springy jog: each foot is down for 36 % of the time, so both are off the ground twice."""
    p = t / RUN
    turns = {}
    swing = wave(p, 0.02)
    hips = (0.010 * wave(p, 0.18), 0.800 - 0.034 - 0.036 * wave(2 * p, 0.34), 0.020)
    turns['hips'] = euler(x=9.0, y=-10.0 * swing, z=4.5 * wave(p, 0.14))
    set_spine(turns, pitch=8.0 + 2.0 * wave(2 * p, 0.30), yaw=10.0 * swing + 11.0 * wave(p, 0.04),
              roll=-6.0 * wave(p, 0.14))
    set_head(turns, pitch=-13.0 + 3.0 * wave(2 * p, 0.46), yaw=-11.0 * wave(p, 0.04), roll=1.5 * wave(p, 0.2))
    for name, s in figure_rig.SIDES:
        q = p if s > 0 else p + 0.5
        set_arm(turns, name, s, swing=42.0 * wave(q, 0.02) + 6.0, hang=_HANG - 9.0 + 3.0 * wave(q, 0.4),
                flex=84.0 - 16.0 * wave(q, 0.06), twist=-25.0, wrist=6.0 - 8.0 * wave(q, 0.2),
                shrug=2.5 * wave(2 * q, 0.5), reach=6.0 * wave(q, 0.02))
        set_fingers(turns, name, s, 46.0, thumb=22.0)
    set_scarf(turns, p, first=52.0, rest=5.0, beat=9.0, sway=9.0, lag=0.11)
    solve_legs(r, turns, hips, _feet(_RUN_STEPS, p, 0.70, 3.0))
    return turns, hips


def _blend_turns(a, b, k):
    names = sorted(set(a) | set(b))
    return {n: vec.quat_slerp(a.get(n, vec.IDENTITY), b.get(n, vec.IDENTITY), k) for n in names}


def _stand(breath):
    """Arms relaxed, soft knees; breath runs from -1 to 1."""
    turns = {}
    set_spine(turns, pitch=1.0 - 0.8 * breath)
    set_head(turns, pitch=0.6 * breath)
    for name, s in figure_rig.SIDES:
        set_arm(turns, name, s, swing=-1.0, hang=_HANG - 8.0, flex=16.0, twist=-10.0, wrist=3.0, shrug=0.8 * breath)
        set_fingers(turns, name, s, 18.0)
    return turns


def _raised(beat):
    """The right arm up, the forearm waving with `beat` from -1 to 1."""
    turns = {}
    fore = quat_mul(quat_axis(Z, 74.0 + 19.0 * beat), quat_axis(shape.FOREARM, -28.0))
    turns['clavicle.R'] = mirror(euler(z=13.0), -1)
    turns['upperarm.R'] = mirror(quat_mul(euler(y=-20.0), quat_axis(Z, 42.0 + 3.0 * beat)), -1)
    turns['forearm.R'] = mirror(fore, -1)
    turns['forearm_twist.R'] = mirror(quat_axis(shape.FOREARM, -36.0), -1)
    turns['hand.R'] = mirror(quat_mul(quat_axis(Z, 13.0 * beat), quat_axis(shape.FOREARM, -22.0)), -1)
    set_fingers(turns, 'R', -1, 2.0, thumb=-10.0)
    return turns


def wave_hand(r, t):
    """Shifts its weight, raises the right hand, waves three times, and comes back."""
    t %= WAVE
    up = smoothstep(0.10, 0.62, t) - smoothstep(2.15, 2.72, t)
    beat = math.sin(2 * math.pi * (t - 0.50) / 0.54) * (smoothstep(0.45, 0.75, t) - smoothstep(2.0, 2.3, t))
    lean = smoothstep(0.0, 0.55, t) - smoothstep(2.1, 2.78, t)
    breath = math.sin(2 * math.pi * t / WAVE)
    stand = _stand(breath)
    turns = _blend_turns(stand, dict(stand, **_raised(beat)), up)
    hips = (0.040 * lean, 0.800 - 0.004 - 0.007 * lean + 0.002 * breath, 0.0)
    turns['hips'] = euler(y=4.0 * lean, z=3.5 * lean)
    set_spine(turns, pitch=1.0 - 0.8 * breath, yaw=-5.0 * lean + 2.0 * beat, roll=1.0 * lean - 1.6 * beat)
    set_head(turns, pitch=-3.0 * lean, yaw=4.0 * lean, roll=-9.0 * lean + 1.5 * beat)
    set_scarf(turns, t / WAVE * 2, first=7.0, rest=1.5, beat=0.8, sway=1.2)
    turns['scarf_a1'] = quat_mul(turns['scarf_a1'], euler(z=-3.0 * lean))
    feet = {}
    for name, s in figure_rig.SIDES:
        heel = 10.0 * lean if s < 0 else 0.0
        bz, by = shape.BALL[2] - shape.ANKLE[2], shape.ANKLE[1] - shape.BALL[1]
        a = math.radians(-heel)
        y = shape.BALL[1] - bz * math.sin(a) + by * math.cos(a)
        dz = bz - bz * math.cos(a) - by * math.sin(a)
        ankle = ((shape.ANKLE[0] + 0.012) * s, y, shape.ANKLE[2] + dz + 0.012 * s)
        feet[name] = (ankle, euler(x=heel, y=9.0 * s), -heel, vec.unit((0.2 * s, 0.1, 1.0)))
    solve_legs(r, turns, hips, feet)
    return turns, hips
