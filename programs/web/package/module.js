// module.js - the WebAssembly module: its memory, its functions, and their errors.

/** What went wrong: a sentence, and the name of the status. */
export class S3svmError extends Error {
    constructor(message, code) {
        super(message);
        this.name = 'S3svmError';
        this.code = code;
    }
}

const CODES = ['ok', 'argument', 'not submodular', 'range', 'memory', 'format', 'io', 'cancelled']; // of sos_status

const ERROR_BYTES = 4 + 512; // a sos_error: its status, its message
const NO_FILE = 8;   // EBADF of WASI
const NO_CALL = -52; // -ENOSYS, of a system that is not there

/** What the C library asks of its surroundings: a clock.  Files and other libraries there are none; nothing here opens any. */
function surroundings(memory) {
    const clock = (_id, _precision, place) => {
        new DataView(memory().buffer).setBigUint64(place, BigInt(Math.round(performance.now() * 1e6)), true);
        return 0;
    };
    const noFile = () => NO_FILE;
    return {
        wasi_snapshot_preview1: { clock_time_get: clock, fd_close: noFile, fd_read: noFile, fd_write: noFile, fd_seek: noFile },
        env: {
            emscripten_notify_memory_growth: () => {},
            _dlopen_js: () => 0,
            _dlsym_js: () => 0,
            __syscall_rename: () => NO_CALL,
            __syscall_unlink: () => NO_CALL,
        },
    };
}

/** A module that runs.  Functions of C are called by name; those that return a status throw instead. */
export class Module {
    #functions;
    #error;

    constructor(functions) {
        this.#functions = functions;
        this.#functions._initialize?.();
        this.#error = this.take(ERROR_BYTES);
    }

    /** From the bytes of s3svm.wasm, or what was compiled of them. */
    static async of(source) {
        const running = {};
        const made = await WebAssembly.instantiate(source, surroundings(() => running.exports.memory));
        running.exports = (made.instance ?? made).exports;
        return new Module(running.exports);
    }

    /** A function that returns a value. */
    get(name, ...values) { return this.#functions[name](...values); }

    /** A function that returns a status, and takes the place for its error last. */
    call(name, ...values) {
        const status = this.#functions[name](...values, this.#error);
        if (status !== 0) throw this.#failure();
    }

    #failure() {
        const status = this.view(Int32Array, this.#error, 1)[0];
        const words = this.text(this.#error + 4);
        return new S3svmError(`${words.charAt(0).toUpperCase()}${words.slice(1)}.`, CODES[status] ?? 'unknown');
    }

    /** A function whose last argument but the error is the place for a pointer, which is returned. */
    make(name, ...values) {
        return this.lend([new Uint32Array(1)], (place) => {
            this.call(name, ...values, place);
            return this.view(Uint32Array, place, 1)[0];
        });
    }

    // ---- memory ----

    take(bytes) {
        const at = this.#functions.malloc(Math.max(bytes, 1)) >>> 0;
        if (!at) throw new S3svmError(`No memory for ${bytes} bytes.`, 'memory');
        return at;
    }

    free(at) { this.#functions.free(at); }

    /** count numbers of the module's memory, valid until it grows: the next call may do that. */
    view(Kind, at, count) { return new Kind(this.#functions.memory.buffer, at, count); }

    /** A copy of count numbers. */
    copy(Kind, at, count) { return this.view(Kind, at, count).slice(); }

    text(at) {
        const bytes = new Uint8Array(this.#functions.memory.buffer, at);
        return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
    }

    /** Copies arrays into the module for as long as work(places...) runs; null stays 0. */
    lend(arrays, work) {
        const places = [];
        try {
            for (const array of arrays) places.push(array === null ? 0 : this.#copyIn(array));
            return work(...places);
        } finally {
            for (const place of places) if (place) this.free(place);
        }
    }

    #copyIn(array) {
        const at = this.take(array.byteLength);
        this.view(Uint8Array, at, array.byteLength).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
        return at;
    }
}
