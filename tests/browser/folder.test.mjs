// folder.test.mjs - a folder in a real browser: photographs marked one after the other, two pages at once, and learning.

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { Server, draw, fact, makeFolder, s3svm, seen, settled, useBrowser } from './support.mjs';

const session = useBrowser();

const SMALL = [120, 90];

/** Marks the disk of the photograph that is open, and waits until that is saved. */
async function markDisk(page, [x, y]) {
    await draw(page, [[x - 6, y], [x + 6, y]], { size: SMALL });
    await settled(page);
    await page.press('b');
    await draw(page, [[5, 84], [112, 84]], { size: SMALL });
    await settled(page);
    await page.press('o');
    await seen(page, '[data-part=saved]', 'Saved');
}

const stateIs = (page, state) => page.waitFor((wanted) => document.querySelector('[data-part=one]').dataset.state === wanted, state);
const nameIs = (page, name) => seen(page, '[data-part=name]', name);

test('a folder is marked one after the other, and two pages do not lose marks', async () => {
    const data = join(session.folder, 'folder');
    const middles = await makeFolder(data, 6, SMALL);
    const own = await Server.start(['--data', data]);
    try {
        const page = await session.open(own.address);
        await page.click('.thumbnails li:nth-child(2) button'); // the page opens on the folder
        for (const i of [1, 2, 3, 4, 5, 0]) {
            await nameIs(page, `disk${i + 1}.png`);
            await markDisk(page, middles[i]);
            await page.press('d'); // and the next that is not done comes
        }
        await seen(page, '[data-part=saved]', 'All photographs are done');
        await stateIs(page, 'done');
        assert.equal((await readdir(join(data, 'labels'))).length, 6);
        assert.equal((await readdir(join(data, 'scribbles'))).filter((name) => /^disk\d\.(png|json)$/.test(name)).length, 6);
        await page.press('d');
        await stateIs(page, 'marked');
        await page.press('d');
        await stateIs(page, 'done');
        await page.click('[data-part=overview-open]');
        await page.click('.thumbnails li:nth-child(6) button');
        await nameIs(page, 'disk6.png');

        const other = await session.open(`${own.address}#folder`);
        await other.click('.thumbnails li:nth-child(6) button');
        await nameIs(other, 'disk6');
        await draw(page, [[8, 8], [30, 8]], { size: SMALL, button: 'right' });
        await seen(page, '[data-part=saved]', 'Saved');
        await draw(other, [[100, 8], [90, 8]], { size: SMALL, button: 'right' });
        await other.waitFor(() => document.querySelector('[data-part=conflict]').checkVisibility());
        await other.click('[data-part=keep-mine]');
        await seen(other, '[data-part=saved]', 'Saved');
        await other.press('d');
        await stateIs(other, 'done');
        const { steps } = JSON.parse(await readFile(join(data, 'scribbles/disk6.json'), 'utf8'));
        assert.equal(steps.length, 3);
        assert.ok(steps[2][0].points[0] > 80, 'the marks of the page that kept its own');

        await page.click('[data-part=overview-open]');
        await seen(page, '[data-part=counts]', '6 done');
    } finally {
        await own.stop();
    }
});

test('what maps propose is shown before the first mark, can be corrected, and is done as it is', async () => {
    const [learn, data, model] = ['learn', 'proposed', 'model.json'].map((name) => join(session.folder, name));
    await makeFolder(learn, 6, SMALL, true, 6);
    await makeFolder(data, 2, SMALL, false, 1);
    await s3svm('train', 'segment', '--data', learn, '--dialogues', '--evidence', '--method', 'amn', '--samples', '300', '--C', '100', '--gap', '0.3',
        '-o', model);
    const own = await Server.start(['--data', data, '-m', model]);
    try {
        const page = await session.open(own.address);
        const can = (part) => page.evaluate((name) => !document.querySelector(`#folder [data-part=${name}]`).disabled, part);
        const proposed = () => seen(page, '#folder [data-part=hint]', 'Proposed by the maps. Click to correct.');
        await page.click('.thumbnails li:first-child button');
        await nameIs(page, 'disk1.png');
        await proposed();
        await settled(page);
        const share = await fact(page, 'Object');
        assert.ok(parseFloat(share) > 5 && parseFloat(share) < 12, `a disk of radius 17 of 120 x 90 pixels is 8.4 %: ${share}`);
        assert.equal(await fact(page, 'Proposed'), 'by the maps');
        assert.deepEqual([await can('save-cutout'), await can('save-mask'), await can('look-next'), await can('save-strokes'), await can('undo')],
            [true, true, true, false, false]);

        await draw(page, [[100, 80], [110, 80]], { size: SMALL, button: 'right' });
        await settled(page);
        assert.equal(await fact(page, 'Proposed'), null);
        await page.press('z');
        await proposed();
        await settled(page);
        assert.equal(await fact(page, 'Object'), share, 'undone to the proposal');

        await page.press('d');
        await nameIs(page, 'disk2.png');
        await seen(page, '#folder [data-part=hint]', 'Draw a stroke on the object');
        assert.equal(await can('save-mask'), false);
        await page.press('d');
        await seen(page, '#folder [data-part=notice-words]', 'Mark something first');
        assert.deepEqual(await readdir(join(data, 'labels')), ['disk1.png']);
        assert.deepEqual(JSON.parse(await readFile(join(data, 'scribbles/disk1.json'), 'utf8')).steps, []);
    } finally {
        await own.stop();
    }
});

test('undo and redo survive a reload, and another photograph in between', async () => {
    const data = join(session.folder, 'undo');
    const [first] = await makeFolder(data, 2, SMALL);
    const own = await Server.start(['--data', data]);
    try {
        const page = await session.open(own.address);
        await page.click('.thumbnails li:first-child button');
        await nameIs(page, 'disk1.png');
        const can = () => page.evaluate(() => ['undo', 'redo'].map((part) => !document.querySelector(`#folder [data-part=${part}]`).disabled));
        const steps = async () => JSON.parse(await readFile(join(data, 'scribbles/disk1.json'), 'utf8')).steps.length;
        for (const dx of [0, 4, 8]) await draw(page, [[first[0] + dx, first[1]]], { size: SMALL });
        await page.press('z');
        await seen(page, '[data-part=saved]', 'Saved');
        assert.equal(await steps(), 2);
        assert.deepEqual(await can(), [true, true]);
        await page.press('n');
        await nameIs(page, 'disk2.png');
        assert.deepEqual(await can(), [false, false]);
        await page.press('p');
        await nameIs(page, 'disk1.png');
        assert.deepEqual(await can(), [true, true], 'after another photograph');
        await page.reload();
        await nameIs(page, 'disk1.png');
        assert.deepEqual(await can(), [true, true], 'after a reload');
        await page.press('y');
        await seen(page, '[data-part=saved]', 'Saved');
        assert.equal(await steps(), 3);

        const other = await session.open(own.address); // another browser: it knows the marks in their order alone
        await other.click('.thumbnails li:first-child button');
        await nameIs(other, 'disk1.png');
        await other.press('z');
        await seen(other, '[data-part=saved]', 'Saved');
        assert.equal(await steps(), 2);
    } finally {
        await own.stop();
    }
});

test('on a phone, a photograph from a list that was scrolled is opened at its upper end', async () => {
    const data = join(session.folder, 'phone');
    await makeFolder(data, 24, SMALL);
    const own = await Server.start(['--data', data]);
    try {
        const page = await session.open(own.address, { width: 360, height: 740, touch: true, scale: 2 });
        await page.waitFor(() => document.querySelectorAll('.thumbnails li').length === 24);
        await page.click('.thumbnails li:nth-child(22) button');
        await page.waitFor(() => document.querySelector('#folder .workspace')?.checkVisibility());
        const places = await page.evaluate(() => ['done', 'next'].map((part) => document.querySelector(`#folder [data-part=${part}]`).getBoundingClientRect())
            .map(({ top, bottom, height, width }) => ({ seen: top >= 0 && bottom <= innerHeight, large: height >= 44 && width >= 44 })));
        assert.deepEqual(places, [{ seen: true, large: true }, { seen: true, large: true }]);
        await page.evaluate(() => document.querySelector('main').scrollTo(0, 400));
        assert.ok(await page.evaluate(() => document.querySelector('#folder [data-part=done]').getBoundingClientRect().top >= 0), 'nor does the bar go');
    } finally {
        await own.stop();
    }
});

test('learning stops, goes on, and what is learned is used; one can go back', async () => {
    const data = join(session.folder, 'learning');
    await makeFolder(data, 4, SMALL, true);
    const own = await Server.start(['--data', data]);
    try {
        const page = await session.open(`${own.address}#folder`);
        page.patience = 300000; // 4 seconds of work at a lower priority, on a machine that may be busy
        await page.click('[data-part=learn-start]');
        await page.click('[data-part=learn-stop]');
        await page.waitFor(() => document.querySelector('[data-part=learn]').dataset.state === 'stopped');
        await page.click('[data-part=learn-resume]');
        await page.waitFor(() => document.querySelector('[data-part=learn]').dataset.state === 'done');
        await page.waitFor(() => document.querySelectorAll('.learn svg.chart').length === 2);
        const learned = await page.evaluate(() => [...document.querySelectorAll('.models input')].map((each) => each.value));
        assert.ok(learned.length >= 2, 'the model inside, and the learned one');
        await page.click(`.models input[value="${learned.find((name) => name !== 'inside')}"]`);
        await page.waitFor(() => [...document.querySelectorAll('#folder [data-part=method] option')].some((each) => each.value === 'learned'));
        await page.click('.thumbnails li:nth-child(2) button');
        await nameIs(page, 'disk2');
        await settled(page);
        assert.equal(await page.evaluate(() => document.querySelector('#folder [data-part=method]').value), 'learned');
        await page.click('[data-part=overview-open]');
        await page.click('.models input[value=inside]');
        await page.waitFor(() => document.querySelector('#folder [data-part=method]').value !== 'learned');
    } finally {
        await own.stop();
    }
});
