// desk.js - what the worker does for the page: pictures that are open, and answers about them, with the engine in the same thread.

import { S3svmError } from '../engine/browser.js';

import { decode, isPnm } from './decode.js';
import { encodePng } from './png.js';

const QUICK_PIXELS = 100000;   // of a quick answer, as on the server
const PICTURES = 2;            // that the engine keeps: others are read again
const DRAWING_PIXELS = 4000000;
const PHOTOGRAPH_PIXELS = 50000000;

const CONFIDENCE_MOST = 100; // S3SVM_CONFIDENCE_MOST

const PALETTE = [[0, 0, 0], [255, 0, 0], [0, 0, 255]]; // of strokes, as s3svm segment reads them
const NUMBERS = [2, 1, 0, 3, 2];                       // OpenCV's, where something is perhaps the object

/** More pictures or methods than the engine keeps do not make it fail: it forgets older ones. */
export class Desk {
    #engine;
    #pictures = new Map(); // by key: {blob, photograph, segmenters}, the one used last at the end

    constructor(engine) { this.#engine = engine; }

    state() {
        const { version, methods } = this.#engine;
        return { version, methods: methods.map(({ name, title, summary }) => ({ name, title, note: summary })), method: methods[0].name };
    }

    // ---- pictures ----

    async open(key, blob) {
        const picture = { blob, photograph: null, segmenters: new Map() };
        const { width, height } = await this.#photograph(picture);
        this.#pictures.set(key, picture);
        this.#forget();
        return { width, height };
    }

    close(key) {
        const picture = this.#pictures.get(key);
        if (picture) this.#release(picture);
        this.#pictures.delete(key);
    }

    /** A PNG of what the browser cannot show by itself; null: it can. */
    async image(key) {
        const { blob } = this.#pictures.get(key);
        if (!await isPnm(blob)) return null;
        const { width, height, data } = this.#engine.parse(new Uint8Array(await blob.arrayBuffer()));
        return encodePng(width, height, data);
    }

    async #read(blob, most) {
        const picture = await isPnm(blob) ? this.#engine.parse(new Uint8Array(await blob.arrayBuffer())) : await decode(blob);
        if (!picture) throw new S3svmError('This is no picture that the browser can read.', 'picture');
        if (picture.width * picture.height > most)
            throw new S3svmError(`The picture has ${picture.width} x ${picture.height} pixels; at most ${most / 1e6} million can be worked on here.`, 'large');
        return picture;
    }

    async #photograph(picture) {
        picture.photograph ??= this.#engine.photograph(await this.#read(picture.blob, PHOTOGRAPH_PIXELS));
        return picture.photograph;
    }

    #release(picture) {
        for (const segmenter of picture.segmenters.values()) segmenter.free();
        picture.segmenters.clear();
        picture.photograph?.free();
        picture.photograph = null;
    }

    #forget() {
        const kept = [...this.#pictures.values()].filter(({ photograph }) => photograph);
        kept.slice(0, Math.max(0, kept.length - PICTURES)).forEach((picture) => this.#release(picture));
    }

    async #segmenter(key, { method, connected = false, quick = false }) {
        const picture = this.#pictures.get(key);
        this.#pictures.delete(key); // to the end
        this.#pictures.set(key, picture);
        const photograph = await this.#photograph(picture);
        this.#forget();
        const session = `${method} ${quick}`;
        if (!picture.segmenters.has(session)) {
            const settings = quick ? { pixels: QUICK_PIXELS, rough: true } : {};
            picture.segmenters.set(session, this.#engine.segmenter(photograph, { method, ...settings }));
        }
        const segmenter = picture.segmenters.get(session);
        segmenter.connected = connected;
        return segmenter;
    }

    /** The segmenter of a request with its marks; turn(share) is awaited between steps, and stops it by failing. */
    async #marked(key, request, turn) {
        const segmenter = await this.#segmenter(key, request);
        for (const share of segmenter.stepsTo(request.marks)) await turn(share);
        if (request.marks.steps.length && !segmenter.result.marked) throw new S3svmError('All marks lie outside of the picture.', 'marks');
        return segmenter;
    }

    // ---- answers ----

    async labels(key, request, turn) {
        const segmenter = await this.#marked(key, request, turn);
        const { result } = segmenter;
        const proven = request.marks.steps.length > 0 && request.method !== 'grabcut';
        const { energy, bound } = proven ? result : { energy: null, bound: null };
        const mask = await maskOf(segmenter);
        return { ...result, mask, energy, bound, gap: proven ? energy - bound : null, proposed: false, quick: Boolean(request.quick) };
    }

    async next(key, request, turn) {
        const { next, pieces, seconds } = (await this.#marked(key, request, turn)).confidence();
        return { found: next !== null, ...next, pieces, seconds };
    }

    async view(key, request, turn) {
        const segmenter = await this.#marked(key, request, turn);
        const { width, height } = segmenter;
        switch (request.view) {
        case 'mask': return maskOf(segmenter);
        case 'marks': return strokesOf(segmenter);
        case 'confidence': return encodePng(width, height, greyOf(segmenter.confidence().map));
        default: return encodePng(width, height, segmenter[request.view]().data);
        }
    }

    async restore(blob) {
        const picture = await this.#read(blob, DRAWING_PIXELS);
        const { width, height, data } = this.#engine.restore(picture);
        const before = await isPnm(blob) ? await encodePng(width, height, picture.data) : blob;
        return { width, height, before, after: await encodePng(width, height, data) };
    }
}

/** Confidence as s3svm segment --confidence writes it. */
const greyOf = (map) => Uint8Array.from(map, (sure) => (sure >= CONFIDENCE_MOST ? 255 : Math.round(255 * sure / (1 + sure))));

const maskOf = ({ width, height, labels }) => encodePng(width, height, labels.map((label) => 255 * label));

/** Marks as a picture of scribbles. */
function strokesOf({ width, height, drawnMarks }) {
    const isPerhaps = drawnMarks.some((mark) => mark > 2);
    return isPerhaps ? encodePng(width, height, drawnMarks.map((mark) => NUMBERS[mark])) : encodePng(width, height, drawnMarks, PALETTE);
}
