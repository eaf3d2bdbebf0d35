#!/usr/bin/env node
// Writes what a network says of photographs as maps: DATA/maps/NAME.npy for every picture DATA/images/NAME.*, log odds of the
// object in float32, height x width, with the size of the picture.
//
//     npm install onnxruntime-node sharp
//     node network.mjs NETWORK.onnx DATA --size 1024x1024 --mean 128 --scale 256 --values probability
//
// The options and the numbers are those of network.py, which see.  The packages are looked for in the folder where it is started.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { parseArgs } from 'node:util';

const ENDINGS = ['.png', '.jpg', '.jpeg', '.webp', '.tif', '.tiff', '.pgm', '.ppm'];
const LEAST = 1e-4; // no probability is believed to be nearer to 0 or 1: log odds are at most 9.2
const USAGE = `Usage: network.mjs NETWORK.onnx DATA --size WxH [options]

  --size WxH          size of the network's input
  --mean X[,X,X]      taken off the values, 0 to 255 (default 0)
  --scale X[,X,X]     divides the values then (default 255)
  --order rgb|bgr     order of the input's channels (default rgb)
  --values probability|logits|softmax
                      what the network puts out; softmax: logits of several labels, one channel each (default probability)
  --output NAME       an output to take; may be repeated: one channel after the other (default: the only one)
  --channel N         take this channel of each output alone, counted from 0
  --threads N         number of threads; 0: as the runtime likes (default 0)
  -o, --out DIR       the folder to write to (default: maps in DATA)`;

class Trouble extends Error {}

function packageLoad(name) {
    for (const place of [path.resolve('package.json'), import.meta.url]) {
        try {
            return createRequire(place)(name);
        } catch (error) {
            if (error.code !== 'MODULE_NOT_FOUND') throw new Trouble(`the package ${name}: ${error.message}`);
        }
    }
    throw new Trouble(`there is no package ${name} here: npm install onnxruntime-node sharp`);
}

// ---- pictures ----

/** {width, height, planes}: red, green and blue, upright as the file's EXIF data say. */
async function pictureRead(sharp, file) {
    const { data, info } = await sharp(file).rotate().removeAlpha().toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
    const n = info.width * info.height;
    const planes = [0, 1, 2].map((c) => Float64Array.from({ length: n }, (_, i) => data[i * info.channels + (info.channels > 2 ? c : 0)]));
    return { width: info.width, height: info.height, planes };
}

/** For each pixel of a resized row the first pixel of the row that has a share in it, and the shares.  Linear between the centres
 *  of pixels; where the row shrinks, means with weights that fall off linearly over a pixel of the small row. */
function shares(size, wanted) {
    const factor = size / wanted;
    const reach = Math.max(factor, 1);
    return Array.from({ length: wanted }, (_, i) => {
        const centre = (i + 0.5) * factor - 0.5;
        const first = Math.max(0, Math.ceil(centre - reach));
        const last = Math.min(size - 1, Math.floor(centre + reach));
        const weights = Array.from({ length: last - first + 1 }, (_unused, k) => Math.max(0, 1 - Math.abs(centre - first - k) / reach));
        const sum = weights.reduce((a, b) => a + b, 0);
        return { first, weights: weights.map((w) => w / sum) };
    });
}

function resize(plane, width, height, toWidth, toHeight) {
    if (width === toWidth && height === toHeight) return plane;
    const across = shares(width, toWidth);
    const down = shares(height, toHeight);
    const rows = new Float64Array(toWidth * height);
    for (let y = 0; y < height; y++) {
        for (let x = 0; x < toWidth; x++) {
            const { first, weights } = across[x];
            let sum = 0;
            for (let k = 0; k < weights.length; k++) sum += weights[k] * plane[y * width + first + k];
            rows[y * toWidth + x] = sum;
        }
    }
    const out = new Float64Array(toWidth * toHeight);
    for (let y = 0; y < toHeight; y++) {
        const { first, weights } = down[y];
        for (let k = 0; k < weights.length; k++) {
            for (let x = 0; x < toWidth; x++) out[y * toWidth + x] += weights[k] * rows[(first + k) * toWidth + x];
        }
    }
    return out;
}

// ---- from numbers to log odds ----

/** Planes of an answer that may have an axis of one picture, and none of channels. */
function planesOf(answer, name) {
    let dims = [...answer.dims];
    while (dims.length > 3 && dims[0] === 1) dims = dims.slice(1);
    if (dims.length === 2) dims = [1, ...dims];
    if (dims.length !== 3) throw new Trouble(`output '${name}' has the shape (${answer.dims.join(', ')}), which is no picture of numbers`);
    const [channels, height, width] = dims;
    const values = Float64Array.from(answer.data, Number);
    if (!values.every(Number.isFinite)) throw new Trouble(`output '${name}' has numbers that are not finite`);
    const n = width * height;
    return { width, height, planes: Array.from({ length: channels }, (_, c) => values.subarray(c * n, (c + 1) * n)) };
}

function probabilityOdds(p) {
    const sure = Math.min(Math.max(p, LEAST), 1 - LEAST);
    return Math.log(sure / (1 - sure));
}

/** The log odds of channel c against all others. */
function softmaxOdds(planes, c, i) {
    let most = -Infinity;
    let sum = 0;
    for (let o = 0; o < planes.length; o++) if (o !== c) most = Math.max(most, planes[o][i]);
    for (let o = 0; o < planes.length; o++) if (o !== c) sum += Math.exp(planes[o][i] - most);
    return planes[c][i] - most - Math.log(sum);
}

function oddsOf(planes, values, name) {
    if (values === 'logits') return planes;
    if (values === 'softmax') {
        if (planes.length < 2) throw new Trouble(`output '${name}' has one channel: --values softmax is for two and more`);
        return planes.map((plane, c) => plane.map((_, i) => softmaxOdds(planes, c, i)));
    }
    for (const plane of planes) {
        const wrong = plane.find((p) => p < -1e-3 || p > 1 + 1e-3);
        if (wrong !== undefined) {
            throw new Trouble(`output '${name}' has the value ${wrong.toPrecision(4)}, which is no probability: --values logits?`);
        }
    }
    return planes.map((plane) => plane.map(probabilityOdds));
}

/** The planes of a picture's maps. */
async function mapsMake(network, picture, o) {
    const n = o.size.width * o.size.height;
    const x = new Float32Array(3 * n);
    for (let c = 0; c < 3; c++) {
        const plane = picture.planes[o.order === 'rgb' ? c : 2 - c];
        const small = resize(plane, picture.width, picture.height, o.size.width, o.size.height);
        for (let i = 0; i < n; i++) x[c * n + i] = (small[i] - o.mean[c]) / o.scale[c];
    }
    const answers = await network.run(x);
    return answers.flatMap(([name, answer]) => {
        const { width, height, planes } = planesOf(answer, name);
        const grown = planes.map((plane) => resize(plane, width, height, picture.width, picture.height));
        const odds = oddsOf(grown, o.values, name);
        if (o.channel === null) return odds;
        if (o.channel >= odds.length) throw new Trouble(`output '${name}' has ${odds.length} channels: there is no channel ${o.channel}, counted from 0`);
        return [odds[o.channel]];
    });
}

// ---- files ----

/** In NumPy's format; appears complete or not at all. */
function mapsWrite(target, width, height, planes) {
    const shape = planes.length > 1 ? `(${height}, ${width}, ${planes.length})` : `(${height}, ${width})`;
    const header = `${`{'descr': '<f4', 'fortran_order': False, 'shape': ${shape}, }`.padEnd(117)}\n`;
    const bytes = Buffer.alloc(128 + 4 * width * height * planes.length);
    bytes.write('\x93NUMPY\x01\x00', 'latin1');
    bytes.writeUInt16LE(header.length, 8);
    bytes.write(header, 10, 'latin1');
    let at = 128;
    for (let i = 0; i < width * height; i++) for (const plane of planes) at = bytes.writeFloatLE(plane[i], at);
    const part = path.join(path.dirname(target), `.${path.basename(target)}.${process.pid}.tmp`);
    try {
        fs.writeFileSync(part, bytes);
        fs.renameSync(part, target);
    } finally {
        fs.rmSync(part, { force: true });
    }
}

function picturesFind(folder) {
    if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new Trouble(`'${folder}': there is no such folder`);
    const found = new Map();
    for (const name of fs.readdirSync(folder).sort()) {
        const { ext, name: stem } = path.parse(name);
        if (!ENDINGS.includes(ext.toLowerCase()) || name.startsWith('.')) continue;
        if (found.has(stem)) throw new Trouble(`'${path.join(folder, name)}' and '${found.get(stem)}' would have the same map`);
        found.set(stem, path.join(folder, name));
    }
    if (!found.size) throw new Trouble(`there are no pictures in '${folder}'`);
    return found;
}

// ---- progress ----

function timeWords(seconds) {
    if (seconds < 100) return `${seconds.toFixed(0)} s`;
    return seconds < 6000 ? `${(seconds / 60).toFixed(0)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** On a terminal one line that is kept up to date, elsewhere a line every ten seconds. */
class Progress {
    #done = 0;
    #began = Date.now();
    #last = Date.now();

    constructor(count) { this.count = count; }

    step() {
        this.#done++;
        const now = Date.now();
        if (now - this.#last < (process.stderr.isTTY ? 200 : 10000) || this.#done === this.count) return;
        this.#last = now;
        const left = (now - this.#began) / 1000 / this.#done * (this.count - this.#done);
        const line = `${this.#done} of ${this.count} maps, about ${timeWords(left)} left`;
        process.stderr.write(process.stderr.isTTY ? `\r${line}\x1b[K` : `${line}\n`);
    }

    say(line) { process.stderr.write(process.stderr.isTTY ? `\r${line}\x1b[K\n` : `${line}\n`); }
}

// ---- a folder ----

async function networkOpen(o) {
    const ort = packageLoad('onnxruntime-node');
    let session;
    try {
        session = await ort.InferenceSession.create(o.network, o.threads ? { intraOpNumThreads: o.threads } : {});
    } catch (error) {
        throw new Trouble(`'${o.network}': ${error.message}`);
    }
    const known = [...session.outputNames].sort();
    if (!o.output.length && known.length > 1) {
        throw new Trouble(`'${o.network}': the network has ${known.length} outputs (${known.join(', ')}): --output names the one to take`);
    }
    const missing = o.output.find((name) => !known.includes(name));
    if (missing !== undefined) {
        throw new Trouble(`'${o.network}': the network has no output '${missing}'; it has ${known.join(', ')}`);
    }
    const wanted = o.output.length ? o.output : known;
    const run = async (x) => {
        const input = new ort.Tensor('float32', x, [1, 3, o.size.height, o.size.width]);
        const answers = await session.run({ [session.inputNames[0]]: input }, wanted);
        return wanted.map((name) => [name, answers[name]]);
    };
    return { run };
}

/** The number of pictures that failed. */
async function folderRun(o) {
    const pictures = picturesFind(path.join(o.data, 'images'));
    const out = o.out ?? path.join(o.data, 'maps');
    fs.mkdirSync(out, { recursive: true });
    const target = (name) => path.join(out, `${name}.npy`);
    const wanted = [...pictures].filter(([name]) => !fs.existsSync(target(name)));
    const progress = new Progress(wanted.length);
    const sharp = wanted.length ? packageLoad('sharp') : null;
    const network = wanted.length ? await networkOpen(o) : null;
    let failed = 0;
    for (const [name, file] of wanted) {
        try {
            const picture = await pictureRead(sharp, file);
            mapsWrite(target(name), picture.width, picture.height, await mapsMake(network, picture, o));
        } catch (error) {
            progress.say(`'${file}': ${error.message.replace(/\s+/g, ' ')}`);
            failed++;
        }
        progress.step();
    }
    progress.say(`${out}: ${wanted.length - failed} maps made, ${pictures.size - wanted.length} were there, ${failed} failed`);
    return failed;
}

// ---- the command line ----

function numbers(option, text) {
    const found = text.split(',').map((word) => (word.trim() ? Number(word) : NaN));
    if (![1, 3].includes(found.length) || !found.every(Number.isFinite)) throw new Trouble(`--${option} takes one number or three, not '${text}'`);
    return found.length > 1 ? found : [...found, ...found, ...found];
}

function count(option, text) {
    if (!/^\d+$/.test(text)) throw new Trouble(`--${option} takes a number, not '${text}'`);
    return Number(text);
}

function choice(option, text, known) {
    if (!known.includes(text)) throw new Trouble(`--${option} takes ${known.join(', ')}, not '${text}'`);
    return text;
}

function optionsRead() {
    const texts = { size: { type: 'string' }, mean: { type: 'string', default: '0' }, scale: { type: 'string', default: '255' },
        order: { type: 'string', default: 'rgb' }, values: { type: 'string', default: 'probability' },
        output: { type: 'string', multiple: true, default: [] }, channel: { type: 'string' }, threads: { type: 'string', default: '0' },
        out: { type: 'string', short: 'o' }, help: { type: 'boolean', short: 'h' } };
    const { values: given, positionals } = parseArgs({ options: texts, allowPositionals: true });
    if (given.help) return null;
    const side = /^(\d+)x(\d+)$/.exec(given.size ?? '');
    if (positionals.length !== 2 || !side || !Number(side[1]) || !Number(side[2])) throw new Trouble(`NETWORK, DATA and --size WIDTHxHEIGHT are needed\n${USAGE}`);
    const o = { network: positionals[0], data: positionals[1], out: given.out, output: given.output,
        size: { width: Number(side[1]), height: Number(side[2]) }, mean: numbers('mean', given.mean), scale: numbers('scale', given.scale),
        order: choice('order', given.order, ['rgb', 'bgr']), values: choice('values', given.values, ['probability', 'logits', 'softmax']),
        channel: given.channel === undefined ? null : count('channel', given.channel), threads: count('threads', given.threads) };
    if (o.scale.includes(0)) throw new Trouble('--scale must not be 0');
    if (!fs.existsSync(o.network)) throw new Trouble(`'${o.network}': there is no such file`);
    return o;
}

try {
    const options = optionsRead();
    if (options) process.exitCode = await folderRun(options) ? 1 : 0;
    else console.log(USAGE);
} catch (error) {
    const expected = error instanceof Trouble || error.code;
    console.error(`network.mjs: ${expected ? error.message : error.stack}`);
    process.exitCode = 1;
}
