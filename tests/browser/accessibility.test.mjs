// accessibility.test.mjs - the page as axe sees it (npm ci), light and dark, wide and narrow: nothing serious in any of its places.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { Server, axe, details, draw, makeFolder, makeLines, openExample, settled, useBrowser, violations } from './support.mjs';

const session = useBrowser();
const SMALL = [120, 90];

const LOOKS = [{}, { dark: true }, { width: 360, height: 740, touch: true, scale: 2 }];

for (const look of LOOKS)
    test(`nothing serious is found: ${JSON.stringify(look)}`, { skip: axe ? false : 'no axe-core (npm ci)' }, async () => {
        const data = join(session.folder, `axe-${LOOKS.indexOf(look)}`);
        await makeFolder(data, 3, SMALL, true);
        const lines = await makeLines(join(session.folder, 'lines'));
        const own = await Server.start(['--data', data, '--trace', join(session.folder, 'lines/model.json')]);
        try {
            const page = await session.open(own.address, look);
            const check = async (place) => assert.deepEqual(await violations(page, ['serious', 'critical']), [], place);
            await page.waitFor(() => document.querySelectorAll('.thumbnails li').length === 3);
            await check('the folder');
            await page.click('.thumbnails li:first-child button');
            await page.waitFor(() => document.querySelector('#folder .workspace')?.checkVisibility());
            await settled(page);
            await check('a photograph of the folder');
            await page.click('#tab-cutout');
            await check('the welcome');
            await openExample(page, 'fruit');
            await draw(page, [[255, 190], [262, 240], [270, 300]]);
            await settled(page);
            await details(page);
            await check('a photograph that is marked');
            await page.press('c'); // compared
            await page.press('v', 2); // the cut-out
            await settled(page);
            await check('a comparison');
            await page.press('?');
            await page.waitFor(() => document.querySelector('#help').open);
            await check('the help');
            await page.press('Escape');
            await page.click('#tab-trace');
            await check('the welcome of tracing');
            await page.chooseFile('#trace [data-part=choose]', lines);
            await page.waitFor(() => document.querySelector('#trace [data-part=result]').checkVisibility());
            await check('a picture that is traced');
            await page.click('#tab-restore');
            await page.click('#restore [data-part=example]');
            await page.waitFor(() => document.querySelector('#restore [data-part=result]').checkVisibility());
            await check('a restored drawing');
        } finally {
            await own.stop();
        }
    });
