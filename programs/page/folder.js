// folder.js - the tab "Folder": thumbnails with their state, one photograph after another, saved as they are marked.

import { announce, download, make, partsOf, say, stem } from './dom.js';
import { Learn } from './learn.js';
import { MarkList } from './marks.js';
import { keepHistory, keptHistory } from './storage.js';
import { plural } from './words.js';
import { Workspace } from './workspace.js';
import { Zip } from './zip.js';

const SAVE_MILLISECONDS = 500; // after the last mark
const STATES = { new: '', marked: 'marked', done: 'done' };

/** Where a list says how unsure photographs are (unsure.csv), the least sure come first, and those that it does not name last. */
export function worstFirst(items) {
    return [...items].sort((a, b) => (b.unsure ?? -1) - (a.unsure ?? -1));
}

export class Folder {
    #engine;
    #title;
    #items = [];
    #loaded;           // a promise: the list was read once
    #open = null;      // the photograph that is marked: {key, state, revision, changed since it was done}
    #wanted = null;    // the key of the one that was asked for last
    #opening = null;   // a promise while one is on its way
    #timer = 0;
    #saving = null;    // a promise while a request is under way
    #unsaved = false;
    #newer = null;     // what another page has saved
    #packing = null;   // while cut-outs are collected: who can stop that

    constructor(root, engine, state) {
        this.root = root;
        this.#engine = engine;
        this.#title = state.folder.title;
        this.parts = partsOf(root);
        this.workspace = new Workspace(this.parts.one, engine, state, () => this.#saveSoon());
        this.learn = new Learn(this.parts, engine, () => this.#modelChanged());
        this.#listen();
        this.#loaded = this.refresh();
    }

    /** The photograph that is marked, by its key; null: all of them are in sight. */
    get openKey() { return this.#open?.key ?? null; }
    get marking() { return this.#open !== null; }

    #listen() {
        const press = (part, action) => this.parts[part].addEventListener('click', action);
        press('overviewOpen', () => this.leave());
        press('previous', () => this.go('previous'));
        press('next', () => this.go('next'));
        press('done', () => this.toggleDone());
        press('saveAll', () => this.saveAll());
        press('savePolygons', () => this.#saveCoco('polygons'));
        press('saveRle', () => this.#saveCoco('rle'));
        press('takeTheirs', () => this.#takeTheirs());
        press('keepMine', () => this.#keepMine());
        addEventListener('beforeunload', (event) => {
            if (this.#unsaved) event.preventDefault();
        });
        this.#engine.addEventListener('found', () => {
            this.refresh();
            if (this.#unsaved) this.#save();
        });
    }

    // ---- all photographs ----

    async refresh() {
        try {
            const folder = await this.#engine.folder();
            say(this.parts.problem, '');
            this.#items = worstFirst(folder.items);
            this.parts.title.textContent = folder.title;
            if (!this.parts.overview.hidden) this.#showItems();
        } catch (error) {
            if (error.code !== 'unreachable') say(this.parts.problem, error.message);
        }
    }

    #showItems() {
        const { items, counts } = this.parts;
        const number = (state) => this.#items.filter((item) => item.state === state).length;
        counts.textContent = `${plural(this.#items.length, 'photograph')}, ${number('done')} done, ${number('marked')} marked`;
        this.parts.exports.hidden = !number('done');
        items.replaceChildren(...this.#items.map((item) => this.#thumbnail(item)));
    }

    #thumbnail(item) {
        const image = make('img', { src: this.#engine.thumbnail(item.key), alt: '', loading: 'lazy' });
        const words = STATES[item.state];
        const button = make('button', {}, image, make('span', { className: 'caption' }, item.name));
        if (item.unsure !== undefined) button.title = `about ${(100 * item.unsure).toFixed(1)} % of the pixels may be wrong`;
        if (words) button.append(make('span', { className: `badge ${item.state}` }, words));
        button.addEventListener('click', () => this.open(item.key));
        const entry = make('li', {}, button);
        entry.dataset.key = item.key;
        return entry;
    }

    // ---- files of all that is done ----

    /** The cut-outs of all that is done in one archive, on what lies behind cut-outs in this tab; pressed again it stops. */
    async saveAll() {
        if (this.#packing) {
            this.#packing.abort();
            return;
        }
        this.#packing = new AbortController();
        try {
            await this.#pack(this.#packing.signal);
        } catch (error) {
            say(this.parts.problem, error.message);
        }
        this.#packing = null;
        this.parts.saveAllWords.textContent = 'All cut-outs';
    }

    async #pack(signal) {
        const zip = new Zip();
        const done = this.#items.filter((item) => item.state === 'done');
        say(this.parts.problem, '');
        for (const item of done) {
            this.parts.saveAllWords.textContent = `Stop (${zip.count} of ${done.length})`;
            const cutout = await this.workspace.backdrop.lay(await this.#engine.cutout(item.key));
            if (signal.aborted) return;
            await zip.add(`${stem(item.name)}-cutout.png`, cutout);
        }
        download(zip.blob(), `${this.#title}-cutouts.zip`);
        announce(`${plural(done.length, 'cut-out')} saved.`);
    }

    async #saveCoco(form) {
        say(this.parts.problem, '');
        try {
            download(await this.#engine.coco(form), `${this.#title}-${form}.json`);
        } catch (error) {
            say(this.parts.problem, error.message);
        }
    }

    // ---- one photograph ----

    /** Opens a photograph; of several that are asked for in a hurry the last. */
    async open(key) {
        this.#wanted = key;
        this.#opening ??= this.#openWanted().finally(() => { this.#opening = null; });
        await this.#opening;
    }

    async #openWanted() {
        await this.#loaded;
        this.workspace.root.inert = true;
        while (this.#wanted !== this.openKey) await this.#openOne(this.#wanted);
        this.workspace.root.inert = false;
        this.workspace.parts.canvas.focus({ preventScroll: true });
    }

    async #openOne(key) {
        try {
            await this.#flush();
            const before = this.workspace.picture;
            const picture = await this.#engine.open({ key });
            await this.workspace.open(picture, await this.#marksOf(picture, key));
            if (before) this.#engine.close(before);
            this.#open = { key, state: picture.state, revision: picture.revision, changed: false };
            this.#newer = null;
            this.parts.overview.hidden = true;
            this.parts.one.hidden = false;
            this.#showOpen();
            this.#saved('');
            this.#placeChanged();
        } catch (error) {
            if (this.#wanted === key) this.#wanted = this.#open?.key ?? null;
            if (this.#open) this.workspace.notice(error.message);
            else say(this.parts.problem, error.message);
        }
    }

    /** The marks that the folder has; with all that can be undone and redone, where this browser knows it. */
    async #marksOf({ marks, width, height }, key) {
        const history = await keptHistory(this.#title, key);
        const known = history ? MarkList.restored(history, width, height) : null;
        const same = known && JSON.stringify(known.steps) === JSON.stringify(marks?.steps ?? []);
        return same ? known : MarkList.from(marks, width, height);
    }

    /** The address shows which photograph is open, and a narrow window its upper end. */
    #placeChanged() {
        this.root.dispatchEvent(new CustomEvent('place'));
        this.root.closest('main').scrollTo({ top: 0, behavior: 'instant' });
    }

    async go(where) {
        const next = this.#neighbour(this.#wanted, where);
        if (this.#open && next) await this.open(next.key);
    }

    #neighbour(key, where) {
        const at = this.#items.findIndex((item) => item.key === key);
        return at < 0 ? undefined : this.#items[at + (where === 'next' ? 1 : -1)];
    }

    /** Back to all photographs. */
    async leave() {
        await this.#flush();
        const { key } = this.#open;
        this.#engine.close(this.workspace.picture);
        this.workspace.close();
        this.#open = this.#wanted = null;
        this.parts.one.hidden = true;
        this.parts.overview.hidden = false;
        this.#placeChanged();
        await Promise.all([this.refresh(), this.learn.refresh()]);
        this.parts.items.querySelector(`[data-key="${CSS.escape(key)}"] button`)?.focus();
    }

    #showOpen() {
        const { parts } = this;
        const { key, state } = this.#open;
        const [previous, next] = ['previous', 'next'].map((where) => this.#neighbour(key, where));
        const finished = this.#finished;
        const at = this.#items.findIndex((item) => item.key === key);
        parts.name.textContent = `${this.workspace.picture.name} (${at + 1} of ${this.#items.length})`;
        parts.previous.disabled = !previous;
        parts.next.disabled = !next;
        parts.done.textContent = finished ? 'Not done' : 'Done';
        say(parts.state, STATES[state]);
        parts.state.className = `badge still ${state}`;
        parts.done.classList.toggle('primary', !finished);
        parts.next.classList.toggle('primary', finished && Boolean(next));
        parts.done.title = finished ? 'Takes "done" back (D)' : 'Saves marks and mask, and goes to the next that is not done (D)';
        parts.one.dataset.state = finished || state !== 'done' ? state : 'changed';
        parts.conflict.hidden = !this.#newer;
    }

    /** Done, and not marked further since. */
    get #finished() { return this.#open.state === 'done' && !this.#open.changed; }

    async toggleDone() {
        if (!this.#open || this.#newer) return;
        const undone = this.#finished;
        if (!undone && this.workspace.marks.empty && !this.workspace.proposed) {
            this.workspace.notice('Mark something first: a stroke on the object.');
            return;
        }
        await this.#flush();
        const sent = await this.#send(({ key, revision }) => (undone
            ? this.#engine.undone(key)
            : this.#engine.done(key, revision, this.workspace.marks.dialogue(), this.workspace)));
        if (!sent) return;
        this.#open.changed = false;
        this.#showOpen();
        const { name } = this.workspace.picture;
        if (undone) announce('Not done any more.');
        else await this.#openUnfinished(name);
    }

    /** The next photograph that is not done, from the one that is open on and round to it again. */
    async #openUnfinished(name) {
        await this.refresh();
        const at = this.#items.findIndex((item) => item.key === this.#open.key);
        const next = [...this.#items.slice(at + 1), ...this.#items.slice(0, at)].find((item) => item.state !== 'done');
        if (next) await this.open(next.key);
        const words = next ? `${name} is done` : 'All photographs are done';
        this.#saved(words);
        announce(`${words}.`);
    }

    // ---- saving ----

    #saved(words) { this.parts.saved.textContent = words; }

    #saveSoon() {
        if (!this.#open || this.#newer) return;
        this.#unsaved = true;
        this.#open.changed = true;
        this.#saved('');
        this.#showOpen();
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#save(), SAVE_MILLISECONDS);
    }

    async #save() {
        clearTimeout(this.#timer);
        await this.#saving;
        if (!this.#unsaved || this.#newer) return;
        keepHistory(this.#title, this.#open.key, this.workspace.marks.history());
        await this.#send(({ key, revision }) => this.#engine.save(key, revision, this.workspace.marks.dialogue()));
    }

    /** What is not saved yet is saved now. */
    async #flush() {
        if (this.#open) await this.#save();
    }

    /** Sends marks, and says how that went; returns whether it went well. */
    async #send(request) {
        const open = this.#open;
        this.#unsaved = false;
        this.#saved('Saving…');
        this.#saving = request(open).then((answer) => Object.assign(open, answer), (error) => this.#refused(error));
        const sent = await this.#saving === open;
        this.#saving = null;
        if (sent) this.#saved(this.#unsaved ? '' : 'Saved');
        this.#showOpen();
        return sent;
    }

    #refused(error) {
        this.#unsaved = true;
        this.#saved('Not saved');
        if (error.newer) this.#newer = error.newer;
        else if (error.code !== 'unreachable') this.workspace.notice(`Not saved: ${error.message}`);
    }

    /** The other page's marks; undo brings back those of this one. */
    #takeTheirs() {
        const { revision, marks } = this.#newer;
        this.#newer = null;
        this.#open.revision = revision;
        this.workspace.replaceMarks(marks);
        this.#showOpen();
    }

    #keepMine() {
        this.#open.revision = this.#newer.revision;
        this.#newer = null;
        this.#save();
    }

    // ---- another model ----

    async #modelChanged() {
        this.root.dispatchEvent(new CustomEvent('model', { bubbles: true }));
    }
}
