// files.test.mjs - what people take away: cut-outs on something, the connected part, all of a folder; and very large photographs.

import assert from 'node:assert/strict';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { Server, colours, draw, fact, makeFolder, png, seen, settled, useBrowser } from './support.mjs';

const session = useBrowser();
const SMALL = [120, 90];

async function openFile(page, path) {
    await page.chooseFile('#cutout input[type=file]', path);
    await page.waitFor(() => document.querySelector('#cutout .workspace')?.checkVisibility());
}

/** Colours of a picture at places, [red, green, blue, opacity] each, as the browser reads it. */
const pixelsOf = async (page, path, places) => page.evaluate(async (text, all) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    return all.map(([x, y]) => [...context.getImageData(x, y, 1, 1).data]);
}, (await readFile(path)).toString('base64'), places);

const choose = (page, part, value) => page.evaluate((name, wanted) => {
    const control = [...document.querySelectorAll(`[data-part=${name}]`)].find((each) => each.checkVisibility());
    control.value = wanted;
    for (const type of ['input', 'change']) control.dispatchEvent(new Event(type, { bubbles: true }));
}, part, value);

const near = (colour, wanted) => colour.every((value, i) => Math.abs(value - wanted[i]) <= 2);

test('a colour, or a picture, lies behind the cut-out, on the board and in the file', async () => {
    const own = await Server.start();
    try {
        const page = await session.open(own.address);
        const [[x, y]] = await makeFolder(session.folder, 1, SMALL);
        await openFile(page, join(session.folder, 'images/disk1.png'));
        await draw(page, [[x, y]], { size: SMALL });
        await draw(page, [[5, 84], [112, 84]], { size: SMALL, button: 'right' });
        await settled(page);
        assert.equal(await page.evaluate(() => document.querySelector('#cutout [data-part=behind]').checkVisibility()), false);
        await page.press('v', 2);
        await choose(page, 'behind', 'colour');
        await choose(page, 'behind-colour', '#20c040');
        const away = [110, 80];
        assert.ok(near((await colours(page, [away], SMALL))[0], [0x20, 0xc0, 0x40]));
        const [saved] = await pixelsOf(page, await page.download('[data-part=save-cutout]'), [away]);
        assert.deepEqual(saved, [0x20, 0xc0, 0x40, 255]);

        const picture = join(session.folder, 'behind.png'); // which is wider: its left and right ends are cut off
        await writeFile(picture, png(400, 90, (at) => (at < 140 ? [250, 0, 0] : at >= 260 ? [0, 0, 250] : [250, 250, 0])));
        await choose(page, 'behind', 'picture');
        await page.chooseFile('#cutout [data-part=behind-file]', picture);
        await seen(page, '[data-part=behind-name]', 'behind.png');
        const corners = await pixelsOf(page, await page.download('[data-part=save-cutout]'), [[2, 88], [117, 88]]);
        assert.deepEqual(corners, [[250, 250, 0, 255], [250, 250, 0, 255]]);
        await page.chooseFile('#cutout [data-part=behind-file]', join(process.env.SOURCE_DIR, 'README.md'));
        await seen(page, '[data-part=notice]', 'README.md is no picture');
        await choose(page, 'behind', '');
        const [clear] = await pixelsOf(page, await page.download('[data-part=save-cutout]'), [away]);
        assert.equal(clear[3], 0, 'transparent');
    } finally {
        await own.stop();
    }
});

test('the connected part only, after a reload, too', async () => {
    const own = await Server.start();
    try {
        const page = await session.open(own.address);
        const inside = (x, y) => Math.min(Math.abs(x - 25), Math.abs(x - 95)) ** 2 + (y - 40) ** 2 < 250; // two disks
        const photograph = join(session.folder, 'two.png');
        await writeFile(photograph, png(...SMALL, (x, y) => (inside(x, y) ? [210, 120, 60] : [40, 70, 130]).map((value) => value + (x * 7 + y * 13) % 9)));
        await openFile(page, photograph);
        await choose(page, 'method', 'grabcut');
        await draw(page, [[25, 40]], { size: SMALL });
        await draw(page, [[2, 2], [117, 2]], { size: SMALL, button: 'right' });
        await settled(page);
        const both = parseFloat(await fact(page, 'Object'));
        await page.click('#cutout [data-part=connected]');
        await settled(page);
        const one = parseFloat(await fact(page, 'Object'));
        assert.ok(Math.abs(one - both / 2) < 0.1 * both, `${one} % of ${both} %`);
        await new Promise((resolve) => { setTimeout(resolve, 700); }); // in which the page keeps what a reload needs
        await page.reload();
        await page.waitFor(() => document.querySelector('#cutout .workspace')?.checkVisibility());
        await settled(page);
        assert.equal(parseFloat(await fact(page, 'Object')), one);
    } finally {
        await own.stop();
    }
});

/** The files of an archive that are stored as they are: {name: bytes}. */
function unzipped(archive) {
    const files = {};
    for (let at = 0; archive.readUInt32LE(at) === 0x04034b50;) {
        const [size, length] = [archive.readUInt32LE(at + 18), archive.readUInt16LE(at + 26)];
        const name = archive.toString('utf8', at + 30, at + 30 + length);
        files[name] = archive.subarray(at + 30 + length, at + 30 + length + size);
        at += 30 + length + size;
    }
    return files;
}

test('all cut-outs of a folder that is flat, and COCO of it', async () => {
    const data = join(session.folder, 'all');
    await makeFolder(data, 3, SMALL, true);
    for (let i = 1; i <= 3; i++) await rename(join(data, `images/disk${i}.png`), join(data, `disk${i}.png`));
    await rename(join(data, 'images'), join(session.folder, 'empty'));
    await writeFile(join(data, 'new.png'), png(...SMALL, () => [90, 90, 90]));
    const own = await Server.start(['--data', data]);
    try {
        const page = await session.open(own.address);
        await seen(page, '[data-part=counts]', '4 photographs, 3 done');
        const files = unzipped(await readFile(await page.download('[data-part=save-all]')));
        assert.deepEqual(Object.keys(files), ['disk1-cutout.png', 'disk2-cutout.png', 'disk3-cutout.png']);
        for (const bytes of Object.values(files)) assert.equal(bytes.readUInt8(25), 6, 'a PNG with colours and opacity');
        await seen(page, '[data-part=save-all-words]', 'All cut-outs');
        await page.click('.exports summary');
        for (const [part, form] of [['save-polygons', 'array'], ['save-rle', 'object']]) {
            const coco = JSON.parse(await readFile(await page.download(`[data-part=${part}]`), 'utf8'));
            assert.deepEqual(coco.images.map((each) => each.file_name), ['disk1.png', 'disk2.png', 'disk3.png']);
            assert.deepEqual(coco.annotations.map(({ segmentation }) => (Array.isArray(segmentation) ? 'array' : 'object')), [form, form, form]);
        }
    } finally {
        await own.stop();
    }
});

test('a photograph of 61 megapixels is marked, and cut out', async (context) => {
    const own = await Server.start();
    try {
        const [width, height] = [9504, 6336];
        const { limits } = await (await fetch(`${own.address}api/state`)).json();
        if (limits.pixels < width * height) {
            context.skip(`this machine has memory for ${limits.pixels} pixels`);
            return;
        }
        const photograph = join(session.folder, 'large.png');
        await writeFile(photograph, png(width, height, (x, y) => [Math.hypot(x - 4000, y - 3000) < 1500 ? 220 : 40 + (x + y) % 5]));
        const page = await session.open(own.address);
        page.patience = 240000;
        await openFile(page, photograph);
        await draw(page, [[3500, 3000], [4500, 3000]], { size: [width, height] });
        await draw(page, [[300, 300], [9000, 300]], { size: [width, height], button: 'right' });
        await settled(page);
        const share = Math.PI * 1500 ** 2 / (width * height);
        assert.ok(Math.abs(parseFloat(await fact(page, 'Object')) / 100 - share) < 0.01 * share, await fact(page, 'Object'));
        const mask = await readFile(await page.download('[data-part=save-mask]'));
        assert.deepEqual([mask.readUInt32BE(16), mask.readUInt32BE(20)], [width, height]);
    } finally {
        await own.stop();
    }
});
