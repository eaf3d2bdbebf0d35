// worker.js - takes requests of the page one after the other: {id, method, values}, or {stop: id} for those that nobody needs any more.
// Answers {id, value} or {id, error: {message, code}}, and {id, share} while a request is under way.

import { load } from '../engine/browser.js';

import { Desk } from './desk.js';

const desk = load().then((engine) => new Desk(engine));
const waiting = new Set(); // requests that are needed
let last = Promise.resolve();

const STOPPED = { code: 'superseded', message: 'A newer request took the place of this one.' };

/** Lets messages in: one of them may stop what is under way. */
const channel = new MessageChannel();
const turn = () => new Promise((resolve) => {
    channel.port1.onmessage = () => resolve();
    channel.port2.postMessage(null);
});

async function answer({ id, method, values }) {
    const goOn = async (share) => {
        await turn();
        if (!waiting.has(id)) throw Object.assign(new Error(STOPPED.message), STOPPED);
        if (share !== undefined) postMessage({ id, share });
    };
    try {
        await goOn();
        postMessage({ id, value: await (await desk)[method](...values, goOn) });
    } catch (error) {
        postMessage({ id, error: { message: error.message, code: error.code ?? 'failed' } });
    }
    waiting.delete(id);
}

addEventListener('message', ({ data }) => {
    if (data.stop !== undefined) {
        waiting.delete(data.stop);
        return;
    }
    waiting.add(data.id);
    last = last.then(() => answer(data));
});
