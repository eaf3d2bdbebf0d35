// segmenter.js - a photograph, marks in it, and the object that they mean.

import { arrayOf, countOf } from './energy.js';
import { S3svmError } from './module.js';

const FORMAT = { format: 's3svm marks', version: 1 };

/** What web_segmenter_result and web_confidence give, in their order. */
const RESULT = ['object', 'energy', 'bound', 'reduction', 'backgroundAssumed', 'borderAssumed', 'objectAssumed', 'look', 'solve', 'refine', 'unmarked'];
const PLACE = ['found', 'x', 'y', 'label', 'confidence', 'pieces', 'seconds'];

const named = (names, numbers) => Object.fromEntries(names.map((name, i) => [name, numbers[i]]));

/** A place in the module that is still held. */
function held(handle, what) {
    if (!handle) throw new S3svmError(`This ${what} has been freed.`, 'argument');
    return handle;
}

/** Pixels as canvases have them: four bytes each, red, green, blue and opacity. */
export class Photograph {
    #module;
    #handle;

    constructor(module, { width, height, data }) {
        this.#module = module;
        this.width = countOf(width, 'The width');
        this.height = countOf(height, 'The height');
        const bytes = data instanceof Uint8ClampedArray ? data : arrayOf(Uint8Array, data, 'Pixels');
        if (bytes.length !== 4 * width * height)
            throw new S3svmError(`${bytes.length} bytes; ${width} x ${height} pixels have ${4 * width * height}.`, 'argument');
        this.#handle = module.lend([bytes], (place) => module.make('web_photograph_create', width, height, place));
    }

    get handle() { return held(this.#handle, 'photograph'); }

    free() {
        this.#module.get('web_photograph_free', this.#handle);
        this.#handle = 0;
    }
}

export class Segmenter {
    #module;
    #photograph;
    #own;
    #handle;
    #steps = []; // as in a list of marks
    #connected = false;

    /** photograph is freed with this where it is its own. */
    constructor(module, photograph, { model, own, pixels = 0, rough = false, connected = false }) {
        this.#module = module;
        this.#photograph = photograph;
        this.#own = own;
        this.#handle = module.make('web_segmenter_create', model, photograph.handle, pixels, rough);
        this.connected = connected;
    }

    get #segmenter() { return held(this.#handle, 'segmenter'); }

    free() {
        this.#module.get('s3svm_segmenter_free', this.#handle);
        if (this.#own) this.#photograph.free();
        this.#handle = 0;
    }

    get width() { return this.#photograph.width; }
    get height() { return this.#photograph.height; }
    get #pixels() { return this.width * this.height; }

    /** Whether only what is connected with a mark of the object is object. */
    get connected() { return this.#connected; }
    set connected(wanted) {
        if (wanted !== this.#connected) this.#module.get('web_segmenter_tidy', this.#segmenter, wanted);
        this.#connected = wanted;
    }

    // ---- marks ----

    stroke(points, { label = 'object', radius = 5 } = {}) { return this.#add({ shape: 'stroke', label, radius, points: [...points] }); }
    box(corners) { return this.#add({ shape: 'box', points: [...corners] }); }
    outline(points) { return this.#add({ shape: 'outline', points: [...points] }); }
    undo() { return this.follow(this.#steps.slice(0, -1)); }

    #add(mark) { return this.follow([...this.#steps, [mark]]); }

    /** The list of marks. */
    get marks() { return { ...FORMAT, width: this.width, height: this.height, steps: structuredClone(this.#steps) }; }

    /** Makes the marks those of a list, or of the steps of one: takes back what differs, adds what is new. */
    follow(marks) {
        for (const step of this.stepsTo(marks)) void step;
        return this;
    }

    /** The same, step by step: a generator of the share that is done.  Whoever stops it has the steps so far. */
    * stepsTo(marks) {
        const list = Array.isArray(marks) ? { ...FORMAT, width: this.width, height: this.height, steps: marks } : marks;
        const module = this.#module;
        const text = new TextEncoder().encode(JSON.stringify(list));
        const dialogue = module.lend([text, new TextEncoder().encode('marks\0')],
            (place, name) => module.make('s3svm_dialogue_parse', place, text.length, name));
        try {
            const count = module.get('s3svm_dialogue_steps', dialogue);
            const common = module.get('s3svm_dialogue_common', module.get('s3svm_segmenter_dialogue', this.#segmenter), dialogue);
            module.get('s3svm_segmenter_cut', this.#segmenter, common);
            this.#steps = list.steps.slice(0, common);
            for (let step = common; step < count; step++) {
                yield (step - common) / (count - common);
                module.call('s3svm_segmenter_step', this.#segmenter, dialogue, step);
                this.#steps.push(structuredClone(list.steps[step]));
            }
        } finally {
            module.get('s3svm_dialogue_free', dialogue);
        }
    }

    // ---- what was found ----

    /** 1 where the object is. */
    get labels() { return this.#module.copy(Uint8Array, this.#module.get('s3svm_segmenter_labels', this.#segmenter), this.#pixels); }

    get result() {
        const { backgroundAssumed, borderAssumed, objectAssumed, look, solve, refine, unmarked, ...rest } = this.#module.lend(
            [new Float64Array(RESULT.length)], (place) => {
                this.#module.get('web_segmenter_result', this.#segmenter, place);
                return named(RESULT, this.#module.view(Float64Array, place, RESULT.length));
            });
        const assumed = { background: backgroundAssumed !== 0, border: borderAssumed !== 0, object: objectAssumed !== 0 };
        return { ...rest, marked: this.#pixels - unmarked, assumed, seconds: { look, solve, refine } };
    }

    /** Numbers of all marks together: 0 nothing, 1 object, 2 background, 3 perhaps object, 4 perhaps background. */
    get drawnMarks() {
        const image = this.#module.get('s3svm_segmenter_marks', this.#segmenter);
        const [, , , pixels] = this.#module.view(Uint32Array, image, 4); // an s3svm_image
        return this.#module.copy(Uint8Array, pixels, this.#pixels);
    }

    /** Photograph, segmenter and what stands before, as a picture. */
    #picture(name, ...values) {
        return this.#module.lend([new Uint8Array(4 * this.#pixels)], (place) => {
            this.#module.call(name, this.#photograph.handle, this.#segmenter, ...values, place);
            return { width: this.width, height: this.height, data: this.#module.copy(Uint8ClampedArray, place, 4 * this.#pixels) };
        });
    }

    /** The object alone, with a soft edge. */
    cutout() { return this.#picture('web_cutout'); }
    overlay() { return this.#picture('web_overlay'); }

    /** What pixels say by themselves, and what their neighbours changed. */
    unaries() { return this.#picture('web_why', false); }
    prior() { return this.#picture('web_why', true); }

    /** How sure each piece is, and where to look next. */
    confidence() {
        const module = this.#module;
        return module.lend([new Float32Array(this.#pixels), new Float64Array(PLACE.length)], (map, numbers) => {
            module.call('web_confidence', this.#segmenter, map, numbers);
            const { found, x, y, label, confidence, ...rest } = named(PLACE, module.view(Float64Array, numbers, PLACE.length));
            const next = found ? { x, y, label: label ? 'object' : 'background', confidence } : null;
            return { map: module.copy(Float32Array, map, this.#pixels), next, ...rest };
        });
    }
}
