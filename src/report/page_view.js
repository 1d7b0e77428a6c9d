
/* ---- page_view.js: pictures of a frame, seen together ---------------------------------------- */

const ROLES = ['expected', 'actual', 'diff'];
const ROLE_TITLES = {expected: report.against ? `Expected: ${report.against}` : 'Expected', actual: 'Actual',
  diff: 'Difference'};
const MODES = [
  {key: 'side', title: 'Side by side'},
  {key: 'swipe', title: 'Swipe'},
  {key: 'onion', title: 'Onion skin'},
  {key: 'blink', title: 'Blink'},
];
const BLINK_MS = 500;
const MOST_ZOOM = 64;
const STAGE_GAP = 10; /* between stages, as in page.css */
const GRID_FROM = 12; /* screen pixels a pixel, from which on there are lines between them */

/* Scales have whole screen pixels per pixel, or whole pixels per screen pixel: 1/3, 1/2, 1, 2, 3 ... */
const NEARLY = 1e-6;
function wholeBelow(scale) {
  const ratio = devicePixelRatio || 1;
  const pixels = scale * ratio;
  return (pixels >= 1 ? Math.floor(pixels + NEARLY) : 1 / Math.ceil(1 / pixels - NEARLY)) / ratio;
}
function wholeNear(scale) {
  const ratio = devicePixelRatio || 1;
  const pixels = scale * ratio;
  return (pixels >= 1 ? Math.round(pixels) : 1 / Math.round(1 / pixels)) / ratio;
}

/* Settings that stay when the case changes. */
const look = {mode: 'side', swipe: 0.5, onion: 0.5, box: true};

class Viewer {
  constructor() {
    this.frame = null;
    this.zoom = null; /* {scale, x, y}: the point of the picture in the middle; null: all of it */
    this.turned = 1; /* the scale that the wheel asks for; the one that is seen is whole */
    this.cursor = null; /* the pixel under the pointer */
    this.shown = 'expected'; /* while blinking */
    this.blinking = false;
    this.serial = 0;
    this.panes = ROLES.map((role) => this.makePane(role));
    this.stages = el('div', {class: 'stages'}, this.panes.map((pane) => pane.element));
    this.readout = el('div', {class: 'readout', 'aria-live': 'off'});
    this.root = el('section', {class: 'viewer', 'aria-label': 'Pictures'},
      this.makeTools(), this.stages, this.readout);
    new ResizeObserver(() => this.layout()).observe(this.stages);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
    this.setMode(look.mode);
  }

  /* ---- parts ---- */

  makePane(role) {
    const canvas = el('canvas', {role: 'img'});
    const note = el('div', {class: 'note', hidden: true});
    const label = el('span', {class: `role ${role}`}, ROLE_TITLES[role]);
    const extra = el('span', {class: 'extra'});
    const stage = el('div', {class: 'stage'}, canvas, note);
    const element = el('figure', {class: `pane ${role}`}, el('figcaption', {}, label, extra), stage);
    const pane = {role, canvas, note, label, extra, stage, element};
    stage.addEventListener('wheel', (event) => this.onWheel(event, pane), {passive: false});
    stage.addEventListener('pointerdown', (event) => this.onDown(event, pane));
    stage.addEventListener('pointermove', (event) => this.onMove(event, pane));
    stage.addEventListener('pointerleave', () => this.setCursor(null));
    stage.addEventListener('dblclick', () => this.fit());
    return pane;
  }

  makeTools() {
    this.modeButtons = MODES.map((mode, i) => el('button', {
      type: 'button', title: `${mode.title} (${i + 1})`, onclick: () => this.setMode(mode.key),
    }, mode.title));
    this.mix = el('input', {type: 'range', min: 0, max: 100, step: 1, oninput: () => {
      look[look.mode] = this.mix.value / 100;
      this.draw();
    }});
    this.mixLabel = el('label', {class: 'mix'}, this.mix);
    this.blinkButton = el('button', {type: 'button', class: 'blink-button',
      onclick: () => this.setBlinking(!this.blinking)});
    this.scaleText = el('button', {type: 'button', class: 'scale', title: 'One screen pixel a pixel (1:1)',
      onclick: () => this.setScale(1)});
    this.boxButton = el('button', {type: 'button', title: 'Outline what differs (b)',
      onclick: () => this.toggleBox()}, 'Outline');
    this.nearButton = el('button', {type: 'button', title: 'Zoom to what differs (z)',
      onclick: () => this.zoomToDifference()}, 'Zoom to difference');
    this.fitButton = el('button', {type: 'button', title: 'Whole picture (0)', onclick: () => this.fit()}, 'Fit');
    const zoom = el('div', {class: 'group', role: 'group', 'aria-label': 'Zoom'},
      el('button', {type: 'button', class: 'icon', title: 'Smaller (−)', 'aria-label': 'Smaller',
        onclick: () => this.zoomBy(0.5)}, '−'), this.scaleText,
      el('button', {type: 'button', class: 'icon', title: 'Larger (+)', 'aria-label': 'Larger',
        onclick: () => this.zoomBy(2)}, '+'), this.fitButton);
    return el('div', {class: 'tools'},
      el('div', {class: 'group', role: 'group', 'aria-label': 'View'}, this.modeButtons),
      this.mixLabel, this.blinkButton, el('span', {class: 'grow'}), this.nearButton, this.boxButton, zoom);
  }

  /* ---- what is shown ---- */

  /* Shows a frame as soon as its pictures are decoded; until then the one before stays. */
  show(frame) {
    const serial = ++this.serial;
    const entries = this.picturesOf(frame).map(load);
    if (entries.every((entry) => entry.ready || entry.failed)) {
      this.present(frame);
    } else {
      Promise.all(entries.map((entry) => entry.done)).then(() => {
        if (serial === this.serial) {
          this.present(frame);
        }
      });
    }
  }

  picturesOf(frame) {
    return ROLES.map((role) => shownOf(frame, role).picture).filter(Boolean);
  }

  isReady(frame) {
    const entries = this.picturesOf(frame).map(load);
    return entries.every((entry) => entry.ready || entry.failed);
  }

  present(frame) {
    this.frame = frame;
    this.views = Object.fromEntries(ROLES.map((role) => {
      const view = shownOf(frame, role);
      const entry = view.picture && load(view.picture);
      return [role, entry && entry.failed
        ? {note: 'This picture can’t be shown: it is damaged or not there.'} : {...view, entry}];
    }));
    const sizes = ROLES.map((role) => this.views[role].picture).filter(Boolean);
    this.width = Math.max(1, ...sizes.map((size) => size.width));
    this.height = Math.max(1, ...sizes.map((size) => size.height));
    const box = frame.m?.box;
    this.box = box && box[2] > 0 ? box : null;
    this.nearButton.disabled = this.boxButton.disabled = !this.box;
    for (const pane of this.panes) {
      this.describe(pane);
    }
    this.layout();
    this.showValues();
  }

  describe(pane) {
    const both = look.mode !== 'side' && pane.role === 'expected';
    const view = this.views[pane.role];
    const other = this.views.actual;
    const missing = both ? (!view.picture ? view : !other.picture ? other : null) : !view.picture ? view : null;
    const name = this.frame.name;
    pane.note.hidden = !missing;
    pane.note.classList.toggle('calm', Boolean(missing?.calm));
    pane.note.replaceChildren(missing ? el('span', {}, missing.note) : '');
    pane.canvas.hidden = Boolean(missing) && !(both && (view.picture || other.picture));
    pane.note.classList.toggle('below', !pane.canvas.hidden);
    pane.canvas.setAttribute('aria-label', both ? `Expected and actual picture of ${name}`
      : `${ROLE_TITLES[pane.role]} of ${name}${missing ? `: ${missing.note}` : ''}`);
    const size = view.picture && (pane.role !== 'diff') ? `${view.picture.width}×${view.picture.height}` : '';
    pane.extra.textContent = both ? '' : [view.picture ? view.note : '', size].filter(Boolean).join(' · ');
  }

  setMode(mode) {
    look.mode = mode;
    this.root.dataset.mode = mode;
    this.modeButtons.forEach((button, i) => {
      button.setAttribute('aria-pressed', String(MODES[i].key === mode));
    });
    const mixes = mode === 'swipe' || mode === 'onion';
    this.mixLabel.hidden = !mixes;
    this.mixLabel.title = mode === 'swipe' ? 'Position of the swipe' : 'Opacity of the actual picture';
    this.mix.setAttribute('aria-label', this.mixLabel.title);
    this.mix.value = 100 * (look[mode] ?? 0.5);
    this.blinkButton.hidden = mode !== 'blink';
    this.shown = 'expected';
    this.setBlinking(mode === 'blink' && !calmMotion.matches);
    if (this.frame) {
      this.panes.forEach((pane) => this.describe(pane));
      this.layout();
    }
  }

  setBlinking(on) {
    clearInterval(this.timer);
    this.blinking = on;
    this.blinkButton.textContent = on ? 'Stop' : 'Blink';
    this.blinkButton.title = 'Hold x to see the other picture';
    if (on) {
      this.timer = setInterval(() => this.flip(), BLINK_MS);
    }
    this.draw();
  }

  flip(to = this.shown === 'expected' ? 'actual' : 'expected') {
    this.shown = to;
    this.draw();
  }

  /* While a key is held, the other picture is seen when blinking, and no outline in any view. */
  hold(on) {
    if (look.mode === 'blink' && on !== this.held) {
      if (on) {
        this.setBlinking(false);
      }
      this.flip();
    }
    this.held = on;
    this.draw();
  }

  toggleBox() {
    look.box = !look.box;
    this.draw();
  }

  /* ---- where it is shown ---- */

  layout() {
    if (!this.frame) {
      return;
    }
    this.stages.classList.remove('two');
    this.stages.classList.toggle('two', look.mode === 'side' && this.needsRoom());
    const most = Math.max(220, Math.min(innerHeight * (look.mode === 'side' ? 0.46 : 0.5), 720));
    const least = Math.min(most, 160);
    const height = Math.round(Math.max(least, Math.min(most, this.height * this.fitScale(most))));
    const ratio = devicePixelRatio || 1;
    for (const pane of this.panes) {
      pane.stage.style.height = `${height}px`;
      pane.canvas.width = Math.max(1, Math.round(pane.stage.clientWidth * ratio));
      pane.canvas.height = Math.max(1, Math.round(height * ratio));
    }
    this.draw();
  }

  /* Three pictures beside each other would have to shrink, and two would not. */
  needsRoom() {
    const ratio = devicePixelRatio || 1;
    const needed = this.width / ratio;
    return this.panes[0].stage.clientWidth < needed && needed <= (this.stages.clientWidth - STAGE_GAP) / 2;
  }

  /* All of the picture. */
  fitScale(height = this.panes[0].stage.clientHeight) {
    return wholeBelow(Math.min(this.panes[0].stage.clientWidth / this.width, height / this.height));
  }

  place() {
    const {clientWidth, clientHeight} = this.panes[0].stage;
    const {scale, x, y} = this.zoom ?? {scale: this.fitScale(), x: this.width / 2, y: this.height / 2};
    const ratio = devicePixelRatio || 1;
    const whole = (value) => Math.round(value * ratio) / ratio;
    return {scale, left: whole(clientWidth / 2 - x * scale), top: whole(clientHeight / 2 - y * scale)};
  }

  setZoom(scale, x, y) {
    const fit = this.fitScale();
    scale = wholeNear(scale);
    if (scale <= fit * 1.001) {
      this.zoom = null;
    } else {
      const {clientWidth, clientHeight} = this.panes[0].stage;
      const keep = (at, size, room) => room >= size * scale ? size / 2
        : Math.max(room / 2 / scale, Math.min(size - room / 2 / scale, at));
      scale = Math.min(MOST_ZOOM, scale);
      this.zoom = {scale, x: keep(x, this.width, clientWidth), y: keep(y, this.height, clientHeight)};
    }
    this.draw();
  }

  center() {
    return this.zoom ?? {scale: this.fitScale(), x: this.width / 2, y: this.height / 2};
  }

  setScale(scale) {
    const {x, y} = this.center();
    this.setZoom(scale / (devicePixelRatio || 1), x, y);
  }

  /* Goes to the next power of two, so that larger and smaller undo each other. */
  zoomBy(factor) {
    const {scale, x, y} = this.center();
    const ratio = devicePixelRatio || 1;
    const power = Math.log2(scale * ratio);
    const next = factor > 1 ? Math.floor(power + NEARLY) + 1 : Math.ceil(power - NEARLY) - 1;
    this.setZoom(2 ** next / ratio, x, y);
  }

  fit() {
    this.zoom = null;
    this.draw();
  }

  /* The difference fills the stage, or more of it by a seventh where the next whole scale does that. */
  zoomToDifference() {
    if (this.box) {
      const [x, y, width, height] = this.box;
      const {clientWidth, clientHeight} = this.panes[0].stage;
      const scale = Math.min(clientWidth / (width + 6), clientHeight / (height + 6), 32);
      this.setZoom(wholeBelow(scale * 1.15), x + width / 2, y + height / 2);
    }
  }

  /* ---- drawing ---- */

  draw() {
    if (this.waiting || !this.frame) {
      return;
    }
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      const colors = getComputedStyle(this.root);
      this.colors = Object.fromEntries(['checker', 'stage', 'expected', 'actual', 'mark', 'shade']
        .map((name) => [name, colors.getPropertyValue(`--${name}`).trim()]));
      for (const pane of this.panes) {
        if (look.mode === 'side' || pane.role === 'expected') {
          this.drawPane(pane);
        }
      }
      const {scale} = this.center();
      this.scaleText.textContent = `${formatNumber(Math.round(scale * (devicePixelRatio || 1) * 100))} %`;
      this.fitButton.disabled = this.zoom === null;
      this.boxButton.setAttribute('aria-pressed', String(look.box));
    });
  }

  drawPane(pane) {
    const context = pane.canvas.getContext('2d');
    const {clientWidth: width, clientHeight: height} = pane.stage;
    const ratio = devicePixelRatio || 1;
    const place = this.place();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.imageSmoothingEnabled = place.scale * ratio < 1;
    context.imageSmoothingQuality = 'high';
    if (look.mode === 'side') {
      this.drawPicture(context, pane.role, place);
    } else {
      this.drawBoth(context, place, width, height);
      pane.label.textContent = look.mode !== 'blink' ? 'Expected and actual' : ROLE_TITLES[this.shown];
      pane.label.className = `role ${look.mode === 'blink' ? this.shown : 'both'}`;
    }
    if (look.mode === 'side') {
      pane.label.textContent = ROLE_TITLES[pane.role];
      pane.label.className = `role ${pane.role}`;
    }
    this.drawGrid(context, place, width, height);
    this.drawMarks(context, place, look.box && !this.held && (look.mode !== 'side' || pane.role !== 'diff'));
  }

  drawPicture(context, role, {scale, left, top}, opacity = 1) {
    const view = this.views[role];
    if (!view.picture) {
      return;
    }
    const {width, height} = view.picture;
    context.save();
    context.beginPath();
    context.rect(left, top, width * scale, height * scale);
    context.clip();
    if (opacity === 1) {
      context.fillStyle = this.checker(context);
      context.fillRect(left, top, width * scale, height * scale);
    }
    context.globalAlpha = opacity;
    context.drawImage(view.entry.image, left, top, width * scale, height * scale);
    context.restore();
  }

  /* The ground of transparent pictures. */
  checker(context) {
    const {checker, stage} = this.colors;
    if (this.pattern?.of !== checker + stage) {
      const tile = el('canvas', {width: 16, height: 16});
      const brush = tile.getContext('2d');
      brush.fillStyle = stage;
      brush.fillRect(0, 0, 16, 16);
      brush.fillStyle = checker;
      brush.fillRect(0, 0, 8, 8);
      brush.fillRect(8, 8, 8, 8);
      this.pattern = {of: checker + stage, tile};
    }
    return context.createPattern(this.pattern.tile, 'repeat');
  }

  drawBoth(context, place, width, height) {
    if (look.mode === 'blink') {
      this.drawPicture(context, this.shown, place);
    } else if (look.mode === 'onion') {
      this.drawPicture(context, 'expected', place);
      this.drawPicture(context, 'actual', place, look.onion);
    } else {
      const split = this.splitAt(place);
      for (const [role, from, to] of [['expected', 0, split], ['actual', split, width]]) {
        context.save();
        context.beginPath();
        context.rect(from, 0, to - from, height);
        context.clip();
        this.drawPicture(context, role, place);
        context.restore();
      }
      this.drawHandle(context, split, width, height);
    }
  }

  /* The part of the stage that shows a picture, left and right. */
  span({scale, left}) {
    const {clientWidth} = this.panes[0].stage;
    return [Math.max(0, left), Math.min(clientWidth, left + this.width * scale)];
  }

  splitAt(place) {
    const [from, to] = this.span(place);
    return Math.round(from + (to - from) * look.swipe);
  }

  drawHandle(context, at, width, height) {
    const {expected, actual, shade} = this.colors;
    context.fillStyle = shade;
    context.fillRect(at - 2, 0, 4, height);
    context.fillStyle = '#fff';
    context.fillRect(at - 1, 0, 2, height);
    context.beginPath();
    context.arc(at, height / 2, 15, 0, 7);
    context.fillStyle = '#fff';
    context.fill();
    context.lineWidth = 1;
    context.strokeStyle = shade;
    context.stroke();
    context.lineWidth = 2;
    context.strokeStyle = '#333';
    context.beginPath();
    for (const side of [-1, 1]) {
      context.moveTo(at + side * 4, height / 2 - 4);
      context.lineTo(at + side * 8, height / 2);
      context.lineTo(at + side * 4, height / 2 + 4);
    }
    context.stroke();
    context.font = '600 12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    for (const [text, side, color] of [['expected', -1, expected], ['actual', 1, actual]]) {
      const size = context.measureText(text).width + 14;
      const x = side < 0 ? at - 10 - size : at + 10;
      if (x > 2 && x + size < width - 2) {
        context.fillStyle = color;
        context.beginPath();
        context.roundRect(x, 8, size, 22, 11);
        context.fill();
        context.fillStyle = '#fff';
        context.fillText(text, x + 7, 19.5);
      }
    }
  }

  drawGrid(context, {scale, left, top}, width, height) {
    if (scale < GRID_FROM) {
      return;
    }
    const [x0, x1] = [Math.max(0, Math.ceil(-left / scale)), Math.min(this.width, Math.floor((width - left) / scale))];
    const [y0, y1] = [Math.max(0, Math.ceil(-top / scale)), Math.min(this.height, Math.floor((height - top) / scale))];
    const bottom = Math.min(height, top + this.height * scale);
    const right = Math.min(width, left + this.width * scale);
    context.beginPath();
    for (let x = x0; x <= x1; x++) {
      context.moveTo(left + x * scale, Math.max(0, top));
      context.lineTo(left + x * scale, bottom);
    }
    for (let y = y0; y <= y1; y++) {
      context.moveTo(Math.max(0, left), top + y * scale);
      context.lineTo(right, top + y * scale);
    }
    context.lineWidth = 0.5;
    context.strokeStyle = 'rgba(128, 128, 128, .45)';
    context.stroke();
  }

  /* Where it differs, and the pixel under the pointer. */
  drawMarks(context, {scale, left, top}, outlines) {
    if (this.box && outlines) {
      const [x, y, width, height] = this.box;
      const area = [left + x * scale - 3.5, top + y * scale - 3.5, width * scale + 7, height * scale + 7];
      context.lineWidth = 3;
      context.strokeStyle = this.colors.shade;
      context.strokeRect(...area);
      context.lineWidth = 1.5;
      context.strokeStyle = this.colors.mark;
      context.strokeRect(...area);
    }
    if (this.cursor && scale >= 3) {
      const {x, y} = this.cursor;
      context.lineWidth = 3;
      context.strokeStyle = '#000';
      context.strokeRect(left + x * scale - 0.5, top + y * scale - 0.5, scale + 1, scale + 1);
      context.lineWidth = 1.5;
      context.strokeStyle = '#fe8'; /* a colour, which the difference keeps in the dark */
      context.strokeRect(left + x * scale - 0.5, top + y * scale - 0.5, scale + 1, scale + 1);
    }
  }

  /* ---- pointer ---- */

  pointOf(event, pane) {
    const area = pane.stage.getBoundingClientRect();
    const {scale, left, top} = this.place();
    const [sx, sy] = [event.clientX - area.left - pane.stage.clientLeft, event.clientY - area.top - pane.stage.clientTop];
    return {sx, sy, x: (sx - left) / scale, y: (sy - top) / scale, scale};
  }

  onWheel(event, pane) {
    const shrinks = event.deltaY > 0;
    if (!this.frame || event.deltaY === 0 || (shrinks && this.zoom === null)) {
      return; /* the page scrolls */
    }
    event.preventDefault();
    const {sx, sy, x, y, scale} = this.pointOf(event, pane);
    const step = Math.max(-1, Math.min(1, event.deltaY / (event.deltaMode === 0 ? 100 : 3)));
    const from = Math.abs(wholeNear(this.turned) - scale) < NEARLY ? this.turned : scale;
    this.turned = Math.min(MOST_ZOOM, from * Math.pow(1.6, -step));
    const next = wholeNear(this.turned);
    const {clientWidth, clientHeight} = pane.stage;
    this.setZoom(next, x - (sx - clientWidth / 2) / next, y - (sy - clientHeight / 2) / next);
  }

  onDown(event, pane) {
    if (event.button !== 0 || !this.frame) {
      return;
    }
    const start = this.pointOf(event, pane);
    const from = this.center();
    const near = Math.abs(start.sx - this.splitAt(this.place())) < 20;
    const swipes = look.mode === 'swipe' && (near || this.zoom === null);
    const move = (next) => {
      const at = this.pointOf(next, pane);
      if (swipes) {
        const [left, right] = this.span(this.place());
        look.swipe = Math.max(0, Math.min(1, (at.sx - left) / Math.max(1, right - left)));
        this.mix.value = 100 * look.swipe;
        this.draw();
      } else if (this.zoom) {
        this.setZoom(from.scale, from.x - (at.sx - start.sx) / from.scale, from.y - (at.sy - start.sy) / from.scale);
      }
    };
    const up = () => {
      pane.stage.removeEventListener('pointermove', move);
      pane.stage.classList.remove('dragging');
    };
    event.preventDefault();
    pane.stage.setPointerCapture(event.pointerId);
    pane.stage.classList.add('dragging');
    pane.stage.addEventListener('pointermove', move);
    pane.stage.addEventListener('pointerup', up, {once: true});
    pane.stage.addEventListener('pointercancel', up, {once: true});
    if (swipes) {
      move(event);
    }
  }

  onMove(event, pane) {
    if (this.frame) {
      const {sx, x, y} = this.pointOf(event, pane);
      const inside = x >= 0 && y >= 0 && x < this.width && y < this.height;
      this.setCursor(inside ? {x: Math.floor(x), y: Math.floor(y)} : null);
      pane.stage.classList.toggle('grab', this.zoom !== null);
      pane.stage.classList.toggle('split', look.mode === 'swipe' &&
        (this.zoom === null || Math.abs(sx - this.splitAt(this.place())) < 20));
    }
  }

  setCursor(cursor) {
    if (cursor?.x !== this.cursor?.x || cursor?.y !== this.cursor?.y) {
      this.cursor = cursor;
      this.showValues();
      this.draw();
    }
  }

  /* ---- values of the pixel under the pointer ---- */

  async showValues() {
    const {cursor, frame} = this;
    if (!cursor) {
      this.readout.replaceChildren(el('span', {class: 'hint'},
        'Point at a pixel for its values. The wheel zooms, dragging moves, a double click shows all.'));
      return;
    }
    const sides = ['expected', 'actual'].map((role) => [role, this.views[role].picture]);
    const found = await Promise.all(sides.map(([, picture]) => picture ? readPixels(picture) : null));
    if (cursor !== this.cursor || frame !== this.frame) {
      return;
    }
    const {x, y} = cursor;
    const parts = [el('span', {class: 'at'}, `x ${x}  y ${y}`)];
    const values = found.map((data) => data && x < data.width && y < data.height ? data.at(x, y) : null);
    const channels = found.some((data) => data?.alpha) ? 4 : 3;
    sides.forEach(([role, picture], i) => {
      parts.push(el('span', {class: 'value'}, el('span', {class: `role ${role}`}, role), ' ',
        values[i] ? swatch(values[i], channels) : el('span', {class: 'none'},
          !picture ? 'no picture' : found[i] ? 'outside' : 'values are kept of frames that differ')));
    });
    if (values[0] && values[1]) {
      const deltas = values[1].slice(0, channels).map((value, i) => value - values[0][i]);
      const same = deltas.every((delta) => delta === 0);
      parts.push(el('span', {class: same ? 'value same' : 'value delta'}, same ? 'the same'
        : `Δ ${deltas.map((delta) => delta > 0 ? `+${delta}` : delta < 0 ? `−${-delta}` : '0').join('  ')}`));
    }
    this.readout.replaceChildren(...parts);
  }
}

function swatch(value, channels) {
  const block = el('span', {class: 'swatch'}, el('span', {}));
  block.firstChild.style.background = `rgba(${value[0]}, ${value[1]}, ${value[2]}, ${value[3] / 255})`;
  const text = value.slice(0, channels).map((v) => String(v).padStart(3, '\u2007')).join(' ');
  return el('span', {class: 'numbers'}, block, text);
}
