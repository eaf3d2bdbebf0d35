// screenshots.mjs FOLDER - the pictures of docs/page.md, as the browser shows them; screenshots.py makes them small.

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Browser } from './chromium.mjs';
import { Server, draw, makeLines, onScreen, openExample, png, settled } from './support.mjs';

const [folder] = process.argv.slice(2);
const RENDERINGS = join(process.env.SOURCE_DIR, 'docs/segmentation');
const SMALL = [320, 240]; // so that learning takes seconds
const WINDOW = { width: 1180, height: 740 };

/** A pear cut out: what is marked, step by step. */
const PEAR = [
    ['left', [205, 150], [200, 190], [195, 230], [215, 280], [240, 330]],
    ['right', [360, 200], [390, 215], [420, 240], [435, 275], [440, 300]],
    ['right', [80, 200], [85, 240], [95, 270], [110, 310]],
    ['right', [150, 385], [250, 390], [340, 380]],
    ['right', [150, 55], [152, 80], [157, 108]],
    ['right', [290, 150], [310, 165]],
];
const SHOWN = [1, 2, 3, 4, 6]; // steps of the strip

/** A folder with small copies of the project's renderings and their mirror images, marked and done but for the last. */
async function album(page) {
    const data = join(work, 'renderings');
    for (const part of ['images', 'labels', 'scribbles']) await mkdir(join(data, part), { recursive: true });
    for (const name of ['fruit', 'mug', 'toy'])
        for (const mirrored of [false, true]) {
            const copy = mirrored ? `${name}-mirrored` : name;
            const [image, labels] = await Promise.all([`images/${name}.jpg`, `labels/${name}.png`].map(async (file) =>
                page.evaluate(reduce, (await readFile(join(RENDERINGS, file))).toString('base64'), SMALL, mirrored)));
            await writeFile(join(data, `images/${copy}.jpg`), Buffer.from(image.jpeg, 'base64'));
            if (copy === 'toy-mirrored') continue;
            await writeFile(join(data, `labels/${copy}.png`), png(...SMALL, (x, y) => [labels.grey[y * SMALL[0] + x] > 127 ? 255 : 0]));
            await writeFile(join(data, `scribbles/${copy}.json`), JSON.stringify(await strokesOf(name, mirrored)));
        }
    return data;
}

/** In the browser: a picture at another size, perhaps turned left to right, as JPEG and as grey values. */
async function reduce(text, [width, height], mirrored) {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]));
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext('2d');
    context.imageSmoothingQuality = 'high';
    if (mirrored) context.scale(-1, 1);
    context.drawImage(bitmap, mirrored ? -width : 0, 0, width, height);
    const { data } = context.getImageData(0, 0, width, height);
    return { jpeg: canvas.toDataURL('image/jpeg', 0.92).split(',')[1], grey: [...data].filter((_, i) => i % 4 === 0) };
}

/** The strokes of docs/scenes, for a small copy. */
async function strokesOf(name, mirrored) {
    const [width, height] = SMALL;
    const text = await readFile(join(RENDERINGS, `../scenes/${name}.strokes`), 'utf8');
    const steps = text.trim().split('\n').map((line) => {
        const [label, ...points] = line.split(/\s+/);
        const scaled = points.flatMap((point) => {
            const [x, y] = point.split(',').map((value) => value / 640 * width);
            return [mirrored ? width - 1 - x : x, y];
        });
        return [{ shape: 'stroke', label, radius: 1, points: scaled }];
    });
    return { format: 's3svm marks', version: 1, width, height, steps };
}

async function open(tab, options) {
    const page = await browser.page({ ...WINDOW, ...options });
    await page.goto(server.address);
    await page.click(`#tab-${tab}`);
    return page;
}

async function shoot(page, name, part = null) {
    await page.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 0, y: 0 }); // no pen on the picture
    await writeFile(join(folder, `${name}.png`), await page.screenshot(part));
}

async function mark(page, [button, ...points]) {
    await draw(page, points, { button });
    await settled(page);
}

/** Another view, and waits for the picture that the server draws of it. */
async function choose(page, view) {
    await page.evaluate((name) => document.querySelector(`.views input[value=${name}]`).click(), view);
    await page.waitFor(() => performance.getEntriesByType('resource').some((entry) => entry.name.endsWith('/view')));
}

async function dialogue() {
    const page = await open('cutout');
    await openExample(page, 'fruit');
    const [[left, top], [right, bottom]] = await onScreen(page, [[-0.5, -0.5], [639.5, 479.5]]);
    const part = { x: left, y: top, width: right - left, height: bottom - top };
    for (const [i, step] of PEAR.entries()) {
        await mark(page, step);
        await page.evaluate(() => { document.querySelector('#cutout .hint').hidden = true; });
        if (SHOWN.includes(i + 1)) await shoot(page, `dialogue-${SHOWN.indexOf(i + 1) + 1}`, part);
    }
    await shoot(page, 'outline');
    await choose(page, 'cutout');
    await shoot(page, `dialogue-${SHOWN.length + 1}`, part);
    await page.close();
}

async function comparison() {
    const page = await open('cutout', { dark: true });
    await openExample(page, 'fruit');
    for (const step of PEAR.slice(0, 2)) await mark(page, step);
    await page.evaluate(() => {
        const select = document.querySelector('#cutout [data-part=second]');
        select.value = 'grabcut';
        select.dispatchEvent(new Event('change'));
    });
    await settled(page);
    await shoot(page, 'compare');
    await page.close();
}

async function folders() {
    const page = await open('folder');
    page.patience = 1200000;
    await page.click('[data-part=learn-start]');
    await page.waitFor(() => document.querySelector('[data-part=learn]').dataset.state === 'running');
    await page.waitFor(() => document.querySelector('[data-part=learn]').dataset.state === 'done');
    await shoot(page, 'learn');
    await page.close();
}

async function traces() {
    const page = await open('trace', { width: 980, height: 620 });
    await page.chooseFile('#trace [data-part=choose]', join(work, 'lines/images/lines2.png'));
    await page.waitFor(() => document.querySelector('#trace [data-part=result]').checkVisibility());
    await shoot(page, 'trace');
    await page.close();
}

async function drawings() {
    const page = await open('restore', { dark: true, width: 820, height: 520 }); // noise makes large files
    await page.click('#restore [data-part=example]');
    await page.waitFor(() => document.querySelector('#restore [data-part=result]').checkVisibility());
    await shoot(page, 'restore');
    await page.close();
}

async function phone() {
    const page = await open('cutout', { width: 360, height: 720, touch: true, scale: 2 });
    await openExample(page, 'fruit');
    await draw(page, PEAR[0].slice(1));
    await settled(page);
    await writeFile(join(folder, 'phone.png'), await page.screenshot());
    await page.close();
}

const work = await mkdtemp(join(tmpdir(), 's3svm-screenshots-'));
const browser = await Browser.launch(process.env.CHROMIUM);
await makeLines(join(work, 'lines'), { size: SMALL });
const server = await Server.start(['--data', await album(await browser.page()), '--trace', join(work, 'lines/model.json')]);
try {
    await mkdir(folder, { recursive: true });
    await dialogue();
    await comparison();
    await folders();
    await traces();
    await drawings();
    await phone();
} finally {
    await browser.close();
    await server.stop();
    await rm(work, { recursive: true, force: true });
}
