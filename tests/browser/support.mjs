// support.mjs - what the tests of the page share: a browser, a server, pictures, strokes with the hand, and what is seen of them.
//
// S3SVM names the command, CHROMIUM the browser, SOURCE_DIR the project.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before } from 'node:test';
import { promisify } from 'node:util';
import { deflateSync } from 'node:zlib';

import { Browser, PATIENCE } from './chromium.mjs';

export const S3SVM = process.env.S3SVM;
export const PHOTOGRAPHS = join(process.env.SOURCE_DIR, 'docs/segmentation/images');

/** Runs the command; what it prints. */
export async function s3svm(...parameters) { return (await promisify(execFile)(S3SVM, parameters)).stdout; }

// ---- the browser ----

/** A browser and a folder for the tests of a file; each test begins without a page, and ends with none that complained. */
export function useBrowser() {
    const session = { folder: mkdtempSync(join(tmpdir(), 's3svm-page-')), pages: [] };
    let browser;
    before(async () => { browser = await Browser.launch(process.env.CHROMIUM); });
    afterEach(async () => {
        const pages = session.pages.splice(0);
        for (const page of pages) await page.close();
        assert.deepEqual(pages.flatMap((page) => page.problems), [], 'what the browser complained of');
    });
    after(async () => {
        await browser?.close();
        await rm(session.folder, { recursive: true, force: true });
    });
    session.open = async (address, options = {}) => {
        const page = await browser.page(options);
        session.pages.push(page);
        await page.goto(address);
        return page;
    };
    return session;
}

// ---- accessibility ----

/** The program axe (npm ci), or null. */
export const axe = await readFile(join(process.env.SOURCE_DIR, 'node_modules/axe-core/axe.min.js'), 'utf8').catch(() => null);

/** What axe finds on a page, in words; with impacts, what has one of these. */
export async function violations(page, impacts = null) {
    await page.send('Runtime.evaluate', { expression: axe });
    return page.evaluate((wanted) => globalThis.axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations
        .filter(({ impact }) => !wanted || wanted.includes(impact))
        .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)), impacts);
}

// ---- the server ----

export class Server {
    #process;

    /** Starts s3svm serve; port 0 is any that is free. */
    static async start(parameters = [], port = 0) {
        const server = new Server();
        server.#process = spawn(S3SVM, ['serve', '--port', String(port), ...parameters], { stdio: ['ignore', 'pipe', 'ignore'] });
        server.address = await server.#firstLine();
        server.port = Number(new URL(server.address).port);
        return server;
    }

    async #firstLine() {
        const timer = setTimeout(() => this.#process.kill('SIGKILL'), PATIENCE);
        let text = '';
        for await (const data of this.#process.stdout) {
            text += data;
            if (text.includes('\n')) break;
        }
        clearTimeout(timer);
        const address = /http:\S+/.exec(text)?.[0];
        if (!address) throw new Error(`the server did not start: ${text}`);
        return address;
    }

    /** Ends it; by SIGKILL as if the machine had failed. */
    async stop(signal = 'SIGTERM') {
        if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
        const ended = once(this.#process, 'exit');
        this.#process.kill(signal);
        await ended;
    }
}

// ---- pictures ----

function crc(bytes) {
    let value = ~0;
    for (const byte of bytes) {
        value ^= byte;
        for (let bit = 0; bit < 8; bit++) value = value >>> 1 ^ (value & 1 ? 0xedb88320 : 0);
    }
    return ~value >>> 0;
}

function chunk(type, data) {
    const body = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(body.length + 8);
    frame.writeUInt32BE(data.length);
    body.copy(frame, 4);
    frame.writeUInt32BE(crc(body), body.length + 4);
    return frame;
}

/** A PNG; paint(x, y) gives [red, green, blue] or [grey]. */
export function png(width, height, paint) {
    const channels = paint(0, 0).length;
    const stride = 1 + channels * width;
    const rows = Buffer.alloc(height * stride);
    for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) rows.set(paint(x, y), y * stride + 1 + channels * x);
    const head = Buffer.alloc(13);
    head.writeUInt32BE(width);
    head.writeUInt32BE(height, 4);
    head.set([8, channels === 3 ? 2 : 0], 8);
    const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
    return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

/** An array of float32, height x width, as NumPy writes it. */
function npy(width, height, number) {
    const head = `{'descr': '<f4', 'fortran_order': False, 'shape': (${height}, ${width}), }`.padEnd(117);
    const bytes = Buffer.alloc(128 + 4 * width * height);
    bytes.write(`\x93NUMPY\x01\x00\x76\x00${head}\n`, 'latin1');
    for (let i = 0; i < width * height; i++) bytes.writeFloatLE(number(i % width, Math.floor(i / width)), 128 + 4 * i);
    return bytes;
}

/** A folder with photographs, as it were: each a disk of its own on a noisy ground; with marked also their marks and true labels, so
 *  that all are done; and with as many maps, what a network says that is wrong here and there.  Returns the middle of each disk. */
export async function makeFolder(folder, count, [width, height], marked = false, maps = 0) {
    for (const part of ['images', 'labels', 'scribbles', ...(maps ? ['maps'] : [])]) await mkdir(join(folder, part), { recursive: true });
    const middles = [];
    for (let number = 0; number < count; number++) {
        const [left, top, radius] = [36 + 9 * number % 50, 34 + 5 * number % 22, 17 + number % 4];
        const inside = (x, y) => Math.hypot(x - left, y - top) < radius;
        let seed = number + 1;
        const noise = () => (seed = seed * 16807 % 2147483647) % 37;
        const name = `disk${number + 1}`;
        await writeFile(join(folder, 'images', `${name}.png`), png(width, height, (x, y) => (inside(x, y)
            ? [165 + noise(), 60 + noise(), 50 + noise()] : [60 + noise(), 90 + noise(), 110 + noise()])));
        middles.push([left, top]);
        if (number < maps)
            await writeFile(join(folder, 'maps', `${name}.npy`), npy(width, height, (x, y) => (inside(x, y) ? 3 : -3) + (31 * x + 17 * y) % 5 - 2));
        if (!marked) continue;
        const steps = [[{ shape: 'stroke', label: 'object', radius: 2, points: [left - 6, top, left + 6, top] }],
            [{ shape: 'stroke', label: 'background', radius: 2, points: [5, 84, 112, 84] }]];
        await writeFile(join(folder, 'labels', `${name}.png`), png(width, height, (x, y) => [inside(x, y) ? 255 : 0]));
        await writeFile(join(folder, 'scribbles', `${name}.json`), JSON.stringify({ format: 's3svm marks', version: 1, width, height, steps }));
    }
    return middles;
}

/** A folder with pictures of dark lines on a noisy ground, and their labels; a model that has learned from it, DATA/model.json, is made
 *  if it is wanted.  Returns the path of the first picture. */
export async function makeLines(data, { count = 4, size: [width, height] = [96, 72], model = true } = {}) {
    for (const part of ['images', 'labels']) await mkdir(join(data, part), { recursive: true });
    for (let number = 1; number <= count; number++) {
        let seed = 977 * number;
        const random = () => (seed = seed * 16807 % 2147483647) / 2147483647;
        const lines = Array.from({ length: 3 }, () => [Math.PI * random(), width * random(), height * random(), 1 + random()]);
        const inside = (x, y) => lines.some(([angle, x0, y0, radius]) =>
            Math.abs((x - x0) * Math.sin(angle) - (y - y0) * Math.cos(angle)) < radius);
        const ground = (x, y) => 170 - x / 3 - (inside(x, y) ? 55 : 0) + 12 * (random() + random() - 1);
        const name = `lines${number}.png`;
        await writeFile(join(data, 'images', name), png(width, height, (x, y) => {
            const grey = ground(x, y);
            return [grey + 20, grey, grey - 20].map((value) => Math.max(0, Math.min(255, value)));
        }));
        await writeFile(join(data, 'labels', name), png(width, height, (x, y) => [inside(x, y) ? 255 : 0]));
    }
    if (model) await s3svm('train', 'trace', '--data', data, '--model', 'pairs', '--samples', '6000', '--gap', '0.1', '-o', join(data, 'model.json'));
    return join(data, 'images/lines1.png');
}

/** What differs between two pictures, as the browser reads them: {pixels, different, object: bright pixels of the first}. */
export async function compare(page, first, second) {
    const files = await Promise.all([first, second].map(async (path) => (await readFile(path)).toString('base64')));
    return page.evaluate(async (texts) => {
        const [a, b] = await Promise.all(texts.map(async (text) => {
            const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]));
            const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
            const context = canvas.getContext('2d');
            context.drawImage(bitmap, 0, 0);
            return context.getImageData(0, 0, bitmap.width, bitmap.height);
        }));
        let [different, object] = [0, 0];
        for (let i = 0; i < a.data.length; i += 4) {
            different += a.data[i] !== b.data[i];
            object += a.data[i] > 127;
        }
        return { pixels: a.width * a.height, same: a.width === b.width && a.height === b.height, different, object };
    }, files);
}

// ---- the board ----

/** Where points of the photograph are on the screen, while all of it is shown. */
export async function onScreen(page, points, [width, height] = [640, 480]) {
    return page.evaluate((all, w, h) => {
        const canvas = [...document.querySelectorAll('.stage canvas')].find((each) => each.checkVisibility());
        const frame = canvas.getBoundingClientRect();
        const scale = Math.min(frame.width / w, frame.height / h, 32);
        const left = frame.left + (frame.width - w * scale) / 2;
        const top = frame.top + (frame.height - h * scale) / 2;
        return all.map(([x, y]) => [left + (x + 0.5) * scale, top + (y + 0.5) * scale]);
    }, points, width, height);
}

export async function draw(page, points, { button = 'left', size = undefined } = {}) {
    await page.drag(await onScreen(page, points, size), button);
}

/** Waits until the exact answer to all marks is shown. */
export const settled = (page) => page.waitFor(() => [...document.querySelectorAll('.workspace')]
    .some((each) => each.checkVisibility() && each.dataset.settled === 'true'));

export async function openExample(page, name) {
    await page.click(`.example:has(img[src*=${name}])`);
    await page.waitFor(() => document.querySelector('#cutout .workspace')?.checkVisibility());
}

/** What the panel says in a row, as "Object"; in sight or behind "Details".  With two methods, of the one of this number. */
export const fact = (page, name, column = 0) => page.evaluate((wanted, at) => {
    const panel = [...document.querySelectorAll('.panel')].find((each) => each.checkVisibility());
    const row = [...panel.querySelectorAll('.facts tr')].find((each) => each.cells[0].textContent === wanted);
    return row && !row.closest('table').hidden ? row.cells[at + 1]?.textContent ?? null : null;
}, name, column);

/** Opens or closes "Details". */
export const details = (page, open = true) => page.evaluate((wanted) => {
    [...document.querySelectorAll('.details')].find((each) => each.checkVisibility()).open = wanted;
}, open);

/** The colours of the board at points of the photograph: [[red, green, blue], ...]. */
export const colours = async (page, points, size = [640, 480]) => {
    const places = await onScreen(page, points, size);
    return page.evaluate((all) => new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => { // after it is drawn
            const canvas = [...document.querySelectorAll('.stage canvas')].find((each) => each.checkVisibility());
            const frame = canvas.getBoundingClientRect();
            const context = canvas.getContext('2d');
            const at = ([x, y]) => context.getImageData((x - frame.left) * devicePixelRatio, (y - frame.top) * devicePixelRatio, 1, 1).data;
            resolve(all.map((place) => [...at(place)].slice(0, 3)));
        }));
    }), places);
};

/** Bright pixels on the board in the view "Mask": what is seen to be object, as a share of the photograph. */
export const shownShare = (page, size = [640, 480]) => page.evaluate((w, h) => {
    const canvas = [...document.querySelectorAll('.stage canvas')].find((each) => each.checkVisibility());
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const scale = Math.min(canvas.width / w, canvas.height / h);
    let bright = 0;
    for (let i = 0; i < data.length; i += 4) bright += data[i] > 200 && data[i + 1] > 200 && data[i + 2] > 200;
    return bright / (w * h * scale * scale);
}, ...size);

/** Waits for words in an element that is in sight. */
export const seen = (page, selector, words) => page.waitFor((wanted, text) => [...document.querySelectorAll(wanted)]
    .some((each) => each.checkVisibility() && each.textContent.includes(text)), selector, words);
