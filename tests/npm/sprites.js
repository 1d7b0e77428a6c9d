/* sprites.js: sprite sheets as games read them: by the parsers of PixiJS and Phaser.
 *
 *     node sprites.js MARROW FIGURE.glb MODULES FOLDER
 *
 * MARROW draws sheets into FOLDER, and the same frames one by one. Each parser says what is cut out
 * of a sheet and where it is put: that must give the frames back, pixel for pixel. Nothing of what
 * is expected is taken from a sheet's own JSON. MODULES is the folder node_modules. */
'use strict';

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const zlib = require('node:zlib');

/* What a page has, and Phaser asks for by name. */
globalThis.HTMLCanvasElement ??= class {};
globalThis.window ??= {};

const [marrow, figure, modules, folder] = process.argv.slice(2).map((text) => path.resolve(text));
const load = (name) => require(path.join(modules, name));
const { BaseTexture } = load('@pixi/core');
const { Spritesheet } = load('@pixi/spritesheet');
const Texture = load('phaser/src/textures/Texture.js');
const parseHash = load('phaser/src/textures/parsers/JSONHash.js');
const AnimationManager = load('phaser/src/animations/AnimationManager.js');

// ---- files ---------------------------------------------------------------------------------------

const run = (...args) => execFileSync(marrow, ['render', '-q', ...args], { cwd: folder });
const readJson = (name) => JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'));

/* What is left of a byte by each filter of PNG: left, above, above left. */
const FILTERS = [
    () => 0,
    (a) => a,
    (a, b) => b,
    (a, b) => (a + b) >> 1,
    (a, b, c) => {
        const [p, q, r] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
        return p <= q && p <= r ? a : q <= r ? b : c;
    },
];

/* A PNG of 8 bits, RGB or RGBA, as RGBA. */
function readPng(name) {
    const file = fs.readFileSync(path.join(folder, name));
    const parts = [];
    const [width, height, type] = [file.readUInt32BE(16), file.readUInt32BE(20), file[25]];
    assert(file[24] === 8 && (type === 2 || type === 6) && file[28] === 0);
    for (let at = 8; at < file.length; at += 12 + file.readUInt32BE(at)) {
        if (file.toString('latin1', at + 4, at + 8) === 'IDAT') {
            parts.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)));
        }
    }
    const bytes = zlib.inflateSync(Buffer.concat(parts));
    const channels = type === 6 ? 4 : 3;
    const stride = width * channels;
    const pixels = Buffer.alloc(width * height * 4, 255);
    let above = Buffer.alloc(stride);
    for (let y = 0; y < height; y++) {
        const filter = FILTERS[bytes[y * (stride + 1)]];
        const row = bytes.subarray(y * (stride + 1) + 1, (y + 1) * (stride + 1));
        for (let i = 0; i < stride; i++) {
            const [a, c] = i < channels ? [0, 0] : [row[i - channels], above[i - channels]];
            row[i] = (row[i] + filter(a, above[i], c)) & 255;
        }
        for (let x = 0; x < width; x++) {
            row.copy(pixels, (y * width + x) * 4, x * channels, (x + 1) * channels);
        }
        above = row;
    }
    return { width, height, pixels };
}

/* A part of a sheet, put where it belongs in an empty picture. */
function restore(sheet, cut, at, width, height) {
    const pixels = Buffer.alloc(width * height * 4);
    assert(cut.x + cut.width <= sheet.width && cut.y + cut.height <= sheet.height);
    for (let y = 0; y < cut.height; y++) {
        const from = ((cut.y + y) * sheet.width + cut.x) * 4;
        sheet.pixels.copy(pixels, ((at.y + y) * width + at.x) * 4, from, from + cut.width * 4);
    }
    return { width, height, pixels };
}

/* The same where anything is seen; the colour of clear pixels is free. */
function assertSame(picture, expected, what) {
    assert.deepEqual([picture.width, picture.height], [expected.width, expected.height], what);
    for (let i = 0; i < expected.pixels.length; i += 4) {
        const [a, b] = [picture.pixels.subarray(i, i + 4), expected.pixels.subarray(i, i + 4)];
        assert(b[3] === 0 ? a[3] === 0 : a.equals(b), `${what}: pixel ${i / 4}: ${[...a]} ${[...b]}`);
    }
}

// ---- readers -------------------------------------------------------------------------------------

async function readByPixi(json, sheet) {
    const texture = new BaseTexture(null, { width: sheet.width, height: sheet.height });
    const sprites = new Spritesheet({ texture, data: json, cachePrefix: json.meta.image });
    await sprites.parse();
    return sprites;
}

function readByPhaser(json, sheet) {
    const manager = { game: { renderer: null, config: { antialias: true } } };
    const texture = new Texture(manager, 'sheet', { width: sheet.width, height: sheet.height });
    parseHash(texture, 0, json);
    return texture;
}

function animateByPhaser(json, texture) {
    const game = { cache: { json: { get: () => json } }, events: { once() {} } };
    const manager = new AnimationManager(game);
    manager.textureManager = {
        exists: () => true,
        get: () => texture,
        getFrame: (key, frame) => (texture.has(frame) ? texture.get(frame) : null),
    };
    return manager.createFromAseprite('sheet');
}

const pixiPicture = (t, sheet) =>
    restore(sheet, t._frame, t.trim ?? { x: 0, y: 0 }, t.orig.width, t.orig.height);
const phaserPicture = (f, sheet) =>
    restore(sheet, { x: f.cutX, y: f.cutY, width: f.cutWidth, height: f.cutHeight },
        { x: f.x, y: f.y }, f.realWidth, f.realHeight);

// ---- what is expected ----------------------------------------------------------------------------

/* The frames of animations, drawn one by one: {"Walk/s": [picture ...] ...}. */
function draw(options, key) {
    fs.mkdirSync(path.join(folder, 'one'), { recursive: true });
    const text = execFileSync(marrow, ['render', '-q', figure, ...options, '--json',
        '-o', 'one/{clip}_{view}_{n:03}.png'], { cwd: folder });
    const animations = {};
    for (const picture of JSON.parse(text).pictures) {
        (animations[key(picture)] ??= []).push(readPng(picture.file));
    }
    return animations;
}

/* Animations, times and pixels of sheets, which are the pages of one, by both readers. */
async function check(options, names, expected, milliseconds) {
    const found = {};
    for (const name of names) {
        const json = readJson(name);
        const sheet = readPng(json.meta.image);
        assert.deepEqual(json.meta.size, { w: sheet.width, h: sheet.height });
        assert.deepEqual(json.meta.related_multi_packs ?? [], names.filter((n) => n !== name));
        const pixi = await readByPixi(json, sheet);
        const phaser = readByPhaser(json, sheet);
        assert.deepEqual(phaser.getFrameNames(), Object.keys(pixi.textures));
        for (const [animation, textures] of Object.entries(pixi.animations)) {
            const frames = phaser.customData.animations[animation].map((n) => phaser.frames[n]);
            assert.equal(frames.length, textures.length);
            (found[animation] ??= []).push(...textures.map((texture, i) => ({
                name: frames[i].name,
                pixi: pixiPicture(texture, sheet),
                phaser: phaserPicture(frames[i], sheet),
                anchor: texture.defaultAnchor,
                pivot: frames[i].customPivot ? [frames[i].pivotX, frames[i].pivotY] : null,
                duration: frames[i].customData.duration,
                written: frames[i].customData.pivot,
            })));
        }
    }
    assert.deepEqual(Object.keys(found).sort(), Object.keys(expected).sort());
    for (const [animation, pictures] of Object.entries(expected)) {
        found[animation].sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
        assert.equal(found[animation].length, pictures.length, animation);
        pictures.forEach((picture, i) => {
            assertSame(found[animation][i].pixi, picture, `${options}: ${animation} ${i}, pixi`);
            assertSame(found[animation][i].phaser, picture, `${options}: ${animation} ${i}, phaser`);
        });
        const sum = found[animation].reduce((total, frame) => total + frame.duration, 0);
        assert.equal(sum, milliseconds(pictures.length), animation);
    }
    return found;
}

// ---- sheets --------------------------------------------------------------------------------------

const CLEAR = ['--size', '64', '--background', 'none'];
const WALK = ['--clip', 'Walk', '--fps', '24', '--frames', '0-15'];

/* 24 a second: 41.67 milliseconds each, 667 of 16. */
const at24 = (count) => Math.round((count * 1000) / 24);

/* Cut tight, colours bled, edges repeated; from four sides. */
async function trimmed() {
    const options = [...CLEAR, ...WALK, '--directions', '4'];
    run(figure, ...options, '--trim', 'frame', '--bleed', '--extrude', '2', '--atlas', 'walk.json',
        '-o', 'walk.png');
    const expected = draw(options, (picture) => `${picture.clip}/${picture.dir}`);
    assert.deepEqual(Object.keys(expected).sort(), ['Walk/e', 'Walk/n', 'Walk/s', 'Walk/w']);
    const found = await check('trimmed', ['walk.json'], expected, at24);
    assert.equal(found['Walk/s'][0].anchor?.x ?? 0, 0);
    assert.equal(found['Walk/s'][0].pivot, null);
}

/* Whole pictures with a background, in columns: nothing to put anywhere. */
async function whole() {
    const options = ['--size', '48x40', '--clip', 'Walk', '--clip', 'Run', '--count', '5'];
    run(figure, ...options, '--fps', '10', '--sheet', '4', '--atlas', 'grid.json', '-o', 'grid.png');
    const expected = draw(options, (picture) => picture.clip);
    await check('whole', ['grid.json'], expected, (count) => count * 100);
}

/* More than fits on a page; clips share a trim. */
async function pages() {
    const options = [...CLEAR, ...WALK];
    run(figure, ...options, '--trim', 'clip', '--page-size', '128', '--power-of-two',
        '--atlas', 'pages{page}.json', '-o', 'pages{page}.png');
    const names = fs.readdirSync(folder).filter((name) => /^pages\d+\.json$/.test(name)).sort();
    assert(names.length > 1);
    await check('pages', names, draw(options, (picture) => picture.clip), at24);
}

/* Anchors and pivots lie where `marrow bake` sees the joint, from each side. */
async function pivots() {
    const options = ['--size', '64', '--clip', 'Run', '--count', '5'];
    const views = ['--azimuth', '0,90', '--background', 'none'];
    run(figure, ...options, ...views, '--fps', '10', '--trim', 'frame', '--pivot', 'head',
        '--atlas', 'pivots.json', '-o', 'pivots.png');
    const expected = draw([...options, ...views], (picture) => `${picture.clip}/${picture.view}`);
    const found = await check('pivots', ['pivots.json'], expected, (count) => count * 100);
    Object.values(found).forEach((frames, view) => {
        execFileSync(marrow, ['bake', '-q', figure, ...options, '--azimuth', `${view * 90}`,
            '--joints', 'joints.jsonl'], { cwd: folder, stdio: 'ignore' });
        const lines = fs.readFileSync(path.join(folder, 'joints.jsonl'), 'utf8').trim().split('\n');
        lines.map(JSON.parse).forEach((line, i) => {
            const head = line.joints.find((joint) => joint.name === 'head');
            const { anchor, pivot, written } = frames[i];
            assert(Math.abs(anchor.x * 64 - head.x) < 1e-9 && Math.abs(anchor.y * 64 - head.y) < 1e-9);
            assert.deepEqual(pivot, [anchor.x, anchor.y]);
            assert.deepEqual([written.x, written.y], pivot); /* Phaser prefers the anchor */
        });
        assert(new Set(frames.map((frame) => frame.anchor.y)).size > 1);
    });
}

/* Frames called by numbers: Aseprite's tags as Phaser reads them. */
async function tags() {
    const options = [...CLEAR, '--clip', 'Walk', '--clip', 'Run', '--fps', '30', '--frames', '0-5'];
    run(figure, ...options, '--trim', 'all', '--atlas-numbers', '--atlas', 'tags.json',
        '-o', 'tags.png');
    const expected = draw(options, (picture) => picture.clip);
    await check('tags', ['tags.json'], expected, () => 200);
    const json = readJson('tags.json');
    const sheet = readPng('tags.png');
    const made = animateByPhaser(json, readByPhaser(json, sheet));
    assert.deepEqual(made.map((animation) => animation.key), ['Walk', 'Run']);
    for (const animation of made) {
        assert.equal(animation.duration, 200);
        assert.deepEqual(animation.frames.map((f) => f.duration), [33, 34, 33, 33, 34, 33]);
        animation.frames.forEach((f, i) => {
            assertSame(phaserPicture(f.frame, sheet), expected[animation.key][i],
                `${animation.key} ${i}, a tag`);
        });
    }
}

/* The figure, whose clips have names that readers may trip over. */
async function strangers() {
    const names = ['__proto__', 'a"b\\c\n</script>\u202e\u001b[31m \u{1f43e}', 'constructor'];
    const file = fs.readFileSync(figure);
    const length = file.readUInt32LE(12);
    const scene = JSON.parse(file.toString('utf8', 20, 20 + length));
    assert.equal(scene.animations.length, names.length);
    scene.animations.forEach((animation, i) => { animation.name = names[i]; });
    let text = Buffer.from(JSON.stringify(scene));
    text = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, ' ')]);
    const head = Buffer.from(file.subarray(0, 20));
    head.writeUInt32LE(20 + text.length + file.length - 20 - length, 8);
    head.writeUInt32LE(text.length, 12);
    fs.writeFileSync(path.join(folder, 'names.glb'),
        Buffer.concat([head, text, file.subarray(20 + length)]));
    run('names.glb', ...CLEAR, '--clip', 'all', '--count', '2', '--atlas', 'names.json',
        '-o', 'names.png');
    const json = readJson('names.json');
    const sheet = readPng('names.png');
    const pixi = await readByPixi(json, sheet);
    const phaser = readByPhaser(json, sheet);
    for (const name of names) {
        assert.equal(pixi.animations[name].length, 2, name);
        pixi.animations[name].forEach((texture, i) => {
            const called = `${name}/00${i}`;
            assert.equal(texture, pixi.textures[called]);
            assertSame(phaserPicture(phaser.frames[called], sheet), pixiPicture(texture, sheet), called);
        });
    }
    assert.deepEqual(json.meta.frameTags.map((tag) => tag.name), names);
}

(async () => {
    for (const test of [trimmed, whole, pages, pivots, tags, strangers]) {
        await test();
        console.log(`  sprite sheets: ${test.name}`);
    }
})().catch((error) => {
    console.error(error);
    process.exit(1);
});
