// worker-engine.js - the engine of the page (engine.js) without a server: in workers of the browser.
//
// Exact answers have a worker, quick ones another, so that these need not wait for those.  Each reads pictures by itself.

import { EngineError } from './engine.js';

const EXAMPLES = ['fruit', 'mug', 'toy'];
const WHERE = 'Nothing leaves this machine: all is computed by the browser.';

/** A worker, and its answers as promises. */
class Room {
    #worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    #requests = new Map(); // by number: {resolve, reject, shared}
    #next = 0;

    constructor() {
        this.#worker.addEventListener('message', ({ data }) => this.#answered(data));
        this.#worker.addEventListener('error', (event) => this.#broken(event.message));
    }

    #answered({ id, value, error, share }) {
        const request = this.#requests.get(id);
        if (!request) return;
        if (share !== undefined) {
            request.shared(share);
            return;
        }
        this.#requests.delete(id);
        if (error) request.reject(new EngineError(error.message, error.code));
        else request.resolve(value);
    }

    #broken(message) {
        for (const { reject } of this.#requests.values()) reject(new EngineError(`The engine cannot be started: ${message ?? 'it cannot be read'}.`, 'broken'));
        this.#requests.clear();
    }

    practise() { this.#worker.postMessage({ practise: true }); }

    ask(method, values, { signal = null, shared = () => {} } = {}) {
        const id = this.#next++;
        return new Promise((resolve, reject) => {
            signal?.throwIfAborted();
            this.#requests.set(id, { resolve, reject, shared });
            signal?.addEventListener('abort', () => {
                this.#requests.delete(id);
                this.#worker.postMessage({ stop: id });
                reject(signal.reason);
            }, { once: true });
            this.#worker.postMessage({ id, method, values });
        });
    }
}

export class WorkerEngine extends EventTarget {
    #exact = new Room();
    #quick = null; // made when it is first needed
    #keys = 0;

    constructor() {
        super();
        this.#exact.practise();
    }

    async state() {
        const state = await this.#exact.ask('state', []);
        const examples = EXAMPLES.map((name) => ({ name, title: name[0].toUpperCase() + name.slice(1) }));
        return { ...state, where: WHERE, examples, tracers: null, folder: null, learning: { available: false } };
    }

    // ---- pictures ----

    async open(source) {
        const blob = source instanceof Blob ? source : await example(source.example);
        const picture = { key: this.#keys++, blob, share: null, quick: null };
        return Object.assign(picture, await this.#exact.ask('open', [picture.key, blob]));
    }

    async image(picture) { return await this.#exact.ask('image', [picture.key]) ?? picture.blob; }

    async labels(picture, request, signal) { return this.#ask('labels', picture, request, signal); }
    async next(picture, request, signal) { return this.#ask('next', picture, request, signal); }
    async view(picture, request, signal) { return this.#ask('view', picture, request, signal); }

    async progress(picture) { return { busy: picture.share !== null, share: picture.share, what: 'segmenting' }; }

    async close(picture) {
        await this.#exact.ask('close', [picture.key]);
        if (picture.quick) await this.#quick.ask('close', [picture.key]);
    }

    async #ask(method, picture, request, signal) {
        const room = request.quick ? await this.#quickRoom(picture) : this.#exact;
        const shared = (share) => { picture.share = share; };
        return room.ask(method, [picture.key, request], { signal, shared }).finally(() => { picture.share = null; });
    }

    /** With the picture, which it reads once. */
    async #quickRoom(picture) {
        this.#quick ??= new Room();
        picture.quick ??= this.#quick.ask('open', [picture.key, picture.blob]);
        await picture.quick;
        return this.#quick;
    }

    // ---- drawings ----

    async restore(blob) { return this.#exact.ask('restore', [blob]); }
}

async function example(name) {
    const response = await fetch(new URL(`../examples/${name}.jpg`, import.meta.url)).catch(() => null);
    if (!response?.ok) throw new EngineError('The example cannot be read: there is no network.', 'unreachable');
    return response.blob();
}
