'use strict';

/* ---- page_model.js: the data of the page, and what follows from them ------------------------ */

const report = JSON.parse(document.getElementById('data').textContent);

/* The order of the list. */
const GROUPS = [
  {outcome: 'failed', title: 'Failed', mark: '✕'},
  {outcome: 'xpassed', title: 'Passed, though expected to fail', short: 'Unexpected pass', mark: '!'},
  {outcome: 'skipped', title: 'Skipped', mark: '–'},
  {outcome: 'updated', title: 'Updated', mark: '↻'},
  {outcome: 'xfailed', title: 'Failed as expected', short: 'Known failure', mark: '✕'},
  {outcome: 'passed', title: 'Passed', mark: '✓'},
  {outcome: 'left-out', title: 'Left out: nothing changed', short: 'Left out', mark: '–'},
];
const groupOf = (outcome) => GROUPS.find((group) => group.outcome === outcome);
const isBadCase = (item) => item.outcome === 'failed' || item.outcome === 'xpassed';
/* What `marrow accept` can take; a file that is no suite's is of marrow diff, which has no goldens. */
const isAcceptable = (item) => item.outcome === 'failed' && item.frames.length > 0 && !report.against &&
  item.file?.endsWith('.ini');
const isBad = (frame) => frame.why !== undefined;

/* A message without what is told of the model before. */
function detailOf({message, change}) {
  return !message || !change || !message.startsWith(change) ? message ?? ''
    : message.slice(change.length).replace(/^; /, '');
}

/* Bad cases whose model changed in the same way, by that change: one cause. */
function byChange(items) {
  const found = new Map();
  for (const item of items) {
    const key = isBadCase(item) && item.change ? item.change : item;
    found.set(key, [...(found.get(key) ?? []), item]);
  }
  return [...found.values()];
}

for (const item of report.cases) {
  item.detail = detailOf(item);
  item.id = `${item.suite}/${item.name}`;
  item.haystack = [item.id, item.message, item.model, item.reason, ...item.tags]
    .join('\n').toLowerCase();
}

/* ---- numbers ----------------------------------------------------------------------------------- */

/* Three digits that tell something, never an exponent: 0 12 3.14 0.00042. */
function formatNumber(value) {
  if (value === null || value === undefined || !isFinite(value)) {
    return '–';
  }
  if (value === 0 || Number.isInteger(value)) {
    return value.toLocaleString('en').replaceAll(',', '\u202f');
  }
  const size = Math.floor(Math.log10(Math.abs(value)));
  return size < -6 ? '< 0.000001' : value.toFixed(Math.max(0, Math.min(8, 2 - size)));
}
const formatPercent = (ratio) => `${formatNumber(ratio * 100)} %`;
const formatDegrees = (degrees) => `${formatNumber(degrees)}°`;
const formatSeconds = (seconds) => `${seconds < 9.95 ? formatNumber(seconds) : Math.round(seconds)} s`;

/* Metres are read in the unit that needs no zeros. */
function formatMetres(metres) {
  const size = Math.abs(metres);
  return size === 0 ? '0' : size < 0.01 ? `${formatNumber(metres * 1000)} mm`
    : size < 1 ? `${formatNumber(metres * 100)} cm` : `${formatNumber(metres)} m`;
}

const plural = (count, one, more = `${one}s`) => `${formatNumber(count)} ${count === 1 ? one : more}`;

/* ---- what differs ------------------------------------------------------------------------------ */

/* In a few words, what a sentence would say at its end: "framing · 3.6 % of pixels · LeftFoot 3.1°". */
function whatDiffers(item) {
  const bad = item.frames.filter(isBad);
  const words = {missing: 'no golden', damaged: 'golden unreadable', driver: 'another driver', empty: 'empty picture',
    suite: 'not compared'};
  const most = (read) => Math.max(0, ...bad.map((frame) => read(frame) ?? 0));
  const ratio = most((frame) => frame.m?.sameSize ? frame.m.ratio : 0);
  const pose = bad.map((frame) => frame.pose).filter((p) => p?.joint)
    .reduce((a, b) => a && a.degrees >= b.degrees ? a : b, undefined);
  const bounds = most((frame) => frame.bounds);
  const parts = [
    item.suiteChange && item.outcome === 'failed' ? item.suiteChange : null,
    item.framing ? 'framing' : null,
    ...Object.keys(words).filter((why) => bad.some((frame) => frame.why.includes(why))).map((why) => words[why]),
    bad.some((frame) => frame.m && !frame.m.sameSize) ? 'another size' : null,
    bad.some((frame) => frame.why.includes('pixels')) && ratio > 0 ? `${formatPercent(ratio)} of pixels` : null,
    pose ? `${pose.joint} ${formatDegrees(pose.degrees)}` : null,
    bounds > 0 ? `bounds ${formatMetres(bounds)}` : null,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(' · ') : item.detail || item.message || item.reason || '';
}

/* ---- errors by frame --------------------------------------------------------------------------- */

const comparable = (frame) => frame.m !== undefined && frame.m.sameSize;
const pixelFigure = (read, needsAll) => (frame) => !comparable(frame) ? null
  : frame.m.identical ? 0 : needsAll && !frame.m.all ? null : read(frame.m);
const poseFigure = (read) => (frame) => frame.pose === undefined ? null
  : frame.pose.joint === undefined ? 0 : read(frame.pose);

/* What a curve can show. */
const ERRORS = [
  {key: 'ratio', title: 'Pixels', long: 'share of the subject’s pixels that differ',
    read: pixelFigure((m) => m.ratio), format: formatPercent},
  {key: 'flip', title: 'FLIP', long: 'mean FLIP error, what an eye would see',
    read: pixelFigure((m) => m.flip, true), format: formatNumber},
  {key: 'degrees', title: 'Joint turn', long: 'degrees the worst joint is turned',
    read: poseFigure((pose) => pose.degrees), format: formatDegrees},
  {key: 'distance', title: 'Joint move', long: 'distance the worst joint is moved',
    read: poseFigure((pose) => pose.distance), format: formatMetres},
  {key: 'bounds', title: 'Bounds', long: 'largest difference of the bounding box',
    read: (frame) => frame.bounds ?? 0, format: formatMetres},
];

/* Those that are not 0 all along; of a case in which nothing is, none. */
function errorsOf(item) {
  item.errors ??= ERRORS.filter((error) => item.frames.some((frame) => error.read(frame) > 0));
  return item.errors;
}

/* The index of the frame with the largest error, of bad ones if there are any. */
function worstFrame(item, error) {
  let worst = 0;
  let most = -1;
  item.frames.forEach((frame, i) => {
    const size = (isBad(frame) ? 1e9 : 0) + (error ? error.read(frame) ?? 0 : 0);
    if (size > most) {
      [worst, most] = [i, size];
    }
  });
  return worst;
}

/* ---- clips ------------------------------------------------------------------------------------- */

/* Frames that are played as one: {name, first, last, step: seconds to the next}. */
function clipsOf(item) {
  if (item.clips) {
    return item.clips;
  }
  const clips = [];
  item.frames.forEach((frame, i) => {
    const clip = clips.at(-1);
    if (clip && clip.name === (frame.clip ?? '')) {
      clip.last = i;
    } else {
      clips.push({name: frame.clip ?? '', first: i, last: i});
    }
  });
  for (const clip of clips) {
    const steps = [];
    for (let i = clip.first; i < clip.last; i++) {
      steps.push((item.frames[i + 1].time ?? 0) - (item.frames[i].time ?? 0));
    }
    const step = steps.sort((a, b) => a - b)[steps.length >> 1];
    clip.step = step > 1e-4 ? step : 1 / 30;
  }
  item.clips = clips;
  return clips;
}
const clipAt = (item, index) => clipsOf(item).find((clip) => index <= clip.last);

/* Frames that are bad one after the other: [[first, last], ...]. */
function badRanges(item) {
  if (!item.ranges) {
    item.ranges = [];
    item.frames.forEach((frame, i) => {
      const range = item.ranges.at(-1);
      const starts = clipAt(item, i).first === i;
      if (isBad(frame) && range && range[1] === i - 1 && !starts) {
        range[1] = i;
      } else if (isBad(frame)) {
        item.ranges.push([i, i]);
      }
    });
  }
  return item.ranges;
}
const firstBad = (item) => Math.max(0, item.frames.findIndex(isBad));

function rangeText(item, [first, last]) {
  const from = item.frames[first].frame;
  return first === last ? `${from}` : `${from}–${item.frames[last].frame}`;
}

/* ---- pictures ---------------------------------------------------------------------------------- */

const pictureOf = (entry) => Array.isArray(entry)
  ? {name: entry[0], width: entry[1], height: entry[2], values: entry[3] === 1 || report.inlined}
  : null;

const isDifference = (frame, picture) => Array.isArray(frame.d) && frame.d[0] === picture.name;

/* What a pane shows of a frame: {picture} or {note, calm}. */
function shownOf(frame, role) {
  const entry = role === 'expected' ? frame.e : role === 'diff' ? frame.d : frame.a ?? sameAsExpected(frame);
  const picture = pictureOf(entry);
  if (picture) {
    return {picture, note: role === 'actual' && frame.a === undefined ? 'same as expected' : ''};
  }
  if (entry === 'left') {
    return {note: `Left out: the pictures of this page are limited to ${report.inlineLimit} MiB.`};
  }
  if (entry === 'missing') {
    return {note: 'The file of this picture was not among the results.'};
  }
  if (entry === 'damaged' || (role === 'expected' && frame.why?.includes('damaged'))) {
    return {note: 'This file can’t be read as a picture.'};
  }
  if (role === 'expected') {
    return {note: 'There is no golden to compare with. Accepting makes the actual picture one.'};
  }
  if (role === 'diff') {
    const same = frame.m ? frame.m.identical : !isBad(frame);
    return same ? {note: 'No pixel differs.', calm: true}
      : frame.m && !frame.m.sameSize ? {note: 'The pictures have different sizes.'}
        : {note: frame.m ? 'No picture of the difference.' : 'Nothing to compare.', calm: !isBad(frame)};
  }
  return {note: 'There is no picture: nothing was drawn.'};
}

/* Results name no actual picture where it is the expected one. */
const sameAsExpected = (frame) => !isBad(frame) || (frame.m && frame.m.identical) ||
  frame.why.every((why) => why === 'pose' || why === 'bounds') ? frame.e : undefined;

/* Decoded pictures of late, so that playing does not wait; the browser may drop what we forget. */
const loaded = new Map();
const MOST_LOADED = 360;

/* {image, ready, failed, done: a promise that never fails}. */
function load(picture) {
  let entry = loaded.get(picture.name);
  if (entry) {
    loaded.delete(picture.name);
  } else {
    const image = new Image();
    entry = {image, ready: false, failed: false};
    entry.done = sourceOf(picture).then((source) => { image.src = source; return image.decode(); }).then(() => { entry.ready = true; }, () => { entry.failed = true; });
  }
  loaded.set(picture.name, entry);
  if (loaded.size > MOST_LOADED) {
    loaded.delete(loaded.keys().next().value);
  }
  return entry;
}

/* ---- where pictures are ------------------------------------------------------------------------ */

/* A page that was opened as a file may show the pictures beside it, but not read their pixels. Those
 * whose pixel values it shows are scripts, which it may load. */
const arriving = new Map(); /* name -> {resolve, promise} of a script on its way */

window.marrowPicture = (name, base64) => {
  arriving.get(name)?.resolve(base64);
};

function readBase64({name}) {
  if (report.inlined) {
    return Promise.resolve(name);
  }
  if (!arriving.has(name)) {
    const script = document.createElement('script');
    const promise = new Promise((resolve, reject) => {
      arriving.set(name, {resolve});
      script.onerror = () => reject(new Error('not there'));
      script.onload = script.onerror; /* too late if it has handed over its picture */
    }).finally(() => { arriving.delete(name); script.remove(); });
    arriving.get(name).promise = promise;
    script.src = `pictures/${name}`;
    document.head.append(script);
  }
  return arriving.get(name).promise;
}

/* A promise of what an <img> can show. */
const sourceOf = async (picture) => picture.values ? `data:image/png;base64,${await readBase64(picture)}`
  : `pictures/${picture.name}`;

/* A small picture, loaded when it comes into sight. */
const inSight = new IntersectionObserver((entries) => {
  for (const {target} of entries.filter((entry) => entry.isIntersecting)) {
    inSight.unobserve(target);
    sourceOf(target.picture).then((source) => { target.src = source; }, () => {});
  }
}, {rootMargin: '300px'});

function makeThumb(picture, attributes = {}) {
  const image = Object.assign(el('img', {alt: '', ...attributes}), {picture});
  inSight.observe(image);
  return image;
}

/* ---- pixel values ------------------------------------------------------------------------------ */

/* They are decoded here, since a canvas gives back other values where a pixel is translucent or the
 * picture has a colour profile. */

const pixels = new Map(); /* name -> a promise of {width, height, at(x, y)}, or of null */
const MOST_PIXELS = 12;

function readPixels(picture) {
  let promise = pixels.get(picture.name);
  if (!promise) {
    promise = findPixels(picture).catch(() => null);
    pixels.set(picture.name, promise);
    if (pixels.size > MOST_PIXELS) {
      pixels.delete(pixels.keys().next().value);
    }
  }
  return promise;
}

async function findPixels(picture) {
  if (!picture.values) { /* works where the page comes from a site */
    return readCanvas(await sourceOf(picture));
  }
  const base64 = await readBase64(picture);
  const file = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return await decodePng(file) ?? readCanvas(`data:image/png;base64,${base64}`);
}

async function readCanvas(source) {
  const image = new Image();
  image.src = source;
  await image.decode();
  const {naturalWidth: width, naturalHeight: height} = image;
  const context = el('canvas', {width, height}).getContext('2d');
  context.drawImage(image, 0, 0);
  const {data} = context.getImageData(0, 0, width, height);
  const at = (x, y) => [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 4)];
  return {width, height, alpha: true, at};
}

/* PNG of 8 bits a channel, not interlaced, of which ours are: PNG third edition, 9 and 11.2. */
async function decodePng(file) {
  const view = new DataView(file.buffer);
  const width = view.getUint32(16);
  const height = view.getUint32(20);
  const [depth, type, , , interlaced] = file.subarray(24, 29);
  const channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[type];
  if (depth !== 8 || interlaced !== 0 || !channels) {
    return null;
  }
  const data = [];
  let palette = null;
  let alphas = [];
  for (let at = 8; at + 12 <= file.length;) {
    const length = view.getUint32(at);
    const name = String.fromCharCode(...file.subarray(at + 4, at + 8));
    const body = file.subarray(at + 8, at + 8 + length);
    if (name === 'IDAT') {
      data.push(body);
    } else if (name === 'PLTE') {
      palette = body;
    } else if (name === 'tRNS' && type === 3) {
      alphas = body;
    }
    at += length + 12;
  }
  const stream = new Blob(data).stream().pipeThrough(new DecompressionStream('deflate'));
  const raw = new Uint8Array(await new Response(stream).arrayBuffer());
  unfilter(raw, width * channels, height, channels);
  const at = (x, y) => {
    const p = y * (width * channels + 1) + 1 + x * channels;
    switch (type) {
    case 0: return [raw[p], raw[p], raw[p], 255];
    case 2: return [raw[p], raw[p + 1], raw[p + 2], 255];
    case 3: return [...palette.subarray(3 * raw[p], 3 * raw[p] + 3), alphas[raw[p]] ?? 255];
    case 4: return [raw[p], raw[p], raw[p], raw[p + 1]];
    default: return [raw[p], raw[p + 1], raw[p + 2], raw[p + 3]];
    }
  };
  return {width, height, alpha: type === 4 || type === 6 || alphas.length > 0, at};
}

/* In place; each row begins with the byte of its filter. */
function unfilter(raw, row, height, step) {
  for (let y = 0; y < height; y++) {
    const start = y * (row + 1) + 1;
    const filter = raw[start - 1];
    for (let i = 0; i < row; i++) {
      const a = i >= step ? raw[start + i - step] : 0;
      const b = y > 0 ? raw[start + i - row - 1] : 0;
      const c = y > 0 && i >= step ? raw[start + i - step - row - 1] : 0;
      const guess = filter === 1 ? a : filter === 2 ? b : filter === 3 ? (a + b) >> 1
        : filter === 4 ? paeth(a, b, c) : 0;
      raw[start + i] = (raw[start + i] + guess) & 255;
    }
  }
}

function paeth(a, b, c) {
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/* ---- elements ---------------------------------------------------------------------------------- */

/* el('button', {class: 'x', onclick: f}, 'text', child): text is text, never markup. */
function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}
function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else if (value === true) {
      element.setAttribute(name, '');
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const calmMotion = matchMedia('(prefers-reduced-motion: reduce)');
