// page.test.mjs - the page in a real browser, with the real server: strokes, views, keys, fingers, and a server that fails.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { PHOTOGRAPHS, Server, compare, draw, fact, makeFolder, onScreen, openExample, s3svm, seen, settled, shownShare, useBrowser } from './support.mjs';

const PEAR = [[255, 190], [262, 240], [270, 300]];
const AROUND = [[60, 60], [300, 70], [560, 90], [590, 380]];
const FRUIT = join(PHOTOGRAPHS, 'fruit.jpg');
const SMALL = [120, 90]; // of pictures for tests that need no real photograph

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
    await page.evaluate(() => document.querySelector('.views input[value=outline]').click());
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
    for (const view of ['cutout', 'unaries', 'prior']) {
        const answered = await page.evaluate((name) => {
            document.querySelector(`.views input[value=${name}]`).click();
            return performance.getEntriesByType('resource').filter((entry) => entry.name.endsWith('/view')).length;
        }, view);
        await page.waitFor((count) => performance.getEntriesByType('resource').filter((entry) => entry.name.endsWith('/view')).length > count, answered);
    }
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
    const small = await page.evaluate(() => [...document.querySelectorAll('button, select, .views label')]
        .filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 32).map((each) => each.outerHTML));
    assert.deepEqual(small, [], 'nothing is too small for a finger');
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
