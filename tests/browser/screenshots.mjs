// screenshots.mjs FOLDER - the pictures of docs/page.md, as the browser shows them; screenshots.py makes them small.

import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Browser } from './chromium.mjs';
import { PHOTOGRAPHS, Server, draw, onScreen, openExample, settled } from './support.mjs';

const [folder] = process.argv.slice(2);
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

/** A folder with the project's renderings. */
async function album() {
    await mkdir(join(work, 'renderings/images'), { recursive: true });
    for (const name of ['fruit', 'mug', 'toy']) await copyFile(join(PHOTOGRAPHS, `${name}.jpg`), join(work, `renderings/images/${name}.jpg`));
    return join(work, 'renderings');
}

async function open(options) {
    const page = await browser.page({ ...WINDOW, ...options });
    await page.goto(server.address);
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
    const page = await open();
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

async function views() {
    const page = await open({ dark: true });
    await openExample(page, 'fruit');
    for (const step of PEAR.slice(0, 2)) await mark(page, step);
    await choose(page, 'unaries');
    await shoot(page, 'why');
    await choose(page, 'outline');
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
    const page = await open();
    await page.click('#tab-folder');
    await page.click('.thumbnails li:first-child button');
    await page.waitFor(() => document.querySelector('#folder .workspace').checkVisibility());
    for (const step of PEAR) await mark(page, step);
    await page.press('d');
    await page.waitFor(() => document.querySelector('[data-part=one]').dataset.state === 'done');
    await page.click('[data-part=overview-open]');
    await page.waitFor(() => [...document.querySelectorAll('.thumbnails img')].every((each) => each.complete && each.naturalWidth));
    await shoot(page, 'folder');
    await page.close();
}

async function drawings() {
    const page = await open({ dark: true, width: 820, height: 520 }); // noise makes large files
    await page.click('#tab-restore');
    await page.click('#restore [data-part=example]');
    await page.waitFor(() => document.querySelector('#restore [data-part=result]').checkVisibility());
    await shoot(page, 'restore');
    await page.close();
}

async function phone() {
    const page = await open({ width: 360, height: 720, touch: true, scale: 2 });
    await openExample(page, 'fruit');
    await draw(page, PEAR[0].slice(1));
    await settled(page);
    await writeFile(join(folder, 'phone.png'), await page.screenshot());
    await page.close();
}

const work = await mkdtemp(join(tmpdir(), 's3svm-screenshots-'));
const [browser, server] = await Promise.all([Browser.launch(process.env.CHROMIUM), Server.start(['--data', await album()])]);
try {
    await mkdir(folder, { recursive: true });
    await dialogue();
    await views();
    await folders();
    await drawings();
    await phone();
} finally {
    await browser.close();
    await server.stop();
    await rm(work, { recursive: true, force: true });
}
