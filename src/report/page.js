
/* ---- page.js: the page ----------------------------------------------------------------------- */

const KEYS = [
  ['j  k', 'next, previous failure'],
  ['←  →', 'frame before, after'],
  ['[  ]', 'bad frame before, after'],
  ['f  w', 'first bad frame, worst frame'],
  ['space', 'play, pause'],
  ['1 2 3 4', 'side by side, swipe, onion skin, blink'],
  ['x', 'hold to hide the outline, or while blinking to see the other picture'],
  ['z  0  +  −', 'zoom to the difference, whole picture, larger, smaller'],
  ['b', 'outline of the difference'],
  ['t', 'tick the case, for marrow accept'],
  ['/', 'filter'],
  ['o', 'overview'],
  ['?', 'this help'],
];

/* Cases that are ticked, and the command that accepts them. */
class Ticks {
  constructor() {
    this.items = new Set();
    this.code = el('code');
    this.count = el('span', {class: 'what', role: 'status'});
    this.copy = el('button', {type: 'button', class: 'copy', 'aria-label': 'Copy the command that accepts what is ticked',
      onclick: () => copyText(this.code.textContent, this.copy)}, 'Copy');
    this.root = el('footer', {class: 'accept', 'aria-label': 'Accept', hidden: true}, this.count, this.code, this.copy,
      el('button', {type: 'button', class: 'copy', onclick: () => this.set([...this.items], false)}, 'Clear'));
  }

  boxOf(item) {
    const box = el('input', {type: 'checkbox', class: 'tick', 'aria-label': `Tick ${item.id}`, title: 'Tick the case to accept it (t)',
      onchange: () => this.set([item], box.checked)});
    box.checked = this.items.has(item);
    box.item = item;
    return box;
  }

  boxOfAll() {
    const box = el('input', {type: 'checkbox', class: 'tick all', 'aria-label': 'Tick all failed cases of the list',
      title: 'Tick all failed cases of the list to accept them', onchange: () => this.set(list.items.filter(isAcceptable), box.checked)});
    this.showAll(box);
    return box;
  }

  showAll(box) {
    const items = list?.items.filter(isAcceptable) ?? [];
    const ticked = items.filter((item) => this.items.has(item)).length;
    box.hidden = items.length === 0;
    box.checked = items.length > 0 && ticked === items.length;
    box.indeterminate = ticked > 0 && ticked < items.length;
  }

  set(items, on) {
    for (const item of items) {
      if (on) {
        this.items.add(item);
      } else {
        this.items.delete(item);
      }
    }
    for (const box of document.querySelectorAll('input.tick')) {
      if (box.item) {
        box.checked = this.items.has(box.item);
      } else {
        this.showAll(box);
      }
    }
    const ticked = report.cases.filter((item) => this.items.has(item));
    this.root.hidden = ticked.length === 0;
    this.count.textContent = `${plural(ticked.length, 'case')} ticked`;
    this.code.textContent = acceptLine(ticked);
  }

  toggle(item) {
    if (item && isAcceptable(item)) {
      this.set([item], !this.items.has(item));
    }
  }
}

let list = null; /* is made with boxes */
const ticks = new Ticks();
const viewer = new Viewer();
list = new CaseList();
const main = el('main', {id: 'main', tabindex: -1, onclick: () => showList(false)});
const SHOT = {width: 200, height: 150}; /* the place of a card's picture */
const said = el('div', {class: 'unseen', role: 'status'});
let current = null; /* {item, index, timeline} */

/* ---- small parts ------------------------------------------------------------------------------- */

/* In a shell that is one word; and no pattern, where the command takes patterns. */
const quoted = (text) => `'${text.replace(/[\\*?[\]]/g, '\\$&').replaceAll("'", "'\\''")}'`;

const acceptLine = (items) => `marrow accept ${items.map((item) => quoted(item.id)).join(' ')}`;

async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = el('textarea', {class: 'unseen', readonly: true});
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
  button.textContent = 'Copied';
  said.textContent = 'Copied';
  setTimeout(() => { button.textContent = 'Copy'; said.textContent = ''; }, 1500);
}

function copyable(title, text, hint) {
  const button = el('button', {type: 'button', class: 'copy', 'aria-label': `Copy: ${text}`,
    onclick: () => copyText(text, button)}, 'Copy');
  return el('div', {class: 'copyable', title: hint ?? null}, title ? el('span', {class: 'what'}, title) : null, el('code', {}, text), button);
}

const badge = (outcome) => el('span', {class: `badge ${outcome}`},
  el('span', {'aria-hidden': 'true'}, groupOf(outcome).mark), ` ${groupOf(outcome).title}`);

const table = (rows) => el('table', {}, el('tbody', {}, rows.filter(Boolean).map(([name, value, title]) =>
  el('tr', {title: title ?? null}, el('th', {scope: 'row'}, name), el('td', {}, value)))));

/* ---- header ------------------------------------------------------------------------------------ */

function makeHeader() {
  const facts = [report.title, plural(report.frames, 'frame'), formatSeconds(report.seconds),
    `pixel version ${report.pixelVersion}`, report.shards > 1 ? `shard ${report.shard} of ${report.shards}` : null];
  const total = GROUPS.reduce((sum, group) => sum + report.counts[group.outcome], 0);
  const bar = el('div', {class: 'bar', 'aria-hidden': 'true'}, GROUPS.map((group) => {
    const share = report.counts[group.outcome];
    const part = el('span', {class: group.outcome, title: `${group.title}: ${share}`});
    part.style.flexGrow = share;
    return share > 0 ? part : null;
  }));
  const help = makeHelp();
  const menu = el('button', {type: 'button', class: 'menu', 'aria-expanded': 'false', onclick: () => showList()}, '☰ Cases');
  const root = el('header', {class: `top ${report.state}`}, menu,
    el('a', {href: '#', class: 'verdict', title: 'Overview (o)'},
      el('span', {class: 'seal', 'aria-hidden': 'true'}, {bad: '✕', good: '✓', skipped: '–'}[report.state]),
      el('span', {}, el('h1', {}, report.verdict),
        el('span', {class: 'facts'}, facts.filter(Boolean).join(' · ')))),
    el('span', {class: 'grow'}),
    el('button', {type: 'button', class: 'icon', 'aria-label': 'Keys', title: 'Keys (?)',
      onclick: () => help.showModal()}, '?'), help, total > 0 ? bar : null);
  root.help = help;
  root.menu = menu;
  return root;
}

function makeHelp() {
  const dialog = el('dialog', {'aria-label': 'Keys'}, el('h2', {}, 'Keys'),
    el('dl', {}, KEYS.flatMap(([keys, text]) => [
      el('dt', {}, keys.split(/\s+/).map((key) => el('kbd', {}, key))), el('dd', {}, text)])),
    el('form', {method: 'dialog'}, el('button', {}, 'Close')));
  dialog.addEventListener('click', (event) => { if (event.target === dialog) { dialog.close(); } });
  return dialog;
}

/* On narrow screens the list lies over the page. */
function showList(on = !document.body.classList.contains('listed')) {
  document.body.classList.toggle('listed', on);
  header.menu.setAttribute('aria-expanded', String(on));
}

/* ---- overview ---------------------------------------------------------------------------------- */

function showOverview(message) {
  leave();
  list.setCurrent(null);
  const bad = report.cases.filter(isBadCase);
  main.replaceChildren(el('article', {class: bad.length > 0 ? 'overview' : 'overview calm-run'},
    message ? el('p', {class: 'notice'}, message) : null,
    ...(bad.length > 0 ? makeFailures(bad) : [makeCalm()]),
    makeSkipped(), makeUnused()));
  main.scrollTop = 0;
  document.title = [report.verdict, report.title].filter(Boolean).join(' · ');
}

function makeCalm() {
  const slowest = report.cases.filter((item) => item.seconds > 0).sort((a, b) => b.seconds - a.seconds).slice(0, 5);
  const words = {
    good: report.cases.length === 0 ? 'This shard has no cases.' : `${plural(report.frames, 'frame')} drawn and compared in ${formatSeconds(report.seconds)}. Nothing needs your attention.`,
    skipped: 'Nothing was compared.',
    bad: 'A run without cases fails: nothing was tested.',
  };
  return el('div', {class: `calm-page ${report.state}`},
    el('div', {class: 'big-seal', 'aria-hidden': 'true'}, {bad: '✕', good: '✓', skipped: '–'}[report.state]),
    el('h2', {}, report.verdict), el('p', {}, words[report.state]),
    slowest.length > 1 && report.cases.length > 5 ? el('details', {}, el('summary', {}, 'Slowest cases'),
      table(slowest.map((item) => [el('a', {href: linkOf(item)}, item.id), formatSeconds(item.seconds)]))) : null);
}

/* What failures have in common comes first: it is often one cause. */
function makeFailures(bad) {
  const causes = [
    [bad.filter((item) => otherVersion(item)).length, 'goldens of another pixel version'],
    [bad.filter((item) => otherScene(item) && !item.change).length, 'another scene: the model or its import changed'],
    [bad.filter((item) => item.suiteChange).length, 'the suite changed'],
    [bad.filter((item) => item.framing).length, 'framing would change'],
    ...[['missing', 'golden missing'], ['damaged', 'golden unreadable'],
      ['driver', 'golden of another driver'], ['pixels', 'pixels differ'], ['pose', 'joints differ'], ['bounds', 'bounds differ'], ['empty', 'empty picture']]
      .map(([why, text]) => [bad.filter((item) => item.frames.some((frame) => frame.why?.includes(why))).length, text]),
    [bad.filter((item) => item.frames.length === 0).length, 'nothing drawn'],
    [bad.filter((item) => item.outcome === 'xpassed').length, 'passed unexpectedly'],
  ].filter(([count]) => count > 0);
  const more = bad.length > 200 ? el('p', {class: 'muted'}, `The first 200 of ${bad.length}; the list shows all.`) : null;
  return [
    el('h2', {}, plural(bad.length, 'failure')),
    el('ul', {class: 'causes'}, causes.map(([count, text]) => el('li', {}, el('b', {}, formatNumber(count)), ` × ${text}`))),
    report.framesLeft ? el('p', {class: 'notice'}, leftText()) : null,
    ...makeCauses(bad.slice(0, 200)), more];
}

/* A model that changed, the pictures of its cases below it; then those of other cases. */
function makeCauses(bad) {
  const found = byChange(bad);
  const changed = found.filter(([first]) => first.change), others = found.filter(([first]) => !first.change).flat();
  const cards = (items) => el('div', {class: 'cards'}, items.map(makeCard));
  return [
    ...changed.flatMap((items) => [el('h3', {class: 'change'}, items[0].change,
      el('span', {class: 'muted'}, ` ${plural(items.length, 'case')}`)), cards(items)]),
    changed.length > 0 && others.length > 0 ? el('h3', {class: 'change'}, 'Other failures') : null,
    others.length > 0 ? cards(others) : null];
}

const leftText = () => `The pictures of ${plural(report.framesLeft, 'frame')} were left out to keep this page below ` +
  `${report.inlineLimit} MiB: the first bad frames of each case are here, all of them in the report of marrow test --report.`;

function makeCard(item) {
  const frame = item.frames.find(isBad);
  const picture = frame && (pictureOf(frame.d) ?? pictureOf(frame.a) ?? pictureOf(frame.e));
  return el('a', {class: 'card', href: linkOf(item)},
    el('span', {class: 'shot'}, picture ? makeShot(frame, picture)
      : el('span', {class: 'none'}, 'no picture')),
    el('span', {class: 'name'}, item.name), el('span', {class: 'suite'}, item.suite, ' ', miniature(item)),
    el('span', {class: 'text', title: item.message ?? ''}, whatDiffers(item) || groupOf(item.outcome).title));
}

/* The picture of a card. One that is smaller than its place grows by whole pixels. */
function makeShot(frame, picture) {
  const image = makeThumb(picture, {width: picture.width, height: picture.height,
    class: isDifference(frame, picture) ? 'diff' : null});
  const scale = wholeBelow(Math.min(SHOT.width / picture.width, SHOT.height / picture.height));
  if (scale * (devicePixelRatio || 1) >= 1) {
    image.classList.add('small');
    image.style.width = `${picture.width * scale}px`;
  }
  return image;
}

function makeSkipped() {
  const skipped = report.cases.filter((item) => item.outcome === 'skipped' && item.reason);
  return skipped.length === 0 || skipped.length > 50 ? null : el('details', {},
    el('summary', {}, `Why ${plural(skipped.length, 'case')} ${skipped.length === 1 ? 'was' : 'were'} skipped`),
    table(skipped.map((item) => [el('a', {href: linkOf(item)}, item.id), item.reason])));
}

function makeUnused() {
  return report.unused.length === 0 ? null : el('details', {},
    el('summary', {}, `${plural(report.unused.length, 'golden')} that no case uses`),
    el('p', {}, 'Files of cases or frames that no longer exist.'), copyable('Remove them', 'marrow test --prune'),
    el('ul', {class: 'files'}, report.unused.slice(0, 1000).map((path) => el('li', {}, el('code', {}, path)))));
}

/* ---- a case ------------------------------------------------------------------------------------ */

const otherVersion = (item) => item.goldenPixelVersion !== 0 && item.goldenPixelVersion !== item.pixelVersion;
const otherScene = (item) => item.goldenSceneHash && item.sceneHash && item.goldenSceneHash !== item.sceneHash;

function leave() {
  current?.timeline?.stop();
  viewer.setBlinking(false);
  viewer.fit();
  current = null;
}

function showCase(item, frameName) {
  leave();
  const named = item.frames.findIndex((frame) => frame.name === frameName);
  const index = named >= 0 ? named : firstBad(item);
  const shows = item.frames.some((frame) => frame.e !== undefined || frame.a !== undefined);
  current = {item, index, shows};
  if (item.frames.length > 1) {
    current.timeline = new Timeline(item, shows ? viewer : null, showFrame);
  }
  current.figures = el('div', {class: 'figures'});
  viewer.setMode(look.mode);
  viewer.frame = null;
  main.replaceChildren(el('article', {class: 'case'}, makeCaseHead(item),
    leavesOut(item) ? el('p', {class: 'notice'}, leftText()) : null,
    shows ? viewer.root : null, current.timeline?.root ?? null,
    el('div', {class: 'details'}, current.figures, makeFacts(item))));
  main.scrollTop = 0;
  list.setCurrent(item);
  document.title = `${item.id} · ${report.verdict}`;
  if (item.frames.length > 0) {
    showFrame(index);
  }
}

function makeCaseHead(item) {
  const suite = item.file?.endsWith('.ini'); /* else it is of marrow diff, and nothing can be accepted */
  const at = suite ? `${item.file}:${item.line}` : '';
  return el('header', {class: 'case-head'},
    el('div', {class: 'line'}, badge(item.outcome), el('h2', {}, item.name), el('span', {class: 'suite'}, item.suite),
      item.tags.map((tag) => el('span', {class: 'tag'}, tag)), makeWarnings(item), el('span', {class: 'grow'}),
      makeStepper(item)),
    ...makeMessage(item),
    item.reason ? el('p', {class: 'reason'}, el('b', {}, item.outcome === 'skipped' ? 'Skipped: ' : 'Expected to fail: '),
      item.reason) : null,
    el('div', {class: 'commands'},
      isAcceptable(item) ? el('label', {class: 'tick-label'}, ticks.boxOf(item), 'Tick') : null,
      isAcceptable(item) ? copyable('', acceptLine([item]), 'Accepts the pictures of this run as the goldens of the case') : null,
      at ? copyable('', at, 'File and line of the case') : null, el('span', {class: 'grow'}), makeStory(item)));
}

/* Causes first, a line each. */
function makeMessage(item) {
  const causes = [item.change, item.suiteChange && `the suite changed: ${item.suiteChange}`,
    item.framing && `framing would change: ${item.framing}`].filter(Boolean);
  let rest = item.message ?? '';
  for (const cause of causes) {
    rest = rest.startsWith(cause) ? rest.slice(cause.length).replace(/^; /, '') : rest;
  }
  return [
    causes.length > 0 ? el('ul', {class: `because ${item.outcome}`}, causes.map((cause) => el('li', {}, cause))) : null,
    rest ? el('p', {class: `message ${item.outcome}`}, rest) : null];
}

function makeStepper(item) {
  const bad = list.sequence.filter(isBadCase);
  const at = bad.indexOf(item);
  const go = (step, title, text) => el('button', {type: 'button', class: 'icon', title, 'aria-label': title,
    disabled: !list.neighbour(step, item), onclick: () => stepCase(step)}, text);
  return at < 0 ? null : el('div', {class: 'group stepper'}, go(-1, 'Previous failure (k)', '‹'),
    el('span', {}, `failure ${at + 1} of ${bad.length}`), go(1, 'Next failure (j)', '›'));
}

const leavesOut = (item) => item.frames.some((frame) => frame.e === 'left' || frame.a === 'left');

/* Reasons that come before any picture. */
function makeWarnings(item) {
  return [
    otherVersion(item) ? el('span', {class: 'badge warn', title: `The goldens were made with pixel version ` +
      `${item.goldenPixelVersion}, this marrow draws with ${item.pixelVersion}: pixels changed on purpose, and the change log says why.`},
    `pixel version ${item.goldenPixelVersion} → ${item.pixelVersion}`) : null,
    otherScene(item) && !item.change ? el('span', {class: 'badge warn', title: 'The model, or its import, changed since the goldens were made.'},
      'another scene') : null,
  ];
}

/* Which frames failed. */
function makeStory(item) {
  const ranges = badRanges(item);
  if (ranges.length === 0 || item.frames.length < 2) {
    return null;
  }
  const shown = ranges.slice(0, 8).map((range) => el('button', {type: 'button', class: 'range', title: 'Go there',
    onclick: () => goTo(range[0])}, rangeText(item, range)));
  return el('span', {class: 'story'}, `${formatNumber(item.bad)} of ${plural(item.total, 'frame')} failed: `, shown,
    ranges.length > 8 ? ` and ${ranges.length - 8} more` : '');
}

function makeFacts(item) {
  return el('div', {class: 'facts-table'}, el('h3', {}, 'Case'), table([
    ['Model', item.model ?? '–'],
    report.against ? ['Compared with', report.against] : ['Goldens', item.golden ?? '–'],
    item.driver ? ['Drawn by', item.driver] : null,
    ['Compared', item.mode ?? '–'],
    ['Frames', `${formatNumber(item.total)}${item.bad ? `, ${formatNumber(item.bad)} bad` : ''}`],
    ['Time', formatSeconds(item.seconds)],
    item.runs > 1 ? ['Runs', formatNumber(item.runs)] : null,
    ['Pixel version', item.goldenPixelVersion === 0 || !otherVersion(item) ? String(item.pixelVersion)
      : `${item.goldenPixelVersion} expected, ${item.pixelVersion} got`],
    item.sceneHash ? ['Scene', el('code', {title: item.sceneHash}, otherScene(item)
      ? `${item.goldenSceneHash.slice(0, 16)}… expected, ${item.sceneHash.slice(0, 16)}… got` : `${item.sceneHash.slice(0, 16)}…`)] : null,
  ]));
}

/* ---- a frame ----------------------------------------------------------------------------------- */

function showFrame(index) {
  const {item, timeline, shows} = current;
  const frame = item.frames[index];
  current.index = index;
  timeline?.setFrame(index);
  if (shows) {
    viewer.show(frame);
  }
  if (!timeline?.playing) {
    current.figures.replaceChildren(el('h3', {}, `Frame ${frame.frame}`,
      el('span', {class: 'muted'}, `${frame.clip ? ` ${frame.clip} ·` : ''} ${(frame.time ?? 0).toFixed(3)} s`)),
    makeFigures(frame));
    keepLink(item, frame);
  }
}

function makeFigures(frame) {
  const rows = [['Result', isBad(frame) ? el('b', {class: 'bad'}, `failed: ${frame.why.join(', ')}`) : 'passed']];
  if (frame.message) {
    rows.push(['Message', frame.message]);
  }
  if (frame.empty) {
    rows.push(['Picture', `empty: ${frame.empty}`]);
  }
  if (!frame.m) {
    rows.push(['Pixels', 'not compared']);
  } else if (!frame.m.sameSize) {
    rows.push(['Pixels', 'not compared: the sizes differ']);
  } else {
    rows.push(...pixelRows(frame.m));
  }
  rows.push(...poseRows(frame.pose));
  if (frame.bounds) {
    rows.push(['Bounds', `off by ${formatMetres(frame.bounds)}`]);
  }
  return table(rows);
}

function pixelRows(m) {
  const subject = ['Subject', `${m.subject}, ${plural(m.subjectPixels, 'pixel')}`, 'The pixels that ratios and means are computed over'];
  const masked = m.masked ? ['Masked', plural(m.masked, 'pixel'), 'Ignored by all measures'] : null;
  if (m.identical) {
    return [['Pixels', 'identical'], subject, masked];
  }
  const all = (text) => m.all ? text : 'not computed';
  const [x, y, width, height] = m.box;
  return [
    ['Pixels that differ', `${formatNumber(m.differing)} · ${formatPercent(m.ratio)} of the subject`],
    m.antialiased ? ['On ignored edges', formatNumber(m.antialiased), 'Anti-aliased edges that were left out'] : null,
    subject, masked,
    ['Largest difference', el('span', {class: 'channels'}, ['R', 'G', 'B', 'A'].map((name, i) =>
      el('span', {}, `${name} `, el('b', {}, String(m.largest[i])))))],
    ['Within', width ? `${width}×${height} at ${x}, ${y}` : '–', 'The box around all pixels that differ at all'],
    ['Mean difference', all(formatNumber(m.mean)), 'Mean over the channels of all pixels of the subject, 0 to 255'],
    ['PSNR', all(m.psnr >= 999 ? '–' : `${formatNumber(m.psnr)} dB`)],
    ['FLIP', all(`${formatNumber(m.flip)} mean · ${formatNumber(m.flipLargest)} largest`), 'Visible difference, 0 to 1'],
  ];
}

function poseRows(pose) {
  if (!pose) {
    return [];
  }
  if (pose.joint === undefined) {
    return [['Joints', `all ${formatNumber(pose.joints)} as expected`]];
  }
  return [
    ['Worst joint', el('b', {}, pose.joint)],
    ['Difference', [pose.degrees > 0 ? `turned ${formatDegrees(pose.degrees)}` : null,
      pose.distance > 0 ? `moved ${formatMetres(pose.distance)}` : null,
      Math.abs(pose.scale - 1) > 5e-4 ? `scaled ${formatNumber(pose.scale)}` : null].filter(Boolean).join(', ') || '–'],
    ['Joints off', `${formatNumber(pose.differing)} of ${formatNumber(pose.joints)}`, 'Beyond the limits'],
  ];
}

/* ---- links ------------------------------------------------------------------------------------- */

let linkTimer = 0;

/* The address follows what is shown, without a step of history for each frame. */
function keepLink(item, frame) {
  clearTimeout(linkTimer);
  linkTimer = setTimeout(() => {
    if (current?.item === item) {
      history.replaceState(null, '', linkOf(item, item.frames.length > 1 ? frame : undefined));
    }
  }, 250);
}

function followLink() {
  let parts = [];
  try {
    parts = location.hash.slice(1).split('/').map(decodeURIComponent);
  } catch { /* a link that was cut */ }
  const item = report.cases.find((candidate) => candidate.suite === parts[0] && candidate.name === parts[1]);
  clearTimeout(linkTimer);
  showList(false);
  if (item) {
    showCase(item, parts[2]);
  } else {
    showOverview(parts.length > 1 && parts[0] !== '' ? `There is no case ${parts[0]}/${parts[1]} in this report.` : '');
  }
}

function stepCase(step) {
  const item = list.neighbour(step);
  if (item) {
    location.hash = linkOf(item);
  }
}

/* ---- keys -------------------------------------------------------------------------------------- */

function stepFrame(step) {
  if (current && current.item.frames.length > 0) {
    const index = Math.max(0, Math.min(current.item.frames.length - 1, current.index + step));
    current.timeline?.stop();
    showFrame(index);
  }
}

function stepBad(step) {
  for (let i = (current?.index ?? 0) + step; current && i >= 0 && i < current.item.frames.length; i += step) {
    if (isBad(current.item.frames[i])) {
      stepFrame(i - current.index);
      return;
    }
  }
}

function goTo(index) {
  if (current && current.item.frames.length > 0) {
    stepFrame(index - current.index);
  }
}

const ACTIONS = {
  'j': () => stepCase(1),
  'k': () => stepCase(-1),
  'ArrowLeft': () => stepFrame(-1),
  'ArrowRight': () => stepFrame(1),
  'Home': () => goTo(0),
  'End': () => goTo(current?.item.frames.length - 1),
  '[': () => stepBad(-1),
  ']': () => stepBad(1),
  'f': () => current && goTo(firstBad(current.item)),
  'w': () => current && goTo(worstFrame(current.item, errorsOf(current.item)[0])),
  ' ': () => current?.timeline?.toggle(),
  'z': () => viewer.zoomToDifference(),
  '0': () => viewer.fit(),
  '+': () => viewer.zoomBy(2),
  '=': () => viewer.zoomBy(2),
  '-': () => viewer.zoomBy(0.5),
  'b': () => viewer.toggleBox(),
  'x': () => viewer.hold(true),
  't': () => ticks.toggle(current?.item),
  'o': () => { location.hash = ''; },
  '/': () => { showList(true); list.input.focus(); },
  '?': () => header.help.showModal(),
};
MODES.forEach((mode, i) => { ACTIONS[i + 1] = () => viewer.setMode(mode.key); });

document.addEventListener('keydown', (event) => {
  const target = event.target;
  const writes = target.matches('input:not([type=range], [type=checkbox]), select, textarea');
  if (event.key === 'Escape') {
    showList(false);
    if (target === list.input) {
      list.input.blur();
    }
  }
  const slides = target.matches('input[type=range]') && /^(Arrow|Home|End)/.test(event.key);
  const presses = target.matches('button, summary, input[type=checkbox]') && event.key === ' ';
  const action = Object.hasOwn(ACTIONS, event.key) ? ACTIONS[event.key] : null;
  if (action && !writes && !slides && !presses && !header.help.open && !event.ctrlKey && !event.metaKey && !event.altKey &&
      !(event.key === 'x' && event.repeat)) {
    event.preventDefault();
    action();
  }
});
/* After a click with the mouse the space bar is for playing, not for the button once more. */
document.addEventListener('click', (event) => {
  if (event.detail > 0) {
    event.target.closest('button, input[type=checkbox]')?.blur();
  }
});
document.addEventListener('keyup', (event) => {
  if (event.key === 'x') {
    viewer.hold(false);
  }
});

/* ---- begin ------------------------------------------------------------------------------------- */

const header = makeHeader();
document.getElementById('app').append(header, el('div', {class: 'body'}, list.root, main), ticks.root, said);
addEventListener('hashchange', followLink);
const opening = list.sequence.find(isBadCase);
if (location.hash.length > 1 || !opening) {
  followLink();
} else {
  showCase(opening);
}
