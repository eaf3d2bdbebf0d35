// engine.js - what segments, keeps folders, learns, traces and restores: the one thing that the rest of the page asks.
//
// An engine is an EventTarget with the methods below; all are asynchronous and fail with an EngineError whose message is a
// sentence for people.  ServerEngine asks the server of docs/api.md; an engine that runs in the page itself needs the same
// methods, no more.
//
//     state()                               {version, limits, methods, method, tracers, examples, folder, learning}; tracers are null where
//                                           nothing is traced; where says where pictures go, unless that is to a server
//     open(source)                          a picture {width, height, name}; source: a Blob, {example: name} or {key} of a folder's, which
//                                           may also have {maps: something is proposed before the first mark, note: what is wrong}
//     image(picture)                        a Blob: the picture as the engine sees it
//     labels(picture, request, signal)      {mask: Blob, object, energy, bound, gap, seconds, assumed, proposed, quick} of a request
//                                           {method, connected, marks, quick}; without marks the engine only looks at the picture, which
//                                           need not be done again, or says what the picture's maps propose
//     next(picture, request, signal)        where to look next, of a request {method, connected, marks}: {found, x, y, label, confidence}
//     view(picture, request, signal)        a Blob of the picture's size, of a request {view, method, connected, marks}
//     progress(picture)                     {busy, share, what}
//     close(picture)
//     folder()                              {title, count, done, marked, items: [{key, name, state, revision, unsure?}]}
//     thumbnail(key)                        an address for an <img>
//     save(key, revision, marks)            {revision, state}; code "changed": error.newer is {revision, marks}
//     done(key, revision, marks, {method, connected}), undone(key)     the same
//     cutout(key)                           a Blob: the cut-out of a photograph of the folder that is done
//     coco(form)                            a Blob: all that is done as COCO JSON, form "polygons" or "rle"
//     learning(), learn(action), use(model)
//     trace(picture, model, signal)        {mask: Blob, structure, svg, geojson, seconds}: thin structures, by a model of that name
//     giveTracer(name, file)                names of all such models, now with this one
//     restore(blob)                         {width, height, before: Blob, after: Blob}
//
// Events: "lost" when the engine cannot be reached, "found" when it can again; pictures stay good in between.

export class EngineError extends Error {
    constructor(message, code, newer = null) {
        super(message);
        this.code = code;
        this.newer = newer;
    }
}

/** Requests that a newer one made needless; nobody needs to hear of them. */
export const isSuperseded = (error) => error.name === 'AbortError' || error.code === 'superseded';

const RETRY_MILLISECONDS = 1000; // how often a lost server is tried

export class ServerEngine extends EventTarget {
    #lost = false;
    #limit = Infinity; // bytes of a picture

    async state() {
        const state = await this.#json('GET', '/api/state');
        this.#limit = state.limits.bytes;
        return state;
    }

    // ---- pictures ----

    async open(source) {
        const picture = { source };
        await this.#reopen(picture);
        return picture;
    }

    async image(picture) { return (await this.#ofPicture(picture, 'GET', 'image')).blob(); }

    async labels(picture, request, signal) {
        const answer = await (await this.#ofPicture(picture, 'POST', 'labels', request, signal)).json();
        return { ...answer, mask: fromDataAddress(answer.mask) };
    }

    async next(picture, request, signal) { return (await this.#ofPicture(picture, 'POST', 'next', request, signal)).json(); }
    async view(picture, request, signal) { return (await this.#ofPicture(picture, 'POST', 'view', request, signal)).blob(); }

    async progress(picture) { return (await this.#ofPicture(picture, 'GET', 'progress')).json(); }

    async close(picture) {
        await this.#ask('DELETE', `/api/pictures/${picture.id}`).catch(() => {}); // the server forgets it by itself, too
    }

    // ---- a folder ----

    async folder() {
        const all = await this.#json('GET', '/api/folder?from=0&count=200');
        while (all.items.length < all.count) {
            const more = await this.#json('GET', `/api/folder?from=${all.items.length}&count=200`);
            if (!more.items.length) break;
            all.items.push(...more.items);
        }
        return all;
    }

    thumbnail(key) { return `/api/folder/${encodeURIComponent(key)}/thumbnail`; }

    async save(key, revision, marks) { return this.#json('PUT', `/api/folder/${encodeURIComponent(key)}/marks`, { revision, marks }); }

    async done(key, revision, marks, { method, connected }) {
        return this.#json('POST', `/api/folder/${encodeURIComponent(key)}/done`, { revision, marks, method, connected });
    }

    async cutout(key) { return (await this.#ask('GET', `/api/folder/${encodeURIComponent(key)}/cutout`)).blob(); }
    async coco(form) { return (await this.#ask('GET', `/api/folder/coco/${form}`)).blob(); }

    async undone(key) { return this.#json('POST', `/api/folder/${encodeURIComponent(key)}/undone`, {}); }

    // ---- learning ----

    async learning() { return this.#json('GET', '/api/learning'); }
    async learn(action) { return this.#json('POST', '/api/learning', { action }); }
    async use(model) { return this.#json('POST', '/api/learning/use', { model }); }

    // ---- thin structures ----

    async trace(picture, model, signal) {
        const answer = await (await this.#ofPicture(picture, 'POST', 'trace', { model }, signal)).json();
        return { ...answer, mask: fromDataAddress(answer.mask) };
    }

    async giveTracer(name, file) {
        const text = new Blob([file], { type: 'application/json' });
        return (await this.#json('PUT', `/api/tracers/${encodeURIComponent(name)}`, text)).tracers;
    }

    // ---- drawings ----

    async restore(blob) {
        const drawing = await this.#json('POST', '/api/drawings', await readable(blob));
        const before = await (await this.#ask('GET', `/api/drawings/${drawing.id}/image`)).blob();
        const after = await (await this.#ask('POST', `/api/drawings/${drawing.id}/restored`, { model: null })).blob();
        return { width: drawing.width, height: drawing.height, before, after };
    }

    // ---- how the server is asked ----

    async #reopen(picture) {
        const { source } = picture;
        const answer = source.key
            ? await this.#json('POST', `/api/folder/${encodeURIComponent(source.key)}/open`, {})
            : await this.#json('POST', '/api/pictures', await readable(source));
        Object.assign(picture, answer);
    }

    /** A picture that the server has forgotten, or that an earlier server knew, is opened once more. */
    async #ofPicture(picture, method, what, body, signal) {
        const { id } = picture;
        try {
            return await this.#ask(method, `/api/pictures/${id}/${what}`, body, signal);
        } catch (error) {
            if (error.status !== 404 && error.status !== 410) throw error;
        }
        if (picture.id === id) {
            picture.opening ??= this.#reopen(picture).finally(() => { picture.opening = null; });
            await picture.opening;
        }
        return this.#ask(method, `/api/pictures/${picture.id}/${what}`, body, signal);
    }

    async #json(method, path, body) { return (await this.#ask(method, path, body)).json(); }

    async #ask(method, path, body, signal) {
        const headers = method === 'GET' ? {} : { 'X-S3SVM': '1' };
        const isBlob = body instanceof Blob;
        if (isBlob && body.size > this.#limit) // a server that hangs up while this is sent could not say so
            throw new EngineError(`The file has ${megabytes(body.size)} MB; the server takes at most ${megabytes(this.#limit)}.`, 'large');
        if (body !== undefined) headers['Content-Type'] = isBlob ? pictureType(body) : 'application/json';
        const content = body === undefined || isBlob ? body : JSON.stringify(body);
        let response;
        try {
            response = await fetch(path, { method, headers, body: content, signal });
        } catch (error) {
            if (error.name === 'AbortError') throw error;
            this.#lose();
            throw new EngineError('The server cannot be reached.', 'unreachable');
        }
        if (!response.ok) throw await refusal(response);
        return response;
    }

    /** Says so once, and retries until the server is back. */
    async #lose() {
        if (this.#lost) return;
        this.#lost = true;
        this.dispatchEvent(new Event('lost'));
        for (;;) {
            await new Promise((resolve) => { setTimeout(resolve, RETRY_MILLISECONDS); });
            const answer = await fetch('/api/state').catch(() => null);
            if (answer?.ok) break;
        }
        this.#lost = false;
        this.dispatchEvent(new Event('found'));
    }
}

/** The server looks at the bytes; what a browser knows no type of may still be a picture. */
const pictureType = (blob) => (blob.type.startsWith('image/') || blob.type === 'application/json' ? blob.type : 'image/unknown');

/** The first bytes of what the server reads by itself. */
const SIGNATURES = [[0x89, 0x50, 0x4e, 0x47], [0xff, 0xd8, 0xff], [0x50, 0x32], [0x50, 0x33], [0x50, 0x35], [0x50, 0x36]];

/** A picture that the server reads: as it is, or, of formats that the browser alone knows, such as WebP, GIF, AVIF and BMP, as PNG. */
async function readable(source) {
    if (!(source instanceof Blob)) return source;
    const head = new Uint8Array(await source.slice(0, 4).arrayBuffer());
    if (SIGNATURES.some((bytes) => bytes.every((byte, i) => byte === head[i]))) return source;
    const bitmap = await createImageBitmap(source).catch(() => null);
    if (!bitmap) return source; // the server says what is wrong with it
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext('2d').drawImage(bitmap, 0, 0);
    bitmap.close();
    return canvas.convertToBlob({ type: 'image/png' });
}

const megabytes = (bytes) => Math.round(bytes / 1e6);

async function refusal(response) {
    const answer = await response.json().catch(() => null);
    const message = answer?.error?.message ?? `The server refused: ${response.status} ${response.statusText}`;
    const newer = answer?.error?.code === 'changed' ? { revision: answer.revision, marks: answer.marks } : null;
    const error = new EngineError(message, answer?.error?.code ?? 'refused', newer);
    error.status = response.status;
    return error;
}

function fromDataAddress(address) {
    const comma = address.indexOf(',');
    const text = atob(address.slice(comma + 1));
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    return new Blob([bytes], { type: address.slice(5, comma).split(';')[0] });
}
