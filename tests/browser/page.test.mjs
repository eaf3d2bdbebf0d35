// page.test.mjs - the page in a real browser, with the real server: strokes, views, keys, fingers, and a server that fails.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { pause } from './chromium.mjs';
import {
    PHOTOGRAPHS, Server, colours, compare, details, draw, fact, makeFolder, onScreen, openExample, s3svm, seen, settled, shownShare, useBrowser,
} from './support.mjs';

const PEAR = [[255, 190], [262, 240], [270, 300]];
const AROUND = [[60, 60], [300, 70], [560, 90], [590, 380]];
const FRUIT = join(PHOTOGRAPHS, 'fruit.jpg');
const SMALL = [120, 90]; // of pictures for tests that need no real photograph
const KEPT = 700;        // milliseconds in which the page keeps what a reload needs, when the hand has rested

const session = useBrowser();
let server;

let disk; // the path of a small picture
let middle;

before(async () => {
    [middle] = await makeFolder(session.folder, 1, SMALL);
    disk = join(session.folder, 'images/disk1.png');
    server = await Server.start();
});
after(async () => { await server?.stop(); });

const open = (options = {}) => session.open(server.address, options);

/** The mask that the command finds for a photograph and a list of marks. */
async function commandMask(photograph, list, ...more) {
    const mask = join(session.folder, 'command.png');
    await s3svm('segment', photograph, '--marks', list, '-o', mask, ...more);
    return mask;
}

async function openFile(page, path) {
    await page.chooseFile('#cutout input[type=file]', path);
    await page.waitFor(() => document.querySelector('#cutout .workspace')?.checkVisibility());
}

async function assertMaskOfCommand(page, photograph = FRUIT, ...more) {
    await details(page);
    const list = await page.download('[data-part=save-list]');
    const mask = await page.download('[data-part=save-mask]');
    const { same, different, object } = await compare(page, mask, await commandMask(photograph, list, ...more));
    assert.ok(same, 'of one size');
    assert.equal(different, 0, 'pixels that differ from those of s3svm segment');
    return object;
}

test('strokes change the mask, which is that of s3svm segment; undo, views, comparison, files', async () => {
    const page = await open();
    await openExample(page, 'fruit');
    await draw(page, PEAR);
    await settled(page);
    const first = await fact(page, 'Object');
    const objectFirst = await assertMaskOfCommand(page);
    assert.ok(objectFirst > 1000);

    await draw(page, AROUND, { button: 'right' }); // the other label
    await settled(page);
    const second = await fact(page, 'Object');
    assert.notEqual(second, first);
    assert.equal(await fact(page, 'Proof'), 'proven minimum');
    const object = await assertMaskOfCommand(page);
    assert.notEqual(object, objectFirst);

    await page.press('v');
    await page.waitFor(() => document.querySelector('.views input[value=mask]').checked);
    const share = await shownShare(page);
    assert.ok(Math.abs(share - object / (640 * 480)) < 0.01, `${share} of the board is bright, ${object} pixels are object`);

    await details(page);
    // The scribbles as a picture say the same where they are, and the command reads them.
    const strokes = await page.download('[data-part=save-strokes]');
    assert.match(await s3svm('segment', FRUIT, '--scribbles', strokes, '-o', join(session.folder, 'strokes.png')), /palette/);

    const cutout = await readFile(await page.download('[data-part=save-cutout]'));
    assert.equal(cutout.readUInt8(25), 6, 'a PNG with colours and opacity');

    await page.press('Control+z');
    await settled(page);
    assert.equal(await fact(page, 'Object'), first);
    await page.press('Control+y');
    await settled(page);
    assert.equal(await fact(page, 'Object'), second);
    await page.press('e');
    await draw(page, [[300, 70]]);
    await settled(page);
    assert.equal(await fact(page, 'Object'), first, 'the eraser takes a stroke away');
    await page.press('z');
    await settled(page);

    await page.press('c');
    await seen(page, '[data-part=second-name]', 'AMN');
    await settled(page);
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('.facts [scope=col]')].filter((each) => each.checkVisibility())
        .map((each) => each.textContent)), ['S3SVM', 'AMN', 'S3SVM', 'AMN'], 'the figures of both, in sight and behind "Details"');
    assert.equal(await fact(page, 'Object', 0), second);
    assert.match(await fact(page, 'Object', 1), /^[\d.]+ %$/);
    assert.notEqual(await fact(page, 'Energy', 1), await fact(page, 'Energy', 0), 'each column is of its own method');
    await page.evaluate(() => document.querySelector('.views input[value=outline]').click());
    assert.equal(await fact(page, 'Proof', 1), 'proven minimum');
});

const isRed = ([red, green, blue]) => red > 150 && red > 1.8 * green && red > 1.8 * blue;
const isBlue = ([red, green, blue]) => blue > 130 && blue > 1.6 * red && blue > 1.3 * green;

test('clicks are dots, in the colour of their pen', async () => {
    const page = await open();
    await openExample(page, 'fruit');
    const [object, background] = [[255, 240], [60, 60]];
    assert.ok(!(await colours(page, [object, background])).some((each) => isRed(each) || isBlue(each)), 'before');
    await draw(page, [object]);
    await draw(page, [background], { button: 'right' });
    await settled(page);
    await page.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 0, y: 0 });
    const seenColours = await colours(page, [object, [object[0] + 3, object[1]], background, [background[0], background[1] - 3]]);
    assert.ok(seenColours.slice(0, 2).every(isRed), `${seenColours}`);
    assert.ok(seenColours.slice(2).every(isBlue), `${seenColours}`);
});

test('a rectangle has the colour that s3svm segment gives it', async () => {
    const page = await open();
    await openExample(page, 'fruit');
    await page.press('r');
    await draw(page, [[150, 60], [300, 200], [450, 400]]);
    await settled(page);
    await details(page);
    const list = await page.download('[data-part=save-list]');
    const overlay = join(session.folder, 'overlay.png');
    await s3svm('segment', FRUIT, '--marks', list, '-o', join(session.folder, 'box.png'), '--overlay', overlay);
    const [ofPage] = await colours(page, [[149.5, 230]]);
    const ofCommand = await page.evaluate(async (text, x, y) => {
        const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]));
        const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
        context.drawImage(bitmap, 0, 0);
        return [...context.getImageData(x, y, 1, 1).data].slice(0, 3);
    }, (await readFile(overlay)).toString('base64'), 147, 230);
    assert.ok(isBlue(ofPage) && isBlue(ofCommand), `${ofPage} and ${ofCommand}`);
    assert.ok(ofPage.every((value, i) => Math.abs(value - ofCommand[i]) < 40), `${ofPage} and ${ofCommand}`);
});

test('the words of the paper are behind "Details"', async () => {
    const page = await open();
    await openExample(page, 'fruit');
    await draw(page, PEAR);
    await settled(page);
    const words = () => page.evaluate(() => [...document.querySelectorAll('#cutout .panel *')].filter((each) => each.checkVisibility())
        .flatMap((each) => [...each.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.textContent.trim())).filter(Boolean));
    const hard = ['Energy', 'Proof', 'Prior', 'Pixels alone'];
    const first = await words();
    assert.ok(first.includes('Object'), `${first}`);
    for (const word of hard) assert.ok(!first.includes(word), word);
    await page.click('#cutout .details summary');
    const second = await words();
    for (const word of hard) assert.ok(second.includes(word), word);
    assert.equal(await fact(page, 'Proof'), 'proven minimum');
    await page.evaluate(() => document.querySelector('.views input[value=prior]').click());
    await page.click('#cutout .details summary');
    await page.waitFor(() => document.querySelector('.views input[value=outline]').checked);
});

test('a rectangle is enough, for GrabCut as well, and the views say why', async () => {
    const page = await open({ dark: true });
    await openFile(page, disk);
    await page.press('r');
    const [x, y] = middle;
    await draw(page, [[x - 25, y - 25], [x, y], [x + 25, y + 25]], { size: SMALL });
    await settled(page);
    assert.ok(await assertMaskOfCommand(page, disk) > 100);
    await page.evaluate(() => {
        const select = document.querySelector('#cutout [data-part=method]');
        select.value = 'grabcut';
        select.dispatchEvent(new Event('change'));
    });
    await settled(page);
    await assertMaskOfCommand(page, disk, '--method', 'grabcut');
    await details(page);
    for (const view of ['cutout', 'unaries', 'prior']) {
        const answered = await page.evaluate((name) => {
            document.querySelector(`.views input[value=${name}]`).click();
            return performance.getEntriesByType('resource').filter((entry) => entry.name.endsWith('/view')).length;
        }, view);
        await page.waitFor((count) => performance.getEntriesByType('resource').filter((entry) => entry.name.endsWith('/view')).length > count, answered);
    }
});

test('where to look next is a ring, a question, and a place for the keyboard', async () => {
    const page = await open();
    await openFile(page, disk);
    const disabled = () => page.evaluate(() => document.querySelector('#cutout [data-part=look-next]').disabled);
    assert.equal(await disabled(), true);
    await draw(page, [middle, [middle[0] + 5, middle[1]]], { size: SMALL });
    await settled(page);
    assert.equal(await disabled(), false);
    await page.press('w');
    await page.waitFor(() => /object|background/.test(document.querySelector('#cutout [data-part=hint]').textContent)
        && document.querySelector('#cutout [data-part=hint]').textContent.startsWith('Is this'));
    assert.match(await page.evaluate(() => document.querySelector('#live').textContent), /^\d+, \d+\. Is this/);
    await draw(page, [[middle[0] - 5, middle[1]], middle], { size: SMALL });
    await settled(page);
    assert.equal(await page.evaluate(() => document.querySelector('#cutout [data-part=hint]').textContent.startsWith('Is this')), false);
});

/** In the browser: a file comes by "paste" or "drop". */
function deliver(kind, name, type, text) {
    const files = new DataTransfer();
    files.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], name, { type }));
    const target = document.querySelector('#cutout');
    if (kind === 'paste') document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: files }));
    else target.dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }));
}

test('a photograph is pasted, its marks are taken away, and a list of them dropped', async () => {
    const page = await open();
    await page.evaluate(deliver, 'paste', 'disk1.png', 'image/png', (await readFile(disk)).toString('base64'));
    await page.waitFor(() => document.querySelector('#cutout .workspace')?.checkVisibility());
    await draw(page, [middle], { size: SMALL });
    await settled(page);
    const object = await fact(page, 'Object');
    await details(page);
    const list = await readFile(await page.download('[data-part=save-list]'));
    await page.click('#cutout [data-part=clear]');
    await page.waitFor(() => !document.querySelector('.facts').checkVisibility());
    await page.evaluate(deliver, 'drop', 'other.json', 'application/json', Buffer.from('{"format": "other"}').toString('base64'));
    await seen(page, '[data-part=notice]', 'other.json is no list of marks');
    await page.evaluate(deliver, 'drop', 'marks.json', 'application/json', list.toString('base64'));
    await page.waitFor(() => document.querySelector('.facts').checkVisibility());
    await settled(page);
    assert.equal(await fact(page, 'Object'), object);
});

/** In the browser: several files are dropped at once; files: [{name, type, text}], text in base64. */
function dropAll(files) {
    const dropped = new DataTransfer();
    for (const { name, type, text } of files)
        dropped.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], name, { type }));
    document.querySelector('#cutout').dispatchEvent(new DragEvent('drop', { dataTransfer: dropped, bubbles: true, cancelable: true }));
}

const photographs = (page) => page.evaluate(() => [...document.querySelectorAll('#cutout .strip li span')].map((each) => each.textContent));
const current = (page, name) => page.waitFor((wanted) => document.querySelector('#cutout .strip [aria-current=true]')?.textContent === wanted, name);

test('photographs that are dropped together are a list; closing one asks where marks would be lost', async () => {
    const page = await open();
    const text = (await readFile(disk)).toString('base64');
    await page.evaluate(dropAll, ['one.png', 'two.png', 'three.png'].map((name) => ({ name, type: 'image/png', text })));
    await current(page, 'one.png');
    assert.deepEqual(await photographs(page), ['one.png', 'two.png', 'three.png']);
    await draw(page, [middle], { size: SMALL });
    await settled(page);
    const object = await fact(page, 'Object');
    await page.press('n');
    await current(page, 'two.png');
    await page.waitFor(() => !document.querySelector('.facts').checkVisibility());
    await page.click('#cutout .strip li:first-child .thumbnail');
    await current(page, 'one.png');
    await settled(page);
    assert.equal(await fact(page, 'Object'), object, 'marks of the others stay');

    await page.click('#cutout [data-part=close]');
    await seen(page, '#ask', 'one.png');
    await page.click('#ask [data-part=ask-no]');
    assert.equal((await photographs(page)).length, 3);
    await page.press('n', 2);
    await current(page, 'three.png');
    await page.click('#cutout .strip li:nth-child(3) .remove'); // nothing is marked there: it does not ask
    await current(page, 'two.png');
    await page.chooseFile('#cutout [data-part=add]', disk);
    await current(page, 'disk1.png');
    await pause(KEPT);
    await page.reload();
    await current(page, 'disk1.png');
    assert.deepEqual(await photographs(page), ['one.png', 'two.png', 'disk1.png']);
    await page.click('#cutout .strip li:first-child .remove');
    await page.click('#ask [data-part=ask-yes]');
    for (const left of [2, 1]) { // a click while the question closes, or the next photograph opens, would be lost
        await page.waitFor((count) => document.querySelectorAll('#cutout .strip li').length === count, left);
        await page.waitFor(() => !document.querySelector('#ask').open);
        await page.click('#cutout [data-part=close]');
    }
    await page.waitFor(() => document.querySelector('#cutout .welcome').checkVisibility());
    await page.reload();
    await page.waitFor(() => document.querySelector('#cutout .welcome').checkVisibility());
});

/** A GIF whose pixels are not compressed; paint(x, y) gives the number of a colour, 0 to 3. */
function gif(width, height, palette, paint) {
    const bits = [];
    const put = (code) => { for (let bit = 0; bit < 3; bit++) bits.push(code >> bit & 1); }; // codes of three bits, cleared before they would grow
    for (let i = 0; i < width * height; i++) {
        if (i % 2 === 0) put(4);
        put(paint(i % width, Math.floor(i / width)));
    }
    put(5);
    const bytes = Array.from({ length: Math.ceil(bits.length / 8) }, (_, i) => bits.slice(8 * i, 8 * i + 8).reduce((sum, bit, at) => sum | bit << at, 0));
    const blocks = [];
    for (let i = 0; i < bytes.length; i += 255) blocks.push(Math.min(255, bytes.length - i), ...bytes.slice(i, i + 255));
    return Buffer.from([...Buffer.from('GIF89a'), width & 255, width >> 8, height & 255, height >> 8, 0xf1, 0, 0, ...palette.flat(),
        0x2c, 0, 0, 0, 0, width & 255, width >> 8, height & 255, height >> 8, 0, 2, ...blocks, 0, 0x3b]);
}

/** A BMP of 24 bits; paint(x, y) gives [red, green, blue]. */
function bmp(width, height, paint) {
    const stride = Math.ceil(3 * width / 4) * 4;
    const file = Buffer.alloc(54 + stride * height);
    file.write('BM');
    for (const [at, value] of [[2, file.length], [10, 54], [14, 40], [18, width], [22, height], [34, stride * height]]) file.writeUInt32LE(value, at);
    file.writeUInt16LE(1, 26);
    file.writeUInt16LE(24, 28);
    for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) file.set(paint(x, height - 1 - y).reverse(), 54 + y * stride + 3 * x);
    return file;
}

/** A red disk of radius 4 in the middle of 16 x 12 blue pixels. */
const AVIF = `AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAGxpYmF2aWYAAAAADnBpdG0AAAAAAAEA
AAAeaWxvYwAAAABEAAABAAEAAAABAAABGgAAAC8AAAAoaWluZgAAAAAAAQAAABppbmZlAgAAAAABAABhdjAxQ29sb3IAAAAAamlwcnAAAABLaXBjbwAAABRpc3BlAAAAAAAAABAAAAAMAAAA
EHBpeGkAAAAAAwgICAAAAAxhdjFDgQAMAAAAABNjb2xybmNseAABAA0ABoAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAADdtZGF0EgAKCRgM/tggIaDQgDIgRjADTTTRQH+6uL/DtQVWdn4Y
4U2+EqWKwqmvIU5MfNk=`.replaceAll('\n', '');

test('WebP, GIF, AVIF and BMP, which the browser reads, are taken', async () => {
    const page = await open();
    const isDisk = (x, y) => Math.hypot(x - 60, y - 45) < 20;
    const webp = await page.evaluate(async (text) => {
        const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]));
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        canvas.getContext('2d').drawImage(bitmap, 0, 0);
        const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp' })).arrayBuffer());
        return btoa(String.fromCharCode(...bytes));
    }, (await readFile(disk)).toString('base64'));
    assert.equal(Buffer.from(webp, 'base64').toString('latin1', 8, 12), 'WEBP');
    const files = [
        { name: 'a.webp', type: 'image/webp', text: webp, size: SMALL, at: middle },
        { name: 'b.gif', type: 'image/gif', size: SMALL, at: [60, 45],
            text: gif(...SMALL, [[60, 90, 140], [200, 60, 50], [0, 0, 0], [0, 0, 0]], (x, y) => Number(isDisk(x, y))).toString('base64') },
        { name: 'c.bmp', type: '', size: SMALL, at: [60, 45], // a type that a system does not know
            text: bmp(...SMALL, (x, y) => (isDisk(x, y) ? [200, 60, 50] : [60, 90, 140])).toString('base64') },
        { name: 'd.avif', type: 'image/avif', text: AVIF, size: [16, 12], at: [8, 6] },
    ];
    for (const { name, type, text, size, at } of files) {
        await page.evaluate(dropAll, [{ name, type, text }]);
        await page.waitFor((words) => document.getElementById('live').textContent.startsWith(words), `${name}, ${size[0]} by ${size[1]} pixels`);
        await draw(page, [at], { size });
        await draw(page, [[1, 1], [size[0] - 2, 1]], { size, button: 'right' });
        await settled(page);
        assert.ok(parseFloat(await fact(page, 'Object')) > 3, name);
    }
});

test('undo and redo survive a reload', async () => {
    const page = await open();
    await openFile(page, disk);
    const [x, y] = middle;
    for (const point of [[x, y], [x + 5, y], [x, y + 5]]) await draw(page, [point], { size: SMALL });
    await page.press('z', 2);
    await settled(page);
    const can = () => page.evaluate(() => ['undo', 'redo'].map((part) => !document.querySelector(`#cutout [data-part=${part}]`).disabled));
    assert.deepEqual(await can(), [true, true]);
    await pause(KEPT);
    await page.reload();
    await page.waitFor(() => document.querySelector('#cutout .workspace')?.checkVisibility());
    assert.deepEqual(await can(), [true, true], 'undo, redo');
    await page.press('y', 2);
    await settled(page);
    assert.deepEqual(await can(), [true, false]);
    await details(page);
    const list = JSON.parse(await readFile(await page.download('[data-part=save-list]'), 'utf8'));
    assert.equal(list.steps.length, 3);
    await page.press('z', 3);
    assert.deepEqual(await can(), [false, true]);
});

test('the outline follows a stroke while it is drawn', async () => {
    const page = await open();
    await openFile(page, disk);
    const [x, y] = middle;
    const points = await onScreen(page, [[x, y], [x + 8, y], [x + 8, y + 8]], SMALL);
    await page.send('Input.dispatchMouseEvent', { type: 'mousePressed', x: points[0][0], y: points[0][1], button: 'left', buttons: 1, clickCount: 1 });
    await page.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: points[1][0], y: points[1][1], button: 'left', buttons: 1 });
    await page.waitFor(() => document.querySelector('.facts').checkVisibility());
    assert.equal(await page.evaluate(() => document.querySelector('[data-part=undo]').disabled), true, 'the stroke is not complete yet');
    await page.send('Input.dispatchMouseEvent', { type: 'mouseReleased', x: points[2][0], y: points[2][1], button: 'left', clickCount: 1 });
    await settled(page);
    assert.equal(await page.evaluate(() => document.querySelector('[data-part=undo]').disabled), false);
});

test('everything by keyboard', async () => {
    const page = await open();
    const focused = (selector) => page.evaluate((wanted) => document.activeElement.matches(wanted), selector);
    for (let i = 0; i < 12 && !await focused('.example'); i++) await page.press('Tab');
    assert.ok(await focused('.example'), 'an example is reached by Tab');
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none', 'the focus is seen');
    await page.press('Enter');
    await page.waitFor(() => document.querySelector('#cutout .workspace')?.checkVisibility());
    for (let i = 0; i < 40 && !await focused('canvas'); i++) await page.press('Tab');
    assert.ok(await focused('canvas'), 'the board is reached by Tab');
    await page.press(']', 3);
    await page.press('ArrowLeft', 4);
    await page.press(' ');
    await page.press('ArrowDown', 5);
    await page.press(' ');
    await settled(page);
    const first = await fact(page, 'Object');
    assert.ok(first);
    await page.press('b');
    await page.press('Shift+ArrowRight', 6);
    await page.press('Enter');
    await page.press('Shift+ArrowUp', 3);
    await page.press('Enter');
    await settled(page);
    await page.waitFor(() => /is object/.test(document.getElementById('live').textContent)); // told to those who hear the page
    await page.press('r');
    await page.press(' ');
    await page.press('ArrowLeft', 2);
    await page.press('Escape');
    await page.press('v', 5);
    await page.press('+', 2);
    await page.press('Control+ArrowLeft');
    await page.press('0');
    assert.notEqual(await fact(page, 'Object'), first);
    await page.press('?');
    await page.waitFor(() => document.querySelector('#help').open);
    await page.press('Escape');
    await page.waitFor(() => !document.querySelector('#help').open);
});

/** In the page: what is there to be pressed or dragged, and is less than 44 pixels high or wide. */
function smallTargets() {
    const targets = 'button, select, summary, input[type=range], .button, .views label, .strip .remove';
    return [...document.querySelectorAll(targets)]
        .filter((each) => each.checkVisibility() && (each.getBoundingClientRect().height < 44 || each.getBoundingClientRect().width < 44))
        .map((each) => each.outerHTML);
}

test('on a phone: a finger draws, two zoom, nothing is cut off', async () => {
    const page = await open({ width: 360, height: 740, touch: true, scale: 2 });
    const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    assert.ok(await fits());
    await openExample(page, 'fruit');
    assert.ok(await fits());
    await draw(page, PEAR);
    await settled(page);
    const object = await fact(page, 'Object');
    assert.ok(object);
    const [[x, y]] = await onScreen(page, [[320, 240]]);
    await page.pinch([[x - 20, y], [x - 50, y]], [[x + 20, y], [x + 50, y]]);
    assert.equal(await fact(page, 'Object'), object, 'two fingers draw nothing');
    await page.click('#cutout [data-part=undo]');
    await page.waitFor(() => !document.querySelector('.facts').checkVisibility());
    await details(page);
    assert.deepEqual(await page.evaluate(smallTargets), [], 'nothing is too small for a finger');
});

test('on a phone: what a finger meets in a list of photographs is large enough', async () => {
    const page = await open({ width: 360, height: 740, touch: true, scale: 2 });
    const text = (await readFile(disk)).toString('base64');
    await page.evaluate(dropAll, ['one.png', 'two.png'].map((name) => ({ name, type: 'image/png', text })));
    await current(page, 'one.png');
    assert.ok(await page.evaluate(() => document.querySelector('#cutout .strip .remove').checkVisibility()));
    assert.deepEqual(await page.evaluate(smallTargets), []);
});

test('what the server refuses is said where one looks', async () => {
    const page = await open();
    const broken = join(session.folder, 'broken.png');
    await writeFile(broken, 'no picture at all');
    await page.chooseFile('#cutout input[type=file]', broken);
    await page.waitFor(() => document.querySelector('#cutout [data-part=refused]').checkVisibility());
    const words = await page.evaluate(() => document.querySelector('#cutout [data-part=refused]').textContent);
    assert.ok(words.length > 10, words);
    await openFile(page, disk);
    await page.chooseFile('#cutout input[type=file]', broken);
    await seen(page, '[data-part=notice]', words);
    await draw(page, [middle], { size: SMALL });
    await settled(page);
    assert.equal(await page.evaluate(() => document.querySelector('[data-part=notice]').checkVisibility()), false, 'it goes when all is well');
});

test('a server that is killed and comes back costs nothing, nor does a reload', async () => {
    let own = await Server.start();
    try {
        const page = await session.open(own.address);
        await openFile(page, disk);
        await draw(page, [middle], { size: SMALL });
        await settled(page);
        await own.stop('SIGKILL');
        await draw(page, [[5, 84], [112, 84]], { size: SMALL, button: 'right' });
        await page.waitFor(() => document.querySelector('#lost').checkVisibility());
        own = await Server.start([], own.port);
        await page.waitFor(() => !document.querySelector('#lost').checkVisibility());
        await settled(page);
        const object = await fact(page, 'Object');
        await assertMaskOfCommand(page, disk);
        await own.stop('SIGKILL');
        own = await Server.start([], own.port);
        await page.reload();
        await page.waitFor(() => document.querySelector('#cutout .workspace')?.checkVisibility());
        await settled(page);
        assert.equal(await fact(page, 'Object'), object);
    } finally {
        await own.stop();
    }
});

test('a noisy drawing is restored', async () => {
    const page = await open();
    await page.click('#tab-restore');
    await page.click('#restore [data-part=example]');
    await page.waitFor(() => document.querySelector('#restore [data-part=result]').checkVisibility());
    const saved = await page.download('#restore [data-part=save]');
    const { pixels, object } = await compare(page, saved, saved);
    assert.equal(pixels, 480 * 240);
    assert.ok(object > 0.6 * pixels && object < 0.98 * pixels, `${object} of ${pixels} pixels are paper`);
});
