// worker.js - takes requests of the page one after the other: {id, method, values}, or {stop: id} for those that nobody needs any more.
// Answers {id, value} or {id, error: {message, code}}, and {id, share} while a request is under way.  {practise: true}: to be faster soon.

import { load } from '../engine/browser.js';

import { Desk } from './desk.js';
import { practice } from './practice.js';

const engine = load();
const desk = engine.then((loaded) => new Desk(loaded));
const waiting = new Set(); // requests that are needed
let last = Promise.resolve();

const STOPPED = { code: 'superseded', message: 'A newer request took the place of this one.' };

/** Lets messages in: one of them may stop what is under way. */
const channel = new MessageChannel();
const turns = []; // of those who wait for theirs
channel.port1.onmessage = () => turns.shift()();
const turn = () => new Promise((resolve) => {
    turns.push(resolve);
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

/** A step at a time, while there are no requests. */
async function practise() {
    for (const step of practice(await engine)) {
        void step;
        await turn();
        await last;
    }
}

addEventListener('message', ({ data }) => {
    if (data.practise) {
        practise().catch(() => {}); // what is wrong is said to whoever asks for something
        return;
    }
    if (data.stop !== undefined) {
        waiting.delete(data.stop);
        return;
    }
    waiting.add(data.id);
    last = last.then(() => answer(data));
});
