// site.test.mjs - the site as Chromium shows it: what axe finds, that nothing is asked of another server, search, colours, keyboard, phones.
//
// SITE names the folder of the site, CHROMIUM the browser, SOURCE_DIR the project with node_modules (npm ci).

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { draw, openExample, settled, useBrowser, violations } from '../browser/support.mjs';
import { serveFolder } from '../web/static.mjs';

const { SITE, SOURCE_DIR } = process.env;
const KINDS = ['index.html', 'guide/segmentation.html', 'guide/first-minute.html', 'background/math.html', 'background/comparison.html',
    'reference/manual/index.html', 'reference/manual/s3svm-segment.html', 'reference/python/index.html', 'reference/python/energies-of-two-labels.html',
    'reference/c/index.html', 'reference/c/sos-minimize.html', 'notebooks/quickstart.html', 'developers/changelog.html', 'source/LICENSE.html'];
const PHONE = { width: 360, height: 740, touch: true, scale: 2 };

const session = useBrowser();
let host, base;

before(async () => {
    host = await serveFolder(SITE, '/');
    base = host.address;
});
after(async () => { await host?.stop(); });

const open = (address, look = {}) => session.open(address.includes(':') ? address : `${base}${address}`, look);

/** All pages of the site, without those of the page to try. */
async function addresses() {
    const files = await readdir(SITE, { recursive: true });
    return files.filter((name) => name.endsWith('.html') && !name.startsWith('try/')).sort();
}

/** Opens search by the key, writes, and waits for what it says. */
async function search(page, words) {
    await page.press('/');
    await page.waitFor(() => document.querySelector('dialog.search')?.open);
    for (const letter of words) await page.press(letter === '+' ? '+' : letter);
    await page.waitFor((wanted) => {
        const note = document.querySelector('dialog.search .note').textContent;
        const first = document.querySelector('#found a');
        return document.querySelector('#query').value === wanted && globalThis.siteIndex && (first || note.startsWith('Nothing'));
    }, words);
    return page.evaluate(() => [...document.querySelectorAll('#found a')].map((item) => item.getAttribute('href')));
}

for (const look of [{}, { dark: true }, PHONE])
    test(`axe finds nothing on any kind of page: ${JSON.stringify(look)}`, async () => {
        for (const kind of KINDS) {
            const page = await open(kind, look);
            assert.deepEqual(await violations(page), [], kind);
        }
        const page = await open('guide/page.html', look);
        await page.click('[data-search]');
        await page.waitFor(() => document.querySelector('dialog.search').open);
        for (const letter of 'energy') await page.press(letter);
        await page.waitFor(() => document.querySelectorAll('#found a').length > 3);
        assert.deepEqual(await violations(page), [], 'search');
    });

test('no page is wider than a phone, none complains, and none asks another server for anything', async () => {
    const page = await open('index.html', PHONE);
    for (const address of await addresses()) {
        await page.goto(`${base}${address}`);
        const { wide, room, broken, elsewhere } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, room: innerWidth,
            broken: [...document.images].filter((image) => image.complete && !image.naturalWidth).map((image) => image.src),
            elsewhere: performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => !name.startsWith(`${location.origin}/`)) }));
        assert.ok(wide <= room, `${address}: ${wide} pixels wide`);
        assert.deepEqual([broken, elsewhere], [[], []], address);
    }
});

test('a request to another server would be seen', async () => {
    const page = await open('guide/page.html');
    const seen = await page.evaluate(async () => {
        await fetch('http://127.0.0.1:9/elsewhere').catch(() => {});
        return performance.getEntriesByType('resource').map(({ name }) => name);
    });
    assert.ok(seen.includes('http://127.0.0.1:9/elsewhere'), String(seen));
});

test('search finds pages, options, functions, and says where it finds nothing', async () => {
    const page = await open('guide/install.html');
    const first = async (words) => (await search(page, words))[0];
    const clear = async () => {
        await page.press('Escape');
        await page.waitFor(() => !document.querySelector('dialog.search').open);
        await page.evaluate(() => { document.querySelector('#query').value = ''; });
    };
    for (const [words, wanted] of [['sos_minimize_batch', /reference\/c\/sos-minimize\.html#sos_minimize_batch$/], ['install', /guide\/install\.html$/],
        ['segmenter', /reference\/(python|c)\/.*segmenter|#Segmenter$/i], ['submodular flow', /background\/math\.html#3-submodular-flow$/],
        ['--backdrop', /segment/], ['slurm', /cluster/]]) {
        assert.match(await first(words), wanted, words);
        await clear();
    }
    assert.deepEqual(await search(page, 'zzqx'), []);
    assert.match(await page.evaluate(() => document.querySelector('dialog.search .note').textContent), /zzqx/);
});

test('search is used by the keyboard alone, and leads to its first result', async () => {
    const page = await open('index.html');
    await search(page, 'graphics card');
    await page.press('ArrowDown');
    await page.press('ArrowUp');
    const state = await page.evaluate(() => ({ active: document.querySelector('#query').getAttribute('aria-activedescendant'),
        selected: document.querySelector('#found [aria-selected=true]').id, href: document.querySelector('#found-0').href }));
    assert.equal(state.active, 'found-0');
    assert.equal(state.selected, 'found-0');
    await page.press('Enter');
    await page.waitFor((wanted) => location.href === wanted && document.documentElement?.dataset.ready === 'true', state.href);
});

test('search works in a folder without a server', async () => {
    const page = await open(`${pathToFileURL(SITE)}/guide/page.html`);
    const found = await search(page, 'expansion moves');
    assert.ok(found.length > 3);
});

test('colours follow the system until they are chosen, and the choice lasts', async () => {
    const page = await open('guide/page.html', { dark: true });
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const dark = await paper();
    assert.equal(await page.evaluate(() => document.querySelector('[data-theme-switch]').getAttribute('aria-pressed')), 'true');
    await page.click('[data-theme-switch]');
    const light = await paper();
    assert.notEqual(light, dark);
    await page.goto(`${base}background/math.html`);
    assert.equal(await paper(), light);
    assert.equal(await page.evaluate(() => document.querySelector('[data-theme-switch]').getAttribute('aria-pressed')), 'false');
});

test('the first stop of the keyboard leads to the text', async () => {
    const page = await open('guide/page.html');
    await page.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
    await page.press('Enter');
    await page.waitFor(() => document.activeElement.id === 'main');
});

test('on a phone the menu opens, shows the way, and closes by Escape', async () => {
    const page = await open('guide/page.html', PHONE);
    const seen = () => page.evaluate(() => document.querySelector('#menu').checkVisibility());
    assert.equal(await seen(), false);
    await page.click('[data-menu]');
    assert.equal(await seen(), true);
    assert.equal(await page.evaluate(() => document.querySelector('#menu [aria-current]').textContent), 'The page in the browser');
    await page.press('Escape');
    assert.equal(await seen(), false);
    assert.equal(await page.evaluate(() => document.activeElement.hasAttribute('data-menu')), true);
});

test('the pictures of the first page are compared, and others chosen', async () => {
    const page = await open('index.html');
    const part = () => page.evaluate(() => getComputedStyle(document.querySelector('.compare .before')).clipPath);
    const first = await part();
    await page.evaluate(() => document.querySelector('[data-slider]').focus());
    await page.press('ArrowRight', 3);
    assert.notEqual(await part(), first);
    await page.click('[data-scene=mug]');
    await page.waitFor(() => [...document.querySelectorAll('.compare img')]
        .every((image) => image.src.includes('/mug.') && image.complete && image.naturalWidth));
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('[data-scene][aria-pressed=true]')].map((each) => each.dataset.scene)), ['mug']);
});

test('the page to try starts in its place, and answers a stroke', { skip: existsSync(join(SITE, 'try')) ? false : 'make web has not built it' }, async () => {
    const page = await open('index.html');
    await page.click('[data-live]');
    await page.waitFor(() => document.querySelector('iframe.window')?.contentDocument?.documentElement?.dataset.ready === 'true');
    assert.deepEqual(await violations(page), []);
    const papers = () => page.evaluate(() => [document, document.querySelector('iframe.window').contentDocument]
        .map(({ body, documentElement }) => [getComputedStyle(body).backgroundColor, getComputedStyle(documentElement).colorScheme]));
    for (const scheme of ['dark', 'light']) {
        await page.click('[data-theme-switch]');
        const [[outside], [inside, said]] = await papers();
        assert.equal(inside, outside, 'it has the colours that were chosen for the site');
        assert.equal(said, scheme);
    }
    await page.goto(`${base}try/index.html`);
    await openExample(page, 'fruit');
    await draw(page, [[255, 190], [262, 240], [270, 300]]);
    await settled(page);
});

test('what can be copied of a terminal are its commands', async () => {
    const page = await open('guide/first-minute.html');
    await page.evaluate(() => {
        Object.defineProperty(globalThis.navigator, 'clipboard', { value: { writeText: (text) => { globalThis.copied = text; return Promise.resolve(); } } });
        document.querySelector('.code[data-language=console] .copy').click();
    });
    assert.equal(await page.evaluate(() => globalThis.copied), 's3svm minimize people.sos -o people.txt');
});

test('every document of the project is on the site', async () => {
    const source = async (name) => /In the repository: <code>([^<]*)</.exec(await readFile(join(SITE, name), 'utf8'))?.[1];
    const shown = await Promise.all((await addresses()).map(source));
    const docs = join(SOURCE_DIR, 'docs');
    const written = (await readdir(docs, { recursive: true })).filter((name) => name.endsWith('.md')).map((name) => join('docs', name));
    assert.ok(written.length > 20);
    assert.deepEqual(written.filter((name) => !shown.includes(name)), []);
});
