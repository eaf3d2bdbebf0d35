// trace.test.mjs - the tab "Trace": a model, a picture, what is found in it, and the files that are saved.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';

import { Server, makeLines, s3svm, seen, useBrowser } from './support.mjs';

const session = useBrowser();
let data, model, picture;
before(async () => {
    data = join(session.folder, 'lines');
    picture = await makeLines(data);
    model = join(data, 'model.json');
    await s3svm('predict', '-m', model, join(data, 'images'), '-o', join(data, 'traced'));
});

const traced = (page) => page.waitFor(() => document.querySelector('#trace [data-part=result]').checkVisibility()
    && document.querySelector('#trace').ariaBusy === 'false');

const part = (name) => `#trace [data-part=${name}]`;

/** What is in sight of the four layers. */
const layers = (page) => page.evaluate(() => ['picture', 'mask', 'overlay', 'lines']
    .filter((name) => document.querySelector(`#trace [data-part=shown] [data-part=${name}]`).checkVisibility()));

async function assertFilesOfCommand(page) {
    for (const [button, ending] of [['save-mask', '.png'], ['save-svg', '.svg'], ['save-geojson', '.geojson']]) {
        const saved = await page.download(part(button));
        assert.deepEqual(await readFile(saved), await readFile(join(data, 'traced', `lines1${ending}`)), ending);
    }
}

test('a model and a picture: mask, overlay and centre lines, and the files of s3svm predict', async () => {
    const own = await Server.start();
    try {
        const page = await session.open(own.address);
        await page.click('#tab-trace');
        await page.chooseFile(part('choose'), picture);
        await seen(page, part('refused'), 'A model comes first: choose one that s3svm train trace has written.');
        await page.chooseFile(part('choose-model'), model); // and the picture that waits is traced
        await traced(page);
        assert.deepEqual(await layers(page), ['picture', 'overlay']);
        for (const [view, wanted] of [['lines', ['picture', 'lines']], ['mask', ['mask']], ['picture', ['picture']], ['overlay', ['picture', 'overlay']]]) {
            await page.click(`#trace input[value=${view}]`);
            assert.deepEqual(await layers(page), wanted);
        }
        const { painted, lines, structures } = await page.evaluate(() => {
            const canvas = document.querySelector('#trace canvas');
            const { data: pixels } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            const alphas = Array.from({ length: pixels.length / 4 }, (_, i) => pixels[4 * i + 3]);
            return { painted: alphas.filter((alpha) => alpha > 0).length / alphas.length,
                lines: document.querySelectorAll('#trace .centre polyline').length,
                structures: document.querySelector('#trace [data-part=facts] td').textContent };
        });
        assert.ok(Math.abs(100 * painted - parseFloat(structures)) < 0.1, `${painted} is painted of ${structures}`);
        const { features } = JSON.parse(await readFile(join(data, 'traced/lines1.geojson'), 'utf8'));
        assert.equal(lines, features.length);
        await assertFilesOfCommand(page);
        await page.click(part('another'));
        assert.ok(await page.evaluate(() => document.querySelector('#trace [data-part=welcome]').checkVisibility()));
    } finally {
        await own.stop();
    }
});

test('the model that the server was started with, others beside it, and what is no model', async () => {
    const own = await Server.start(['--trace', model]);
    try {
        const page = await session.open(`${own.address}#trace`);
        await page.chooseFile(part('choose'), picture);
        await traced(page);
        await assertFilesOfCommand(page);
        const other = join(session.folder, 'other model.json');
        await s3svm('train', 'trace', '--data', data, '--model', 'evidence', '--samples', '3000', '-o', other);
        const earlier = await page.evaluate(() => document.querySelector('#trace canvas').toDataURL());
        await page.chooseFile(part('other-model'), other);
        await page.waitFor((was) => document.querySelector('#trace canvas').toDataURL() !== was, earlier);
        await traced(page);
        const names = () => page.evaluate(() => [...document.querySelectorAll('#trace [data-part=model-again] option')].map(({ value }) => value));
        assert.deepEqual(await names(), ['model.json', 'other_model.json']);
        const wrong = join(session.folder, 'wrong.json');
        await writeFile(wrong, '{"format": "something"}');
        await page.chooseFile(part('other-model'), wrong);
        await page.waitFor(() => document.querySelector('#trace [data-part=refused-again]').textContent.includes('wrong.json'));
        assert.deepEqual(await names(), ['model.json', 'other_model.json']);
    } finally {
        await own.stop();
    }
});
