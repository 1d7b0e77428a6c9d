
/* ---- page_time.js: the frames of a case over time -------------------------------------------- */

const CURVE_HEIGHT = 84;
const RIBBON = 8; /* passed and failed frames */
const LANE = 20; /* the worst joint */
const THUMB = 72;
const INSET = 8; /* half of the scrubber's thumb: frames stand where it does */
const AHEAD = 12; /* frames that are loaded before they are shown */
const AROUND = 3; /* frames before and after bad ones when only those are played */

class Timeline {
  /* onFrame(index): the user, or playing, goes to a frame. */
  constructor(item, viewer, onFrame) {
    Object.assign(this, {item, viewer, onFrame, index: 0, playing: false});
    this.frames = item.frames;
    this.errors = errorsOf(item);
    this.error = this.errors.find((error) => error.key === Timeline.chosen) ?? this.errors[0];
    this.build();
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  /* ---- parts ---- */

  build() {
    const last = this.frames.length - 1;
    this.playButton = el('button', {type: 'button', class: 'play', title: 'Play (space)', 'aria-label': 'Play',
      onclick: () => this.toggle()}, '▶');
    this.label = el('output', {class: 'now'});
    this.speed = el('select', {'aria-label': 'Speed', title: 'Speed', onchange: () => this.speed.blur()},
      [0.1, 0.25, 0.5, 1, 2].map((speed) => el('option', {value: speed, selected: speed === 1}, `${speed}×`)));
    this.loop = el('button', {type: 'button', 'aria-pressed': 'false', hidden: badRanges(this.item).length === 0,
      title: 'Play the failing frames and those next to them only', onclick: () => this.toggleLoop()}, '↻ Failing');
    this.scrubber = el('input', {type: 'range', min: 0, max: last, step: 1, class: 'scrubber', 'aria-label': 'Frame',
      oninput: () => { this.stop(); this.onFrame(Number(this.scrubber.value)); }});
    this.curve = svg('svg', {class: 'curve', role: 'img'});
    this.tip = el('div', {class: 'tip', hidden: true});
    this.plot = el('div', {class: 'plot'}, this.curve, this.tip);
    this.plot.addEventListener('pointerdown', (event) => this.onDown(event));
    this.plot.addEventListener('pointermove', (event) => this.showTip(event));
    this.plot.addEventListener('pointerleave', () => { this.tip.hidden = true; });
    this.strip = el('div', {class: 'strip'});
    this.root = el('section', {class: 'timeline', 'aria-label': 'Timeline'},
      el('div', {class: 'tools'}, this.playButton, this.speed, this.loop, this.label, el('span', {class: 'grow'}),
        this.makeJumps(), this.makeErrors()),
      this.plot, this.scrubber, this.strip);
  }

  makeJumps() {
    const ranges = badRanges(this.item);
    if (ranges.length === 0) {
      return null;
    }
    const worst = worstFrame(this.item, this.error);
    return el('div', {class: 'group jumps'},
      el('button', {type: 'button', class: 'bad', title: 'First bad frame (f)',
        onclick: () => this.seek(ranges[0][0])}, `First bad ${this.frames[ranges[0][0]].frame}`),
      this.error ? el('button', {type: 'button', class: 'bad', title: 'Frame with the largest error (w)',
        onclick: () => this.seek(worstFrame(this.item, this.error))}, `Worst ${this.frames[worst].frame}`) : null);
  }

  makeErrors() {
    this.errorButtons = this.errors.map((error) => el('button', {type: 'button',
      title: error.long, onclick: () => this.choose(error)}, error.title));
    return this.errors.length < 2 ? null
      : el('div', {class: 'group', role: 'group', 'aria-label': 'Error'}, this.errorButtons);
  }

  choose(error) {
    Timeline.chosen = error.key;
    this.error = error;
    this.draw();
  }

  /* ---- curve ---- */

  xOf(index) {
    return INSET + (this.width - 2 * INSET) * (this.frames.length > 1 ? index / (this.frames.length - 1) : 0);
  }

  indexAt(x) {
    const at = (x - INSET) / Math.max(1, this.width - 2 * INSET) * (this.frames.length - 1);
    return Math.max(0, Math.min(this.frames.length - 1, Math.round(at)));
  }

  /* Half a frame before and after. */
  edges(first, last) {
    const half = (this.xOf(1) - this.xOf(0)) / 2;
    return [Math.max(0, this.xOf(first) - half), Math.min(this.width, this.xOf(last) + half)];
  }

  draw() {
    this.width = this.plot.clientWidth;
    if (this.width === 0) {
      return;
    }
    const joints = this.jointLane();
    this.most = this.frames.reduce((most, frame) => Math.max(most, this.error?.read(frame) ?? 0), 0) || 1;
    const height = CURVE_HEIGHT + RIBBON + 4 + (joints ? LANE : 0);
    this.height = height;
    this.errorButtons.forEach((button, i) => {
      button.setAttribute('aria-pressed', String(this.errors[i] === this.error));
    });
    this.playhead = svg('g', {class: 'playhead'},
      svg('line', {x1: 0, x2: 0, y1: 0, y2: height}), svg('circle', {cx: 0, r: 4.5}));
    fill(this.curve, {width: this.width, height, viewBox: `0 0 ${this.width} ${height}`,
      'aria-label': this.describe()}, []);
    this.curve.replaceChildren(...this.clipMarks(), ...this.bands(), ...this.line(), ...this.ribbon(),
      ...(joints ?? []), ...this.firstMark(), this.playhead);
    this.moveHead();
    this.fillStrip();
  }

  describe() {
    const ranges = badRanges(this.item).map((range) => rangeText(this.item, range)).join(', ');
    const title = this.error ? `${this.error.long} over ${this.frames.length} frames` : `${this.frames.length} frames`;
    return ranges ? `${title}; bad frames: ${ranges}` : title;
  }

  clipMarks() {
    const clips = clipsOf(this.item);
    return clips.length < 2 ? [] : clips.flatMap((clip, i) => {
      const [from] = this.edges(clip.first, clip.last);
      return [
        i > 0 ? svg('line', {class: 'clip-edge', x1: from, x2: from, y1: 0, y2: this.height}) : null,
        svg('text', {class: 'clip-name', x: from + 5, y: 11}, clip.name),
      ].filter(Boolean);
    });
  }

  bands() {
    return badRanges(this.item).map(([first, last]) => {
      const [from, to] = this.edges(first, last);
      return svg('rect', {class: 'bad-band', x: from, y: 0, width: Math.max(1, to - from), height: CURVE_HEIGHT});
    });
  }

  yOf(value) {
    return CURVE_HEIGHT - 1 - (CURVE_HEIGHT - 18) * value / this.most;
  }

  line() {
    const base = svg('line', {class: 'base', x1: 0, x2: this.width, y1: CURVE_HEIGHT - 0.5, y2: CURVE_HEIGHT - 0.5});
    if (!this.error) {
      return [base];
    }
    const runs = [];
    const clips = clipsOf(this.item);
    this.frames.forEach((frame, i) => {
      const value = this.error.read(frame);
      if (value === null) {
        runs.push([]);
      } else {
        if (runs.length === 0 || clips.some((clip) => clip.first === i)) {
          runs.push([]);
        }
        runs.at(-1).push(`${this.xOf(i).toFixed(1)},${this.yOf(value).toFixed(1)}`);
      }
    });
    const filled = runs.filter((run) => run.length > 0);
    const x = (point) => point.split(',')[0];
    const most = this.most;
    return [
      ...filled.map((run) => svg('path', {class: 'area',
        d: `M${x(run[0])},${CURVE_HEIGHT - 1}L${run.join('L')}L${x(run.at(-1))},${CURVE_HEIGHT - 1}Z`})),
      base,
      svg('line', {class: 'most', x1: 0, x2: this.width, y1: this.yOf(most), y2: this.yOf(most)}),
      ...filled.map((run) => run.length > 1 ? svg('path', {class: 'trace', d: `M${run.join('L')}`})
        : svg('circle', {class: 'dot', cx: x(run[0]), cy: run[0].split(',')[1], r: 2.5})),
      svg('text', {class: 'scale', x: this.width - 4, y: this.yOf(most) - 4, 'text-anchor': 'end'},
        this.error.format(most)),
    ];
  }

  ribbon() {
    const base = svg('rect', {class: 'ribbon-good', x: 0, y: CURVE_HEIGHT + 3, width: this.width, height: RIBBON - 2});
    return [base, ...badRanges(this.item).map(([first, last]) => {
      const [from, to] = this.edges(first, last);
      return svg('rect', {class: 'ribbon-bad', x: from, y: CURVE_HEIGHT + 3, width: Math.max(2, to - from),
        height: RIBBON - 2});
    })];
  }

  /* The joint that is farthest off, as long as it is the same one. */
  jointLane() {
    const spans = [];
    this.frames.forEach((frame, i) => {
      const joint = frame.pose?.joint;
      const span = spans.at(-1);
      if (joint !== undefined && span && span.joint === joint && span.last === i - 1) {
        span.last = i;
      } else if (joint !== undefined) {
        spans.push({joint, first: i, last: i});
      }
    });
    if (spans.length === 0) {
      return null;
    }
    const names = [...new Set(spans.map((span) => span.joint))];
    const top = CURVE_HEIGHT + RIBBON + 4;
    return spans.flatMap(({joint, first, last}) => {
      const [from, to] = this.edges(first, last);
      const room = Math.floor((to - from - 10) / 6.6);
      const text = joint.length <= room ? joint : room > 3 ? `${joint.slice(0, room - 1)}…` : '';
      return [
        svg('rect', {class: `joint joint-${names.indexOf(joint) % 6}`, x: from + 0.5, y: top, rx: 3,
          width: Math.max(1.5, to - from - 1), height: LANE - 3}),
        text ? svg('text', {class: 'joint-name', x: from + 6, y: top + 12.5}, text) : null,
      ].filter(Boolean);
    });
  }

  firstMark() {
    const ranges = badRanges(this.item);
    if (ranges.length === 0) {
      return [];
    }
    const x = this.xOf(ranges[0][0]);
    const flips = x > this.width - 110;
    const low = clipsOf(this.item).length > 1 ? 14 : 0;
    return [svg('line', {class: 'first', x1: x, x2: x, y1: low, y2: CURVE_HEIGHT}),
      svg('path', {class: 'flag', d: `M${x},${low}l${flips ? -7 : 7},4l${flips ? 7 : -7},4z`}),
      svg('text', {class: 'first-name', x: x + (flips ? -10 : 10), y: low + 10, 'text-anchor': flips ? 'end' : 'start'},
        `first bad: ${this.frames[ranges[0][0]].frame}`)];
  }

  /* ---- pictures along the time ---- */

  /* Of the frames that a small picture stands for the worst, or the one in the middle. */
  thumbFrame(i, count) {
    const step = (this.frames.length - 1) / Math.max(1, count - 1);
    const last = Math.min(this.frames.length - 1, Math.ceil((i + 0.5) * step) - 1);
    let worst = -1;
    for (let k = Math.max(0, Math.ceil((i - 0.5) * step)); k <= last; k++) {
      const size = (index) => this.error?.read(this.frames[index]) ?? 0;
      if (isBad(this.frames[k]) && (worst < 0 || size(k) > size(worst))) {
        worst = k;
      }
    }
    return worst >= 0 ? worst : Math.round(i * step);
  }

  fillStrip() {
    const shows = this.frames.some((frame) => pictureOf(frame.e) || pictureOf(frame.a));
    const count = shows ? Math.min(this.frames.length, Math.max(2, Math.floor(this.width / THUMB))) : 0;
    this.strip.hidden = count === 0;
    if (this.strip.childElementCount === count) {
      return;
    }
    this.thumbs = Array.from({length: count}, (_, i) => {
      const index = this.thumbFrame(i, count);
      const frame = this.frames[index];
      const picture = pictureOf(isBad(frame) ? frame.d ?? frame.a ?? frame.e : frame.e ?? frame.a);
      return el('button', {type: 'button', tabindex: -1, class: isBad(frame) ? 'thumb bad' : 'thumb',
        'data-index': index, 'aria-label': `Frame ${frame.frame}`, onclick: () => this.seek(index)},
      picture ? makeThumb(picture, {draggable: 'false', class: isDifference(frame, picture) ? 'diff' : null}) : null,
      el('span', {}, String(frame.frame)));
    });
    this.strip.replaceChildren(...this.thumbs);
    this.moveHead();
  }

  /* ---- where we are ---- */

  /* Shows that this frame is the current one. */
  setFrame(index) {
    this.index = index;
    const frame = this.frames[index];
    const clip = clipAt(this.item, index);
    this.scrubber.value = index;
    this.scrubber.setAttribute('aria-valuetext', `frame ${frame.frame}, ${isBad(frame) ? 'failed' : 'passed'}`);
    this.label.replaceChildren(
      el('b', {class: isBad(frame) ? 'bad' : ''}, `Frame ${frame.frame}`),
      ` / ${this.frames[clip.last].frame} · ${(frame.time ?? 0).toFixed(3)} s`,
      clipsOf(this.item).length > 1 ? ` · ${clip.name}` : '');
    this.moveHead();
  }

  moveHead() {
    if (this.playhead && this.width) {
      const value = this.error ? this.error.read(this.frames[this.index]) : 0;
      this.playhead.setAttribute('transform', `translate(${this.xOf(this.index)} 0)`);
      this.playhead.lastChild.setAttribute('cy', this.error ? this.yOf(value ?? 0) : CURVE_HEIGHT);
    }
    const place = this.index / Math.max(1, this.frames.length - 1) * ((this.thumbs?.length ?? 1) - 1);
    const nearest = this.thumbs?.[Math.round(place)];
    for (const thumb of this.thumbs ?? []) {
      thumb.classList.toggle('near', thumb === nearest);
    }
  }

  seek(index) {
    this.stop();
    this.onFrame(index);
  }

  onDown(event) {
    const left = this.plot.getBoundingClientRect().left;
    const move = (next) => this.onFrame(this.indexAt(next.clientX - left));
    const up = () => this.plot.removeEventListener('pointermove', move);
    if (event.button !== 0) {
      return;
    }
    event.preventDefault();
    this.stop();
    this.plot.setPointerCapture(event.pointerId);
    this.plot.addEventListener('pointermove', move);
    this.plot.addEventListener('pointerup', up, {once: true});
    this.plot.addEventListener('pointercancel', up, {once: true});
    move(event);
  }

  showTip(event) {
    const x = event.clientX - this.plot.getBoundingClientRect().left;
    const frame = this.frames[this.indexAt(x)];
    const rows = [`frame ${frame.frame}${isBad(frame) ? ' failed' : ''}`];
    for (const error of this.errors) {
      const value = error.read(frame);
      if (value > 0) {
        rows.push(`${error.title} ${error.format(value)}`);
      }
    }
    if (frame.pose?.joint !== undefined) {
      rows.push(`worst joint ${frame.pose.joint}`);
    }
    this.tip.replaceChildren(...rows.map((row) => el('div', {}, row)));
    this.tip.hidden = false;
    const room = this.width - this.tip.offsetWidth - 4;
    this.tip.style.left = `${Math.max(4, Math.min(room, x + 14 > room ? x - 14 - this.tip.offsetWidth : x + 14))}px`;
  }

  /* ---- playing ---- */

  toggleLoop() {
    this.onlyBad = !this.onlyBad;
    this.loop.setAttribute('aria-pressed', String(this.onlyBad));
  }

  /* What is played in a loop from here: [first, last]. */
  played() {
    const clip = clipAt(this.item, this.index);
    const bad = this.onlyBad
      ? badRanges(this.item).filter(([first]) => first >= clip.first && first <= clip.last) : [];
    return bad.length === 0 ? [clip.first, clip.last]
      : [Math.max(clip.first, bad[0][0] - AROUND), Math.min(clip.last, bad.at(-1)[1] + AROUND)];
  }

  toggle() {
    if (this.playing) {
      this.stop();
    } else if (this.frames.length > 1) {
      this.playing = true;
      this.playButton.textContent = '❚❚';
      this.playButton.setAttribute('aria-label', 'Pause');
      this.playButton.title = 'Pause (space)';
      this.clock = performance.now();
      this.left = 0;
      this.next = this.index;
      requestAnimationFrame((now) => this.tick(now));
    }
  }

  stop() {
    if (this.playing) {
      this.playing = false;
      this.playButton.textContent = '▶';
      this.playButton.setAttribute('aria-label', 'Play');
      this.playButton.title = 'Play (space)';
      this.onFrame(this.index);
    }
  }

  /* Seconds a frame stands. */
  lasts(index, clip) {
    const step = index < clip.last ? (this.frames[index + 1].time ?? 0) - (this.frames[index].time ?? 0) : clip.step;
    return step > 1e-4 ? step : clip.step;
  }

  /* A frame whose pictures are not decoded yet is waited for: all views stay in step. */
  tick(now) {
    if (!this.playing) {
      return;
    }
    const clip = clipAt(this.item, this.index);
    const [first, last] = this.played();
    const after = (index) => index >= last || index < first ? first : index + 1;
    this.left += (now - this.clock) / 1000 * Number(this.speed.value);
    this.clock = now;
    for (let i = 0, ahead = this.index; i < AHEAD; i++) {
      ahead = after(ahead);
      this.viewer?.isReady(this.frames[ahead]); /* begins to load it */
    }
    let index = this.index;
    let steps = 0;
    while (this.left >= this.lasts(index, clip) && steps++ < 10) {
      this.left -= this.lasts(index, clip);
      index = after(index);
    }
    this.left = Math.min(this.left, this.lasts(index, clip));
    if (index !== this.index) {
      if (!this.viewer || this.viewer.isReady(this.frames[index])) {
        this.onFrame(index);
      } else {
        this.left = this.lasts(this.index, clip);
      }
    }
    requestAnimationFrame((next) => this.tick(next));
  }
}
