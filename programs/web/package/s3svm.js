// s3svm.js - the module as a whole: what it can do, and the models inside, which are prepared when they are first used.

import { Energy } from './energy.js';
import { Module, S3svmError } from './module.js';
import { Photograph, Segmenter } from './segmenter.js';

export { Energy, Photograph, S3svmError, Segmenter };

const COLOUR = 1; // S3SVM_IMAGE_COLOUR
const INK = 0;
const PAPER = 255;

export class S3svm {
    #module;
    #models = new Map(); // of methods; 0: GrabCut, which has none
    #denoise = 0;

    constructor(module) {
        this.#module = module;
        this.version = module.text(module.get('sos_version'));
        this.methods = this.#methodList();
    }

    /** From the bytes of s3svm.wasm, or what was compiled of them. */
    static async of(source) { return new S3svm(await Module.of(source)); }

    #methodList() {
        const all = [];
        for (let at; (at = this.#module.get('s3svm_segmenter_method_at', all.length));) {
            const [name, title, summary] = [...this.#module.view(Uint32Array, at, 3)].map((text) => this.#module.text(text));
            all.push({ name, title, summary });
        }
        return all;
    }

    // ---- energies ----

    /** An energy of that many variables, without costs. */
    energy(variables) { return new Energy(this.#module, variables); }

    /** The labels of a picture's pixels: unary costs of 0 and 1, and a table over all patches, or what neighbours with different labels cost. */
    minimize({ width, height, zero, one, patch = [2, 2], table = null, weights = null, pairs = null }) {
        const energy = this.energy(width * height);
        try {
            energy.setUnaries(zero, one);
            if (table) energy.addPatches(energy.addTable(table, patch[0] * patch[1]), { width, height, patch, weights });
            if (pairs) {
                const differ = energy.addTable([0, pairs, pairs, 0]);
                for (const shape of [[2, 1], [1, 2]]) energy.addPatches(differ, { width, height, patch: shape });
            }
            return energy.minimize();
        } finally {
            energy.free();
        }
    }

    // ---- pictures ----

    /** A photograph that several segmenters can share: {width, height, data}, as ImageData has them. */
    photograph(picture) { return new Photograph(this.#module, picture); }

    /** The picture of a PGM or PPM file, as Photograph takes it. */
    parse(file) {
        const module = this.#module;
        const name = new TextEncoder().encode('picture\0');
        return module.lend([file, name, new Uint32Array(4)], (bytes, title, image) => {
            module.call('s3svm_image_parse', bytes, file.length, title, COLOUR, image);
            const [width, height, channels, pixels] = module.view(Uint32Array, image, 4);
            const colours = module.view(Uint8Array, pixels, channels * width * height);
            const data = new Uint8ClampedArray(4 * width * height).fill(255);
            for (let i = 0; i < width * height; i++)
                for (let c = 0; c < channels; c++) data[4 * i + c] = colours[channels * i + c];
            module.get('s3svm_image_free', image);
            return { width, height, data };
        });
    }

    /** A photograph to mark: a Photograph, or {width, height, data}. */
    segmenter(picture, { method = this.methods[0].name, ...settings } = {}) {
        const model = this.#modelOf(method);
        const own = !(picture instanceof Photograph);
        const photograph = own ? this.photograph(picture) : picture;
        try {
            return new Segmenter(this.#module, photograph, { ...settings, model, own });
        } catch (error) {
            if (own) photograph.free();
            throw error;
        }
    }

    #modelOf(method) {
        if (!this.#models.has(method)) {
            if (!this.methods.some(({ name }) => name === method)) throw new S3svmError(`There is no method '${method}'.`, 'argument');
            const name = new TextEncoder().encode(`${method}\0`);
            this.#models.set(method, this.#module.lend([name], (place) => this.#module.make('s3svm_segmenter_model', place)));
        }
        return this.#models.get(method);
    }

    /** The object of a photograph, by a list of marks or its steps, in one call. */
    cutOut(picture, marks, settings = {}) {
        const segmenter = this.segmenter(picture, settings);
        try {
            segmenter.follow(marks);
            return { labels: segmenter.labels, ...segmenter.cutout(), result: segmenter.result };
        } finally {
            segmenter.free();
        }
    }

    /** A noisy drawing without its noise: grey values, 0 ink and 255 paper. */
    restore(picture) {
        const module = this.#module;
        const drawing = picture instanceof Photograph ? picture : this.photograph(picture);
        const { width, height } = drawing;
        try {
            this.#denoise ||= module.make('web_denoise_model');
            return module.lend([new Uint8Array(width * height)], (place) => {
                module.call('web_restore', this.#denoise, drawing.handle, place);
                return { width, height, data: module.view(Uint8Array, place, width * height).map((ink) => (ink ? INK : PAPER)) };
            });
        } finally {
            if (drawing !== picture) drawing.free();
        }
    }
}
