// page.test.mjs - the page in a real browser, with the real server.  S3SVM names the command, CHROMIUM the browser, SOURCE_DIR
// the project; SCREENSHOTS, where it is set, a folder for the pictures of docs/page.

import assert from 'node:assert/strict';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';

import { Browser } from './chromium.mjs';
import { PHOTOGRAPHS, Server, compare, draw, fact, makeFolder, onScreen, openExample, s3svm, scratch, seen, settled, shownShare } from './support.mjs';

const PEAR = [[255, 190], [262, 240], [270, 300]];
const AROUND = [[60, 60], [300, 70], [560, 90], [590, 380]];
const FRUIT = join(PHOTOGRAPHS, 'fruit.jpg');

let browser;
let work;
let server;
let page; // of the running test

before(async () => {
    work = await scratch();
    [browser, server] = await Promise.all([Browser.launch(process.env.CHROMIUM), Server.start()]);
});

afterEach(async () => {
    const problems = page?.problems ?? [];
    await page?.close();
    page = null;
    assert.deepEqual(problems, [], 'the browser had nothing to complain of');
});

after(async () => {
    await browser?.close();
    await server?.stop();
    await work.remove();
});

async function open(options = {}, address = server.address) {
    page = await browser.page(options);
    await page.goto(address);
    return page;
}

async function screenshot(name) {
    if (process.env.SCREENSHOTS) await writeFile(join(process.env.SCREENSHOTS, `${name}.png`), await page.screenshot());
}

/** The mask that the command finds for a photograph and a list of marks. */
async function commandMask(photograph, list, ...more) {
    const mask = join(work.folder, 'command.png');
    await s3svm('segment', photograph, '--marks', list, '-o', mask, ...more);
    return mask;
}

async function assertMaskOfCommand(photograph = FRUIT, ...more) {
    const list = await page.download('[data-part=save-list]');
    const mask = await page.download('[data-part=save-mask]');
    const { same, different, object } = await compare(page, mask, await commandMask(photograph, list, ...more));
    assert.ok(same, 'of one size');
    assert.equal(different, 0, 'pixels that differ from those of s3svm segment');
    return object;
}

test('strokes change the mask, which is that of s3svm segment; undo, views, comparison, files', async () => {
    await open();
    await screenshot('welcome');
    await openExample(page, 'fruit');
    await draw(page, PEAR);
    await settled(page);
    const first = await fact(page, 'Object');
    const objectFirst = await assertMaskOfCommand();
    assert.ok(objectFirst > 1000);

    await draw(page, AROUND, { button: 'right' }); // the other label
    await settled(page);
    const second = await fact(page, 'Object');
    assert.notEqual(second, first);
    assert.equal(await fact(page, 'Proof'), 'proven minimum');
    const object = await assertMaskOfCommand();
    assert.notEqual(object, objectFirst);
    await screenshot('outline');

    await page.press('v');
    await page.waitFor(() => document.querySelector('.views input[value=mask]').checked);
    const share = await shownShare(page);
    assert.ok(Math.abs(share - object / (640 * 480)) < 0.01, `${share} of the board is bright, ${object} pixels are object`);

    // The scribbles as a picture say the same where they are, and the command reads them.
    const strokes = await page.download('[data-part=save-strokes]');
    assert.match(await s3svm('segment', FRUIT, '--scribbles', strokes, '-o', join(work.folder, 'strokes.png')), /palette/);

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
    await screenshot('compare');
    await page.press('c');
    await page.evaluate(() => {
        const select = document.querySelector('#cutout [data-part=method]');
        select.value = 'grabcut';
        select.dispatchEvent(new Event('change'));
    });
    await settled(page);
    await assertMaskOfCommand(FRUIT, '--method', 'grabcut');
});

test('a rectangle is enough, and the views say why', async () => {
    await open({ dark: true });
    await page.chooseFile('#cutout input[type=file]', FRUIT);
    await page.waitFor(() => document.querySelector('#cutout .workspace')?.checkVisibility());
    await page.press('r');
    await draw(page, [[200, 100], [250, 200], [345, 375]]);
    await settled(page);
    assert.ok(await assertMaskOfCommand() > 1000);
    for (const view of ['cutout', 'unaries', 'prior']) {
        const answered = await page.evaluate((name) => {
            document.querySelector(`.views input[value=${name}]`).click();
            return performance.getEntriesByType('resource').filter((entry) => entry.name.endsWith('/view')).length;
        }, view);
        await page.waitFor((count) => performance.getEntriesByType('resource').filter((entry) => entry.name.endsWith('/view')).length > count, answered);
        await page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
        await screenshot(view);
    }
});

test('the outline follows a stroke while it is drawn', async () => {
    await open();
    await openExample(page, 'fruit');
    const points = await onScreen(page, PEAR);
    await page.send('Input.dispatchMouseEvent', { type: 'mousePressed', x: points[0][0], y: points[0][1], button: 'left', buttons: 1, clickCount: 1 });
    await page.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: points[1][0], y: points[1][1], button: 'left', buttons: 1 });
    await page.waitFor(() => document.querySelector('.facts').checkVisibility());
    assert.equal(await page.evaluate(() => document.querySelector('[data-part=undo]').disabled), true, 'the stroke is not complete yet');
    await page.send('Input.dispatchMouseEvent', { type: 'mouseReleased', x: points[2][0], y: points[2][1], button: 'left', clickCount: 1 });
    await settled(page);
    assert.equal(await page.evaluate(() => document.querySelector('[data-part=undo]').disabled), false);
});

test('everything by keyboard', async () => {
    await open();
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
    await assertMaskOfCommand(FRUIT);
    await page.press('?');
    await page.waitFor(() => document.querySelector('#help').open);
    await page.press('Escape');
    await page.waitFor(() => !document.querySelector('#help').open);
});

test('on a phone: a finger draws, two zoom, nothing is cut off', async () => {
    await open({ width: 360, height: 740, touch: true, scale: 2 });
    const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    assert.ok(await fits());
    await openExample(page, 'fruit');
    assert.ok(await fits());
    await draw(page, PEAR);
    await settled(page);
    const object = await fact(page, 'Object');
    assert.ok(object);
    await screenshot('phone');
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
    await open();
    const broken = join(work.folder, 'broken.png');
    await writeFile(broken, 'no picture at all');
    await page.chooseFile('#cutout input[type=file]', broken);
    await page.waitFor(() => document.querySelector('#cutout [data-part=refused]').checkVisibility());
    const words = await page.evaluate(() => document.querySelector('#cutout [data-part=refused]').textContent);
    assert.ok(words.length > 10, words);
    await openExample(page, 'mug');
    await page.chooseFile('#cutout input[type=file]', broken);
    await seen(page, '[data-part=notice]', words);
    await draw(page, [[320, 240]]);
    await settled(page);
    assert.equal(await page.evaluate(() => document.querySelector('[data-part=notice]').checkVisibility()), false, 'it goes when all is well');
});

test('a server that is killed and comes back costs nothing, nor does a reload', async () => {
    let own = await Server.start();
    try {
        await open({}, own.address);
        await page.chooseFile('#cutout input[type=file]', FRUIT);
        await page.waitFor(() => document.querySelector('#cutout .workspace')?.checkVisibility());
        await draw(page, PEAR);
        await settled(page);
        await own.stop('SIGKILL');
        await draw(page, AROUND, { button: 'right' });
        await page.waitFor(() => document.querySelector('#lost').checkVisibility());
        own = await Server.start([], own.port);
        await page.waitFor(() => !document.querySelector('#lost').checkVisibility());
        await settled(page);
        const object = await fact(page, 'Object');
        await assertMaskOfCommand();
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
    await open();
    await page.click('#tab-restore');
    await page.click('#restore [data-part=example]');
    await page.waitFor(() => document.querySelector('#restore [data-part=result]').checkVisibility());
    await screenshot('restore');
    const saved = await page.download('#restore [data-part=save]');
    const { pixels, object } = await compare(page, saved, saved);
    assert.equal(pixels, 480 * 240);
    assert.ok(object > 0.6 * pixels && object < 0.98 * pixels, `${object} of ${pixels} pixels are paper`);
});

// ---- a folder ----

const SMALL = [120, 90];

/** Marks the disk of the photograph that is open, and waits until that is saved. */
async function markDisk([x, y]) {
    await draw(page, [[x - 6, y], [x + 6, y]], { size: SMALL });
    await settled(page);
    await page.press('b');
    await draw(page, [[5, 84], [112, 84]], { size: SMALL });
    await settled(page);
    await page.press('o');
    await seen(page, '[data-part=saved]', 'Saved');
}

const stateIs = (state) => page.waitFor((wanted) => document.querySelector('[data-part=one]').dataset.state === wanted, state);
const nameIs = (name) => seen(page, '[data-part=name]', name);

test('a folder is marked, two pages do not lose marks, and what is learned is used', async () => {
    const data = join(work.folder, 'folder');
    const middles = await makeFolder(data, 6, SMALL);
    const own = await Server.start(['--data', data]);
    try {
        await open({}, own.address);
        await page.click('#tab-folder');
        await page.click('.thumbnails li:first-child button');
        await nameIs('disk1');
        for (let i = 0; i < middles.length; i++) {
            await nameIs(`disk${i + 1}.png`);
            await markDisk(middles[i]);
            await page.press('d');
            await stateIs('done');
            if (i === 0) await screenshot('marking');
            if (i + 1 < middles.length) await page.press('n');
        }
        assert.equal((await readdir(join(data, 'labels'))).length, 6);
        assert.equal((await readdir(join(data, 'scribbles'))).filter((name) => /^disk\d\.(png|json)$/.test(name)).length, 6);
        await page.press('d');
        await stateIs('marked');
        await page.press('d');
        await stateIs('done');

        const first = page;
        const second = await browser.page();
        page = second;
        await page.goto(`${own.address}#folder`);
        await page.click('.thumbnails li:nth-child(6) button');
        await nameIs('disk6');
        page = first;
        await draw(page, [[8, 8], [30, 8]], { size: SMALL, button: 'right' });
        await seen(page, '[data-part=saved]', 'Saved');
        page = second;
        await draw(page, [[100, 8], [90, 8]], { size: SMALL, button: 'right' });
        await page.waitFor(() => document.querySelector('[data-part=conflict]').checkVisibility());
        await page.click('[data-part=keep-mine]');
        await seen(page, '[data-part=saved]', 'Saved');
        await page.press('d');
        await stateIs('done');
        assert.deepEqual(second.problems, []);
        await second.close();
        page = first;

        await page.click('[data-part=overview-open]');
        await seen(page, '[data-part=counts]', '6 done');
        await page.click('[data-part=learn-start]');
        await page.waitFor(() => document.querySelector('[data-part=learn]').dataset.state === 'done');
        await page.waitFor(() => document.querySelectorAll('.learn svg.chart').length === 2);
        await screenshot('learned');
        const learned = await page.evaluate(() => [...document.querySelectorAll('.models input')].map((each) => each.value));
        assert.ok(learned.length >= 2, 'the model inside, and the learned one');
        await page.click(`.models input[value="${learned.find((name) => name !== 'inside')}"]`);
        await page.waitFor(() => [...document.querySelectorAll('#folder [data-part=method] option')].some((each) => each.value === 'learned'));
        await page.click('.thumbnails li:nth-child(2) button');
        await nameIs('disk2');
        await settled(page);
        assert.equal(await page.evaluate(() => document.querySelector('#folder [data-part=method]').value), 'learned');
        await page.click('[data-part=overview-open]');
        await page.click('.models input[value=inside]');
        await page.waitFor(() => document.querySelector('#folder [data-part=method]').value !== 'learned');
    } finally {
        await own.stop();
    }
});
