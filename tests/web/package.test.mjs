// package.test.mjs - the npm package as others get it: packed, installed into an empty project, and held against the command.
//
// S3SVM names the command, SOURCE_DIR the project, in which make web has been run.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

const { S3SVM, SOURCE_DIR } = process.env;
const PACKAGE = join(SOURCE_DIR, 'build/npm');

let folder;
let npm; // the package, installed
let s3svm;

const run = (program, ...parameters) => execFileSync(program, parameters, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

before(async () => {
    folder = mkdtempSync(join(tmpdir(), 's3svm-package-'));
    const [packed] = JSON.parse(run('npm', 'pack', '--json', PACKAGE));
    writeFileSync(join(folder, 'package.json'), '{ "name": "other", "private": true }\n');
    run('npm', 'install', '--offline', '--no-audit', '--no-fund', join(folder, packed.filename));
    npm = { ...packed, entry: createRequire(join(folder, 'x.js')).resolve('s3svm/s3svm.wasm').replace('s3svm.wasm', 'node.js') };
    s3svm = await (await import(pathToFileURL(npm.entry))).load();
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Numbers that look random, the same each time. */
function* numbers(seed) {
    for (let state = seed; ;) {
        state = state * 16807 % 2147483647;
        yield state / 2147483647;
    }
}

const many = (count, next, work = (x) => x) => Float64Array.from({ length: count }, () => work(next()));

test('the package has what it names, and no more than it needs', () => {
    const names = npm.files.map(({ path }) => path).sort();
    assert.deepEqual(names, ['LICENSE', 'README.md', 'browser.js', 'energy.js', 'index.d.ts', 'module.js', 'node.js', 'package.json', 's3svm.js', 's3svm.wasm',
        'segmenter.js']);
    assert.ok(npm.size < 1e6, `${npm.size} bytes packed`);
    assert.equal(npm.version, s3svm.version, 'the version of the package is that of the library');
});

test('the examples of its README run, and have the types that they need', () => {
    const blocks = [...readFileSync(join(PACKAGE, 'README.md'), 'utf8').matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
    assert.ok(blocks.length >= 3);
    const names = blocks.map((code, i) => {
        writeFileSync(join(folder, `example${i}.mjs`), code);
        writeFileSync(join(folder, `example${i}.mts`), code);
        return `example${i}`;
    });
    for (const name of names) run(process.execPath, `${name}.mjs`);
    try {
        run('tsc', '--version');
    } catch {
        return; // no TypeScript here
    }
    const wrong = join(folder, 'wrong.mts');
    const flags = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom', '--module', 'node16', '--moduleResolution', 'node16'];
    run('tsc', ...flags, ...names.map((name) => `${name}.mts`));
    for (const mistake of ["(await load()).energy(3).addTable('x');", 'new Energy();', '(await load()).cutOut({ width: 1, height: 1 }, []);']) {
        writeFileSync(wrong, `import { Energy, load } from 's3svm';\n${mistake}\n`);
        assert.throws(() => run('tsc', ...flags, wrong), ({ stdout }) => stdout.includes('wrong.mts(2,'), `types find what is wrong: ${mistake}`);
    }
});

test('types name what there is, and nothing else', async () => {
    const types = readFileSync(join(PACKAGE, 'index.d.ts'), 'utf8');
    const classes = new Map([...types.matchAll(/^export class (\w+)[^{]*\{\n(.*?)^\}/gms)].map(([, name, body]) => [name,
        [...body.matchAll(/^ {4}(?:readonly )?(?!private|static)(\w+)[(:]/gm)].map(([, member]) => member).sort()]));
    const energy = s3svm.energy(1);
    const shared = s3svm.photograph({ width: 2, height: 2, data: new Uint8Array(16) });
    const segmenter = s3svm.segmenter(shared);
    const internal = ['constructor', 'handle'];
    for (const [name, one] of Object.entries({ Energy: energy, Photograph: shared, Segmenter: segmenter, S3svm: s3svm })) {
        const members = [...Object.keys(one), ...Object.getOwnPropertyNames(Object.getPrototypeOf(one))];
        assert.deepEqual(classes.get(name), members.filter((member) => !internal.includes(member)).sort(), name);
        assert.equal(one.constructor.name, name);
    }
    const exported = [...types.matchAll(/^export (?:class|function) (\w+)/gm)].map(([, name]) => name).sort();
    for (const entry of ['node.js', 'browser.js'])
        assert.deepEqual(exported, Object.keys(await import(pathToFileURL(join(PACKAGE, entry)))).sort(), entry);
    for (const each of [segmenter, shared, energy]) each.free();
});

test('least energies are those of the command, to the last digit', () => {
    for (let seed = 1; seed <= 12; seed++) {
        const stream = numbers(seed);
        const next = () => stream.next().value;
        const [width, height] = [3 + Math.floor(next() * 20), 3 + Math.floor(next() * 20)];
        const count = width * height;
        const whole = seed % 2 ? Math.round : (x) => x;
        const [zero, one] = [many(count, next, (x) => whole(20 * x)), many(count, next, (x) => whole(20 * x))];
        const differ = [0, whole(3 * next() + 1), whole(4 * next() + 1), 0];
        const text = ['sos 1', `variables ${count}`, `cliques ${height * (width - 1) + (height - 1) * width}`, 'tables 1', 'unary'];
        for (let i = 0; i < count; i++) text.push(`${zero[i]} ${one[i]}`);
        text.push('table 2', differ.join(' '));
        const energy = s3svm.energy(count).setUnaries(zero, one);
        const pairs = [];
        for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
            if (x + 1 < width) pairs.push([y * width + x, y * width + x + 1]);
            if (y + 1 < height) pairs.push([y * width + x, y * width + x + width]);
        }
        for (const pair of pairs) text.push(`clique 0 ${pair.join(' ')}`);
        energy.addCliques(energy.addTable(differ), pairs.flat());
        const file = join(folder, 'energy.sos');
        writeFileSync(file, `${text.join('\n')}\n`);
        const wanted = JSON.parse(run(S3SVM, 'minimize', file, '-o', join(folder, 'labels'), '--json'));
        const found = energy.minimize();
        assert.equal(found.energy, wanted.energy, `seed ${seed}`);
        assert.equal(found.bound, wanted.lower_bound, `seed ${seed}`);
        assert.equal(energy.value(found.labels), found.energy);
        assert.equal(Array.from(found.labels).join(' '), readFileSync(join(folder, 'labels'), 'utf8').trim().replace(/\s+/g, ' '), `seed ${seed}`);
        energy.setUnaries(one, zero);
        const again = energy.minimize();
        assert.deepEqual(energy.minimize({ warm: false }).labels, again.labels, 'warm and cold');
        energy.free();
    }
});

test('tables, patches, concave cliques and fixed labels, against trying all labels', () => {
    for (let seed = 1; seed <= 40; seed++) {
        const stream = numbers(100 + seed);
        const next = () => stream.next().value;
        const [width, height] = [2 + Math.floor(next() * 2), 2 + Math.floor(next() * 2)];
        const count = width * height;
        const energy = s3svm.energy(count).addConstant(next());
        energy.setUnaries(many(count, next), many(count, next));
        const size = 1 + Math.floor(4 * next());
        const table = energy.addTable((labels) => Math.sqrt(labels.reduce((sum, label) => sum + label, 0)) * size / 9, 4);
        energy.addPatches(table, { width, height, weights: many((width - 1) * (height - 1), next) });
        energy.addConcave(Uint32Array.from({ length: count }, (_, i) => i), Float64Array.from({ length: count + 1 }, (_, m) => m * (count - m) / 10), next());
        const fixed = new Uint8Array(count).fill(2);
        fixed[seed % count] = seed % 2;
        energy.fix(fixed);
        const { labels, energy: least, bound } = energy.minimize();
        let best = Infinity;
        for (let set = 0; set < 2 ** count; set++) {
            const tried = Uint8Array.from({ length: count }, (_, i) => set >> i & 1);
            if (tried[seed % count] === seed % 2) best = Math.min(best, energy.value(tried));
        }
        assert.ok(Math.abs(least - best) < 1e-9 && bound <= best + 1e-9 && labels[seed % count] === seed % 2, `seed ${seed}: ${least}, ${best}`);
        energy.free();
    }
});

// ---- pictures ----

/** A disc on a noisy ground, as PPM and as bytes. */
function photograph(seed, width = 150, height = 110) {
    const stream = numbers(seed);
    const data = new Uint8ClampedArray(4 * width * height);
    const colours = Buffer.alloc(3 * width * height);
    for (let i = 0; i < width * height; i++) {
        const inside = Math.hypot(i % width - 60, Math.floor(i / width) - 50) < 30;
        const colour = (inside ? [170, 70, 60] : [70, 100, 120]).map((value) => Math.floor(value + 40 * stream.next().value));
        data.set([...colour, 255], 4 * i);
        colours.set(colour, 3 * i);
    }
    const ppm = Buffer.concat([Buffer.from(`P6 ${width} ${height} 255\n`), colours]);
    return { width, height, data, ppm };
}

const STEPS = [
    [{ shape: 'stroke', label: 'object', radius: 3, points: [50, 50, 70, 52] }],
    [{ shape: 'stroke', label: 'background', radius: 3, points: [10, 10, 140, 12] }],
    [{ shape: 'stroke', label: 'object', radius: 2, points: [60, 30] }, { shape: 'stroke', label: 'background', radius: 2, points: [100, 60, 120, 100] }],
];

const bytesOf = (name, count) => readFileSync(join(folder, name)).subarray(-count);

test('labels and cut-outs are those of s3svm segment, bit for bit', () => {
    for (const [seed, method] of [[1, 's3svm'], [2, 'amn'], [3, 'grabcut'], [4, 's3svm']]) {
        const { ppm, ...picture } = photograph(seed);
        const segmenter = s3svm.segmenter(picture, { method });
        writeFileSync(join(folder, 'p.ppm'), ppm);
        writeFileSync(join(folder, 'marks.json'), JSON.stringify(segmenter.follow(STEPS).marks));
        run(S3SVM, 'segment', 'p.ppm', '--marks', 'marks.json', '--method', method, '-o', 'mask.pgm', '--overlay', 'look.ppm');
        const count = picture.width * picture.height;
        assert.deepEqual(Buffer.from(segmenter.labels.map((label) => 255 * label)), bytesOf('mask.pgm', count), `labels of ${method}`);
        const look = segmenter.overlay().data.filter((_, i) => i % 4 < 3);
        assert.deepEqual(Buffer.from(look), bytesOf('look.ppm', 3 * count), `overlay of ${method}`);
        assert.ok(segmenter.result.object > 2000 && segmenter.result.object < 4000);
        segmenter.free();
    }
});

test('marks follow a list, and are taken back', () => {
    const picture = photograph(5);
    const shared = s3svm.photograph(picture);
    const one = s3svm.segmenter(shared);
    const other = s3svm.segmenter(shared);
    one.follow(STEPS.slice(0, 2));
    const two = one.labels;
    one.follow(STEPS);
    assert.deepEqual([...other.stepsTo(STEPS)], [0, 1 / 3, 2 / 3]);
    assert.deepEqual(one.labels, other.labels);
    assert.deepEqual(one.undo().labels, two);
    assert.deepEqual(one.marks.steps, STEPS.slice(0, 2));
    other.follow([STEPS[1]]).follow(STEPS.slice(0, 2));
    assert.deepEqual(other.labels, two);
    assert.deepEqual(s3svm.cutOut(shared, STEPS.slice(0, 2)).labels, two);
    const { map, next, pieces } = one.confidence();
    assert.ok(map.length === two.length && pieces > 10 && next.x < picture.width);
    assert.equal(next.label, two[next.y * picture.width + next.x] ? 'object' : 'background');
    assert.throws(() => one.follow([[{ shape: 'stroke', label: 'sky', radius: 1, points: [1, 2] }]]), { name: 'S3svmError', code: 'format' });
    assert.deepEqual(one.labels, two, 'what is refused changes nothing');
    const deep = `${'['.repeat(1000)}${']'.repeat(1000)}`;
    assert.throws(() => one.follow(JSON.parse(deep)), { name: 'S3svmError' }, 'brackets a thousand deep');
    assert.deepEqual(one.follow(STEPS.slice(0, 2)).labels, two);
    for (const each of [one, other, shared]) each.free();
    assert.throws(() => one.labels, { code: 'argument', message: /freed/ });
    assert.throws(() => s3svm.segmenter(shared), { code: 'argument', message: /freed/ });
});

test('practice finds its disc, and leaves nothing behind, wherever it is stopped', async () => {
    const { practice } = await import(pathToFileURL(join(SOURCE_DIR, 'programs/web/page/practice.js')));
    const [made, held] = [[], new Set()];
    const engine = {
        segmenter(picture) {
            const segmenter = s3svm.segmenter(picture);
            const { free } = segmenter;
            segmenter.free = () => {
                made.push(segmenter.labels.reduce((sum, label) => sum + label, 0));
                held.delete(segmenter);
                free.call(segmenter);
            };
            held.add(segmenter);
            return segmenter;
        },
    };
    const steps = [...practice(engine)].length;
    assert.ok(made.length > 1 && made.every((object) => object > 1500 && object < 2200), `${made} pixels of the object`);
    for (let stop = 1; stop < steps; stop++) {
        const some = practice(engine);
        for (let step = 0; step < stop; step++) some.next();
        some.return();
        assert.equal(held.size, 0, `stopped after ${stop} steps`);
    }
});

test('a drawing is restored: black and white, and most of it as it was', () => {
    const [width, height] = [120, 80];
    const stream = numbers(7);
    const ink = (i) => Math.hypot(i % width - 60, Math.floor(i / width) - 40) % 20 < 6;
    const greys = Uint8Array.from({ length: width * height }, (_, i) => Math.max(0, Math.min(255, (ink(i) ? 60 : 190) + 260 * (stream.next().value - 0.5))));
    const picture = s3svm.parse(Buffer.concat([Buffer.from(`P5 ${width} ${height} 255\n`), greys]));
    assert.deepEqual(picture.data.filter((_, i) => i % 4 === 1), Uint8ClampedArray.from(greys), 'PGM files are read');
    const { data } = s3svm.restore(picture);
    const wrong = data.reduce((sum, grey, i) => sum + (grey !== (ink(i) ? 0 : 255)), 0);
    assert.ok(data.every((grey) => grey === 0 || grey === 255) && wrong < 0.05 * data.length, `${wrong} wrong pixels`);
});

test('what is wrong is said', () => {
    const argument = { name: 'S3svmError', code: 'argument' };
    const energy = s3svm.energy(2);
    assert.throws(() => energy.setUnaries([1], [2, 3]), argument);
    assert.throws(() => energy.setUnaries([1, NaN], [2, 3]), argument);
    assert.throws(() => energy.addTable([0, 1, 2]), argument);
    assert.throws(() => energy.addTable([0, -1, -1, 0]), { code: 'not submodular', message: /S = 0/ });
    assert.throws(() => energy.addTable(() => 0, 99), argument);
    assert.throws(() => energy.addCliques(3, [0, 1]), argument);
    const table = energy.addTable([0, 1, 1, 0]);
    assert.throws(() => energy.addCliques(table, [0]), argument);
    assert.throws(() => energy.addCliques(table, [0, 2]), { name: 'S3svmError' });
    assert.throws(() => energy.addCliques(table, [0, 1], [1, 2]), argument);
    assert.throws(() => energy.value([0]), argument);
    assert.deepEqual(energy.minimize().labels, new Uint8Array(2));
    energy.free();
    for (const use of [() => energy.minimize(), () => energy.value([0, 0]), () => energy.addConstant(1)]) assert.throws(use, argument);
    assert.throws(() => s3svm.energy(-1), argument);
    assert.throws(() => s3svm.energy(1e9), { name: 'S3svmError' });
    assert.throws(() => s3svm.segmenter({ width: 2, height: 2, data: new Uint8Array(15) }), argument);
    assert.throws(() => s3svm.segmenter({ width: 2, height: 2, data: new Uint8Array(16) }, { method: 'magic' }), argument);
    assert.throws(() => s3svm.parse(Buffer.from('P6 3 3 255\nabc')), { code: 'format' });
});
