// cutout.js - the tab "Cut out": photographs from anywhere, one or a list of them, marked and cut out.

import { acceptFiles, ask, make, partsOf, say } from './dom.js';
import { MarkList } from './marks.js';
import * as storage from './storage.js';
import { Strip, examplePicture } from './strip.js';
import { Workspace } from './workspace.js';

const KEEP_MILLISECONDS = 250; // after the last mark

export class CutOut {
    #engine;
    #timer = 0;
    #list = [];      // photographs: {id, name, source: a Blob or {example}, picture of the engine, marks: a MarkList, marked}
    #open = null;    // one of them
    #wanted = null;  // the one that was asked for last
    #opening = null; // a promise while one is on its way

    constructor(root, engine, state) {
        this.root = root;
        this.#engine = engine;
        this.parts = partsOf(root);
        this.workspace = new Workspace(root, engine, state, () => this.#keepSoon());
        this.workspace.root.hidden = true;
        this.strip = new Strip(this.parts.photographs, (photograph) => this.#switchTo(photograph), (photograph) => this.close(photograph));
        const { listActions, close, add } = this.workspace.parts;
        listActions.hidden = false;
        close.addEventListener('click', () => this.close(this.#open));
        acceptFiles(root, [this.parts.choose, add], (files) => this.#take(files));
        this.#offer(state.examples);
        this.#restore();
    }

    #offer(examples) {
        this.parts.examples.hidden = !examples.length;
        for (const { name, title } of examples) {
            const image = make('img', { src: examplePicture(name), alt: '', width: 96, height: 72 });
            image.addEventListener('error', () => image.remove()); // examples may come without a picture
            const button = make('button', { className: 'button example' }, image, title);
            button.addEventListener('click', () => this.add([{ name, source: { example: name } }]));
            this.parts.examples.append(button);
        }
    }

    /** Photographs join the list; a list of marks is for the photograph that is open. */
    #take(files) {
        const pictures = files.filter((file) => !file.name.endsWith('.json'));
        if (pictures.length) this.add(pictures.map((file) => ({ name: file.name, source: file })));
        else if (this.#open) this.workspace.readList(files[0]);
        else this.#show('This is no photograph. A list of marks can be dropped on its photograph once that is open.');
    }

    // ---- the list ----

    /** Adds photographs, {name, source}, and opens the first that can be read. */
    async add(sources) {
        const added = sources.map((source) => ({ id: crypto.randomUUID?.() ?? String(Math.random()), marked: false, ...source }));
        this.#list.push(...added);
        for (const { id, name, source } of added) storage.keepPhotograph(id, { name, source });
        for (const photograph of added) if (await this.open(photograph)) break;
    }

    /** Opens one of the list; of several that are asked for in a hurry the last.  Returns whether it is open. */
    async open(photograph) {
        this.#wanted = photograph;
        this.#opening ??= this.#openWanted().finally(() => { this.#opening = null; });
        await this.#opening;
        return this.#open === photograph;
    }

    async #openWanted() {
        this.root.classList.add('waiting');
        while (this.#wanted !== this.#open) await this.#openOne(this.#wanted);
        this.root.classList.remove('waiting');
    }

    /** One that cannot be read leaves the list. */
    async #openOne(photograph) {
        const { workspace } = this;
        this.#keep();
        try {
            photograph.picture ??= await this.#engine.open(photograph.source);
            photograph.picture.name = photograph.name;
            await workspace.open(photograph.picture, photograph.marks);
            photograph.marks = workspace.marks;
            this.#open = photograph;
            this.#show();
            workspace.parts.canvas.focus({ preventScroll: true });
            this.#keepSoon();
        } catch (error) {
            if (error.code !== 'unreachable') this.#forget(photograph);
            if (this.#wanted === photograph) this.#wanted = this.#open;
            this.#show(this.#list.length ? `${photograph.name}: ${error.message}` : error.message);
        }
    }

    async #switchTo(photograph) {
        if (photograph !== this.#open) await this.open(photograph);
    }

    async go(where) {
        const next = this.#list[this.#list.indexOf(this.#wanted) + (where === 'next' ? 1 : -1)];
        if (next) await this.open(next);
    }

    /** Takes a photograph off the list, after asking where marks would be lost. */
    async close(photograph) {
        if (photograph.marked && !await ask(`Close ${photograph.name}? Its marks will be lost.`, 'Close it', 'Keep it')) return;
        const at = this.#list.indexOf(photograph);
        this.#forget(photograph);
        if (photograph !== this.#open) {
            this.#show();
            return;
        }
        this.workspace.close();
        this.#open = this.#wanted = null;
        const next = this.#list[at] ?? this.#list[at - 1];
        if (next) await this.open(next);
        else {
            this.#show();
            this.parts.choose.focus();
        }
    }

    #forget(photograph) {
        this.#list = this.#list.filter((each) => each !== photograph);
        if (photograph.picture) this.#engine.close(photograph.picture);
        storage.forgetPhotograph(photograph.id);
        this.#keepList();
    }

    #show(refused = '') {
        const opened = this.#open !== null;
        this.parts.welcome.hidden = opened;
        this.parts.strip.hidden = this.#list.length < 2;
        this.workspace.root.hidden = !opened;
        this.strip.show(this.#list, this.#open);
        if (opened && refused) this.workspace.notice(refused);
        else say(this.parts.refused, refused);
    }

    // ---- what survives a reload ----

    #keepList() { return storage.keepList({ order: this.#list.map(({ id }) => id), open: this.#open?.id ?? null }); }

    #keepSoon() {
        const photograph = this.#open;
        if (!photograph) return;
        if (photograph.marked !== !photograph.marks.empty) {
            photograph.marked = !photograph.marks.empty;
            this.strip.show(this.#list, photograph);
        }
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#keep(), KEEP_MILLISECONDS);
    }

    #keep() {
        clearTimeout(this.#timer);
        if (!this.#open) return;
        const { id, marks } = this.#open;
        const { width, height } = marks;
        storage.keepMarks(id, { width, height, history: marks.history(), method: this.workspace.method, connected: this.workspace.connected });
        this.#keepList();
    }

    async #restore() {
        await storage.forgetOld();
        const { order = [], open = null } = await storage.keptList() ?? {};
        for (const id of order) {
            const [photograph, kept] = [await storage.keptPhotograph(id), await storage.keptMarks(id)];
            if (!photograph) continue;
            const marks = kept ? MarkList.restored(kept.history, kept.width, kept.height) : undefined;
            this.#list.push({ id, name: photograph.name, source: photograph.source, marks, marked: Boolean(marks && !marks.empty) });
            if (id === open) {
                this.workspace.parts.method.value = kept?.method ?? this.workspace.method;
                this.workspace.parts.connected.checked = kept?.connected ?? false;
            }
        }
        const first = this.#list.find(({ id }) => id === open) ?? this.#list[0];
        if (first) await this.open(first);
    }
}
