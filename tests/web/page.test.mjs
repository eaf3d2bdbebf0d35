// page.test.mjs - the page without a server: from a host of files, in a real browser, held against the command.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { compare, details, draw, fact, onScreen, openExample, png, s3svm, seen, settled, useBrowser } from '../browser/support.mjs';

import { serveFolder } from './static.mjs';

const { SOURCE_DIR } = process.env;
const SIZE = [200, 150];

const session = useBrowser();
let host;

before(async () => { host = await serveFolder(join(SOURCE_DIR, 'build/web')); });
after(async () => { await host?.stop(); });

/** A picture of a disc, as a file. */
async function disc(name, [width, height] = SIZE) {
    let seed = 1;
    const noise = () => (seed = seed * 16807 % 2147483647) % 37;
    const path = join(session.folder, name);
    await writeFile(path, png(width, height, (x, y) => (Math.hypot(x - 0.4 * width, y - 0.45 * height) < 0.2 * width
        ? [165 + noise(), 60 + noise(), 50 + noise()] : [60 + noise(), 90 + noise(), 110 + noise()])));
    return path;
}

async function openFile(page, path) {
    await page.chooseFile('#cutout input[type=file]', path);
    await page.waitFor(() => document.querySelector('#cutout .workspace')?.checkVisibility());
}

/** How the page's mask differs from that of the command for the same file and marks. */
async function differences(page, photograph) {
    await details(page);
    const list = await page.download('[data-part=save-list]');
    const mask = await page.download('[data-part=save-mask]');
    const wanted = join(session.folder, 'command.png');
    await s3svm('segment', photograph, '--marks', list, '-o', wanted);
    return compare(page, mask, wanted);
}

test('strokes on a PNG give the labels of s3svm segment, bit for bit; views, where to look next, files', async () => {
    const page = await session.open(host.address);
    const photograph = await disc('disc.png');
    await openFile(page, photograph);
    await draw(page, [[70, 60], [90, 70]], { size: SIZE });
    await settled(page);
    await draw(page, [[20, 20], [180, 25]], { button: 'right', size: SIZE });
    await settled(page);
    const { same, different, object } = await differences(page, photograph);
    assert.ok(same && different === 0, `${different} pixels differ`);
    assert.ok(object > 3000 && object < 7000, `${object} pixels of the object`);
    assert.equal(await fact(page, 'Proof'), 'proven minimum');
    const cutout = await readFile(await page.download('[data-part=save-cutout]'));
    assert.equal(cutout.readUInt8(25), 6, 'a PNG with colours and opacity');
    const strokes = await page.download('[data-part=save-strokes]');
    assert.match(await s3svm('segment', photograph, '--scribbles', strokes, '-o', join(session.folder, 'strokes.png')), /palette/);
    for (const view of ['cutout', 'unaries', 'prior', 'confidence', 'mask', 'outline']) {
        await page.evaluate((name) => document.querySelector(`.views input[value=${name}]`).click(), view);
        await settled(page);
    }
    await page.click('[data-part=look-next]');
    await page.waitFor(() => /mark it as/.test(document.querySelector('[data-part=hint]').textContent));
    await page.press('c'); // both methods
    await seen(page, '[data-part=second-name]', 'AMN');
    await settled(page);
    assert.match(await fact(page, 'Object', 1), /%$/);
});

/** A JPEG with a note of a camera that was held upright. */
function turned(jpeg) {
    const exif = [...Buffer.from('Exif\0\0MM\0*', 'latin1'), 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0];
    return Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff, 0xe1, 0, exif.length + 2, ...exif]), jpeg.subarray(2)]);
}

test('a JPEG, turned as the camera noted, gives the labels of the command but for a few pixels, where decoders differ', async () => {
    const page = await session.open(host.address);
    const path = join(session.folder, 'turned.jpg');
    const size = [480, 640];
    const upright = ([x, y]) => [479 - y, x];
    await writeFile(path, turned(await readFile(join(SOURCE_DIR, 'docs/segmentation/images/fruit.jpg'))));
    await openFile(page, path);
    await draw(page, [[255, 190], [262, 240], [270, 300]].map(upright), { size });
    await settled(page);
    await draw(page, [[60, 60], [300, 70], [560, 90], [590, 380]].map(upright), { button: 'right', size });
    await settled(page);
    const { same, different, pixels, object } = await differences(page, path);
    console.log(`JPEG: ${different} of ${pixels} pixels differ, ${object} are object`);
    assert.ok(same && different < 0.001 * pixels && object > 20000, `${different} pixels differ`);
});

test('a drawing is restored as s3svm predict does it', async () => {
    const page = await session.open(host.address);
    let seed = 9;
    const noise = () => (seed = seed * 16807 % 2147483647) % 200 - 100;
    const path = join(session.folder, 'drawing.png');
    await writeFile(path, png(160, 120, (x, y) => [Math.max(0, Math.min(255, (Math.hypot(x - 80, y - 60) % 24 < 7 ? 70 : 180) + noise()))]));
    await page.click('#tab-restore');
    await page.chooseFile('#restore input[type=file]', path);
    await page.waitFor(() => document.querySelector('#restore [data-part=result]').checkVisibility());
    const restored = await page.download('#restore [data-part=save]');
    const folder = join(session.folder, 'restored');
    await s3svm('predict', '-m', 'denoise', path, '-o', folder);
    const { same, different, object } = await compare(page, restored, join(folder, 'drawing.png'));
    assert.ok(same && different === 0 && object > 1000, `${different} pixels differ`);
});

test('PPM files, which browsers do not know, and files that are no pictures', async () => {
    const page = await session.open(host.address);
    const wrong = join(session.folder, 'wrong.png');
    await writeFile(wrong, 'no picture');
    await page.chooseFile('#cutout input[type=file]', wrong);
    await seen(page, '#cutout [data-part=refused]', 'no picture that the browser can read');
    const path = join(session.folder, 'disc.ppm');
    const pixels = Array.from({ length: 1200 }, (_, i) => (Math.hypot(i % 40 - 18, i / 40 - 14) < 9 ? '200 40 30' : '30 60 90'));
    await writeFile(path, `P3 40 30 255\n${pixels.join('\n')}\n`);
    await openFile(page, path);
    await draw(page, [[18, 14]], { size: [40, 30] });
    await settled(page);
    const { different, object } = await differences(page, path);
    assert.ok(different === 0 && object > 100, `${different} pixels differ, ${object} are object`);
});

test('after the first visit it works without the host, and keeps what was marked', async () => {
    const alone = await serveFolder(join(SOURCE_DIR, 'build/web'), '/offline/');
    const page = await session.open(alone.address);
    await page.evaluate(async () => { await navigator.serviceWorker.ready; });
    assert.ok(alone.asked.every((path) => path.startsWith('/offline/')), 'everything lies below the page');
    await alone.stop();
    await page.reload();
    await openExample(page, 'mug');
    await draw(page, [[300, 240], [310, 280]]);
    await settled(page);
    const share = await fact(page, 'Object');
    assert.match(share, /%$/);
    await new Promise((resolve) => { setTimeout(resolve, 700); }); // the page keeps what a reload needs
    await page.reload();
    await page.waitFor(() => document.querySelector('#cutout .workspace')?.checkVisibility());
    await settled(page);
    assert.equal(await fact(page, 'Object'), share);
});

test('on a phone, by finger', async () => {
    const page = await session.open(host.address, { width: 390, height: 844, touch: true });
    const photograph = await disc('phone.png');
    await openFile(page, photograph);
    await draw(page, [[70, 60], [90, 70]], { size: SIZE });
    await settled(page);
    assert.match(await fact(page, 'Object'), /%$/);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing sticks out');
    const [[x, y]] = await onScreen(page, [[0, 0]], SIZE);
    assert.ok(x >= 0 && y >= 0);
});

test('nothing is asked of any other host, and what comes before the first stroke is small', async () => {
    const fresh = await serveFolder(join(SOURCE_DIR, 'build/web'), '/fresh/');
    const page = await session.open(fresh.address);
    await openExample(page, 'toy');
    const addresses = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    assert.ok(addresses.every((address) => address.startsWith(fresh.address) || address.startsWith('blob:')), `${addresses}`);
    await page.evaluate(async () => { await navigator.serviceWorker.ready; });
    const { gzipSync } = await import('node:zlib');
    const files = new Set(fresh.asked.map((path) => path.slice('/fresh/'.length) || 'index.html'));
    let bytes = 0;
    for (const name of files) bytes += gzipSync(await readFile(join(SOURCE_DIR, 'build/web', name)).catch(() => '')).length;
    console.log(`${files.size} files, ${bytes} bytes compressed`);
    assert.ok(bytes < 2.5e6, `${bytes} bytes`);
    await fresh.stop();
});
