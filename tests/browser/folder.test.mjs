// folder.test.mjs - a folder in a real browser: photographs marked one after the other, two pages at once, and learning.

import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { Server, draw, makeFolder, seen, settled, useBrowser } from './support.mjs';

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
        await page.click('#tab-folder');
        await page.click('.thumbnails li:first-child button');
        await nameIs(page, 'disk1');
        for (let i = 0; i < middles.length; i++) {
            await nameIs(page, `disk${i + 1}.png`);
            await markDisk(page, middles[i]);
            await page.press('d');
            await stateIs(page, 'done');
            if (i + 1 < middles.length) await page.press('n');
        }
        assert.equal((await readdir(join(data, 'labels'))).length, 6);
        assert.equal((await readdir(join(data, 'scribbles'))).filter((name) => /^disk\d\.(png|json)$/.test(name)).length, 6);
        await page.press('d');
        await stateIs(page, 'marked');
        await page.press('d');
        await stateIs(page, 'done');

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

test('learning stops, goes on, and what is learned is used; one can go back', async () => {
    const data = join(session.folder, 'learning');
    await makeFolder(data, 4, SMALL, true);
    const own = await Server.start(['--data', data]);
    try {
        const page = await session.open(`${own.address}#folder`);
        page.patience = 300000; // 4 seconds of work at the lowest priority, on a machine that may be busy
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
