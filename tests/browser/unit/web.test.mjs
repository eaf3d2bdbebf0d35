// web.test.mjs - what takes the server's place under the page, by Node alone: pictures as PNG, and requests to workers.

import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inflateSync } from 'node:zlib';

const PROGRAMS = fileURLToPath(new URL('../../../programs/', import.meta.url));

let folder; // the modules side by side, as scripts/web lays them
let encodePng;
let WorkerEngine;

/** A worker that notes what it is told, and says what it is made to. */
class FakeWorker extends EventTarget {
    static all = [];
    told = [];

    constructor(address) {
        super();
        assert.match(String(address), /worker\.js$/);
        FakeWorker.all.push(this);
    }

    postMessage(message) { this.told.push(message); }
    say(data) { this.dispatchEvent(Object.assign(new Event('message'), { data })); }
    fail(message) { this.dispatchEvent(Object.assign(new Event('error'), { message })); }

    /** Answers the request that was made last. */
    answer(value) { this.say({ id: this.told.at(-1).id, value }); }
}

before(async () => {
    folder = mkdtempSync(join(tmpdir(), 's3svm-web-'));
    for (const from of ['page', 'web/page']) cpSync(join(PROGRAMS, from), folder, { recursive: true });
    cpSync(join(PROGRAMS, 'web/package/package.json'), join(folder, 'package.json')); // these are modules
    globalThis.Worker = FakeWorker;
    ({ encodePng } = await import(pathToFileURL(join(folder, 'png.js'))));
    ({ WorkerEngine } = await import(pathToFileURL(join(folder, 'worker-engine.js'))));
});
after(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => { FakeWorker.all = []; });

/** Lets promises that are settled go on. */
const tick = () => new Promise((resolve) => { setTimeout(resolve); });

async function opened() {
    const engine = new WorkerEngine();
    const [worker] = FakeWorker.all;
    const opening = engine.open(new Blob(['x']));
    worker.answer({ width: 4, height: 3 });
    return { engine, worker, picture: await opening };
}

test('a PNG has the numbers that it was given', async () => {
    for (const [channels, type, colours] of [[1, 0, null], [3, 2, null], [4, 6, null], [1, 3, [[1, 2, 3], [4, 5, 6]]]]) {
        const [width, height] = [5, 3];
        const data = Uint8Array.from({ length: channels * width * height }, (_, i) => (colours ? i % 2 : i * 37 % 256));
        const bytes = Buffer.from(await (await encodePng(width, height, data, colours)).arrayBuffer());
        assert.equal(bytes.toString('latin1', 0, 8), '\x89PNG\r\n\x1a\n');
        const chunks = {};
        for (let at = 8; at < bytes.length;) {
            const length = bytes.readUInt32BE(at);
            chunks[bytes.toString('latin1', at + 4, at + 8)] = bytes.subarray(at + 8, at + 8 + length);
            at += 12 + length;
        }
        assert.deepEqual([...chunks.IHDR], [0, 0, 0, width, 0, 0, 0, height, 8, type, 0, 0, 0]);
        if (colours) assert.deepEqual([...chunks.PLTE], colours.flat());
        const rows = inflateSync(chunks.IDAT);
        const stride = 1 + channels * width;
        assert.equal(rows.length, height * stride);
        assert.deepEqual([...rows].filter((_, i) => i % stride), [...data]);
    }
});

test('answers go to whoever asked, errors with their code', async () => {
    const { engine, worker, picture } = await opened();
    assert.deepEqual([picture.width, picture.height], [4, 3]);
    const labels = engine.labels(picture, { method: 's3svm', marks: { steps: [] } });
    const view = engine.view(picture, { view: 'mask' });
    const [first, second] = worker.told.slice(-2);
    worker.say({ id: first.id, share: 0.5 });
    assert.deepEqual(await engine.progress(picture), { busy: true, share: 0.5, what: 'segmenting' });
    worker.say({ id: second.id, error: { message: 'No.', code: 'marks' } });
    worker.say({ id: first.id, value: 7 });
    assert.equal(await labels, 7);
    await assert.rejects(view, { message: 'No.', code: 'marks' });
    assert.equal((await engine.progress(picture)).busy, false);
});

test('a request that nobody needs is stopped, and its answer not heard', async () => {
    const { engine, worker, picture } = await opened();
    const abort = new AbortController();
    const labels = engine.labels(picture, { marks: { steps: [] } }, abort.signal);
    const { id } = worker.told.at(-1);
    abort.abort();
    await assert.rejects(labels, { name: 'AbortError' });
    assert.deepEqual(worker.told.at(-1), { stop: id });
    worker.say({ id, value: 1 });
    await assert.rejects(engine.labels(picture, { marks: { steps: [] } }, abort.signal), { name: 'AbortError' });
});

test('quick answers have a worker of their own, which reads a picture once', async () => {
    const { engine, worker, picture } = await opened();
    const told = worker.told.length;
    const first = engine.labels(picture, { quick: true, marks: { steps: [] } });
    const quick = FakeWorker.all[1];
    assert.equal(quick.told.at(-1).method, 'open');
    quick.answer({});
    await tick();
    quick.answer('quick');
    assert.equal(await first, 'quick');
    const second = engine.labels(picture, { quick: true, marks: { steps: [] } });
    await tick();
    quick.answer('again');
    assert.equal(await second, 'again');
    assert.deepEqual(quick.told.map(({ method }) => method), ['open', 'labels', 'labels']);
    assert.equal(worker.told.length, told);
});

test('an engine that cannot be started says so', async () => {
    const engine = new WorkerEngine();
    const state = engine.state();
    FakeWorker.all[0].fail('no such file');
    await assert.rejects(state, { code: 'broken', message: /no such file/ });
});
