// strip.js - the photographs of a list as a row of small pictures, above the one that is marked.

import { make } from './dom.js';

const HEIGHT = 44; // of the small pictures, in pixels of the page

/** The address of a small picture of an example. */
export const examplePicture = (name) => new URL(`example-${name}.png`, import.meta.url).href;

export class Strip {
    #entries = new Map(); // by photograph: {item, button, remove}
    #painting = Promise.resolve(); // one at a time: large photographs take memory while they are read

    /** open and close are called with a photograph of the list. */
    constructor(list, open, close) {
        this.list = list;
        this.open = open;
        this.close = close;
    }

    /** Photographs are {name, source, marked}; one of them is the current one. */
    show(photographs, current) {
        for (const photograph of this.#entries.keys()) if (!photographs.includes(photograph)) this.#entries.delete(photograph);
        this.list.replaceChildren(...photographs.map((photograph) => this.#entry(photograph).item));
        for (const [photograph, { button }] of this.#entries) {
            button.setAttribute('aria-current', String(photograph === current));
            button.classList.toggle('marked', photograph.marked);
        }
        this.#entries.get(current)?.item.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }

    #entry(photograph) {
        const known = this.#entries.get(photograph);
        if (known) return known;
        const canvas = make('canvas', { width: HEIGHT * 4 / 3, height: HEIGHT });
        const button = make('button', { className: 'thumbnail', title: photograph.name }, canvas, make('span', {}, photograph.name));
        const remove = make('button', { className: 'remove', title: 'Close' }, '×');
        remove.setAttribute('aria-label', `Close ${photograph.name}`);
        button.addEventListener('click', () => this.open(photograph));
        remove.addEventListener('click', () => this.close(photograph));
        const entry = { item: make('li', {}, button, remove), button };
        this.#entries.set(photograph, entry);
        this.#painting = this.#painting.then(() => paint(canvas, photograph.source)).catch(() => {}); // what the browser cannot read stays blank
        return entry;
    }
}

async function paint(canvas, source) {
    const blob = source.example ? await (await fetch(examplePicture(source.example))).blob() : source;
    const bitmap = await createImageBitmap(blob, { resizeHeight: Math.round(HEIGHT * devicePixelRatio), resizeQuality: 'medium' });
    [canvas.width, canvas.height] = [bitmap.width, bitmap.height];
    canvas.getContext('2d').drawImage(bitmap, 0, 0);
    bitmap.close();
}
