// times.mjs [ROUNDS] - how long strokes take in the page without a server, build/web, each time in a browser that knows nothing of it: on the clock
// from lifting the pen until the exact answer is shown; and the processor time of that answer, of all processes of the browser.
//
// CHROMIUM names the browser, SOURCE_DIR the project.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Browser, pause } from '../browser/chromium.mjs';
import { onScreen } from '../browser/support.mjs';

import { serveFolder } from './static.mjs';

const { CHROMIUM, SOURCE_DIR } = process.env;
const ROUNDS = Number(process.argv[2] ?? 5);
const SIZES = [[516, 387], [1200, 900]];
const LOOK = 1500; // milliseconds for which a person looks at the photograph before the first stroke
const MOVES = 24;  // of the hand in a stroke
const MOVE = 16;   // milliseconds for each
const ORIGINAL = [640, 480];
const STROKES = [ // on the pear of the example, and around it
    ['left', [255, 190], [262, 240], [270, 300]],
    ['right', [380, 200], [420, 240], [440, 300]],
    ['right', [80, 200], [85, 240], [110, 310]],
    ['left', [215, 280], [240, 330]],
];

/** In the browser: a JPEG at another size. */
async function resize(text, [width, height]) {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]));
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(bitmap, 0, 0, width, height);
    return canvas.toDataURL('image/jpeg', 0.92).split(',')[1];
}

/** Milliseconds of processor time, of all processes. */
async function spent(browser) {
    const { processInfo } = await browser.send('SystemInfo.getProcessInfo');
    return 1000 * processInfo.reduce((total, { cpuTime }) => total + cpuTime, 0);
}

/** Milliseconds from lifting the pen to the exact answer, and two frames, in which it is drawn. */
function clock() {
    const workspace = document.querySelector('#cutout .workspace');
    globalThis.took = new Promise((resolve) => {
        document.addEventListener('pointerup', () => {
            const lifted = performance.now();
            const look = () => {
                if (workspace.dataset.settled !== 'true') return;
                observer.disconnect();
                requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - lifted)));
            };
            const observer = new MutationObserver(look);
            observer.observe(workspace, { attributeFilter: ['data-settled'] });
        }, { once: true, capture: true });
    });
}

/** Points on the way, as a hand passes them. */
function* along(points) {
    const parts = points.length - 1;
    for (let move = 0; move <= MOVES; move++) {
        const part = Math.min(Math.floor(move / MOVES * parts), parts - 1);
        const share = move / MOVES * parts - part;
        yield points[part].map((from, axis) => from + share * (points[part + 1][axis] - from));
    }
}

async function stroke(page, browser, [button, ...points], [width, height]) {
    const scaled = [...along(points)].map(([x, y]) => [x / ORIGINAL[0] * width, y / ORIGINAL[1] * height]);
    const places = await onScreen(page, scaled, [width, height]);
    const event = (type, [x, y]) => page.send('Input.dispatchMouseEvent', { type, x, y, button, buttons: button === 'left' ? 1 : 2, clickCount: 1 });
    await page.evaluate(clock);
    await event('mousePressed', places[0]);
    for (const place of places.slice(1)) {
        await event('mouseMoved', place);
        await pause(MOVE);
    }
    const before = await spent(browser);
    await event('mouseReleased', places.at(-1));
    const wall = await page.evaluate(() => globalThis.took);
    return [wall, await spent(browser) - before];
}

async function round(address, size) {
    const browser = await Browser.launch(CHROMIUM);
    try {
        const page = await browser.page();
        const example = (await readFile(join(SOURCE_DIR, 'docs/segmentation/images/fruit.jpg'))).toString('base64');
        const path = join(folder, `${size[0]}.jpg`);
        await writeFile(path, Buffer.from(await page.evaluate(resize, example, size), 'base64'));
        await page.goto(address);
        await page.chooseFile('#cutout input[type=file]', path);
        await page.waitFor(() => document.querySelector('#cutout .workspace')?.checkVisibility());
        await pause(LOOK);
        const times = [];
        for (const each of STROKES) {
            times.push(await stroke(page, browser, each, size));
            await pause(LOOK / 3);
        }
        return times;
    } finally {
        await browser.close();
    }
}

const median = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

const folder = await mkdtemp(join(tmpdir(), 's3svm-times-'));
const host = await serveFolder(join(SOURCE_DIR, 'build/web'));
try {
    for (const size of SIZES) {
        const rounds = [];
        for (let i = 0; i < ROUNDS; i++) rounds.push(await round(host.address, size));
        console.log(`${size.join(' x ')}: median of ${ROUNDS} (least, most), in milliseconds`);
        for (const at of STROKES.keys()) {
            const words = ['on the clock', 'processor'].map((what, i) => {
                const all = rounds.map((times) => times[at][i]);
                return `${what} ${Math.round(median(all))} (${Math.round(Math.min(...all))}, ${Math.round(Math.max(...all))})`;
            });
            console.log(`    stroke ${at + 1}: ${words.join(', ')}`);
        }
    }
} finally {
    await host.stop();
    await rm(folder, { recursive: true, force: true });
}
