// workspace.js - one photograph being marked: tools, board, views, methods, result and what can be saved.

import { Backdrop } from './backdrop.js';
import { Board } from './canvas.js';
import { announce, download, make, partsOf, stem } from './dom.js';
import { isSuperseded } from './engine.js';
import { AnswerQueue } from './answers.js';
import { MarkList } from './marks.js';
import { VIEWS, layerOf, readMask, viewNamed } from './views.js';
import { factsOf, nextWords, shareWords } from './words.js';

const RADIUS_LARGEST = 120;        // of the pen, in pixels of the picture
const BUSY_MILLISECONDS = 150;     // shorter waits are not worth a sign
const PROGRESS_MILLISECONDS = 600; // between questions how far a long computation is
const SCREEN_PIXELS = 2000000;     // a smaller copy of a photograph has about as many

const PROPOSED = 'Proposed by the maps.';

let count = 0;

export class Workspace {
    #engine;
    #state;
    #board;
    #queues = [];
    #answers = [];         // of each side: {answer, mask, marks} or nothing
    #pictures = [];        // of each side: what the engine drew for the view
    #fetching = [];        // of each side: who can stop that
    #busyTimer = 0;
    #looking = null;       // who can stop the question where to look next
    #view = 'outline';

    /** changed is called after each mark that is complete. */
    constructor(host, engine, state, changed) {
        this.#engine = engine;
        this.#state = state;
        this.changed = changed;
        this.root = document.getElementById('workspace').content.firstElementChild.cloneNode(true);
        this.parts = partsOf(this.root);
        this.tools = [...this.root.querySelectorAll('[data-tool]')];
        this.picture = null;
        this.marks = null;
        host.append(this.root);
        this.#board = new Board(this.parts.canvas, (change) => this.#marked(change));
        this.backdrop = new Backdrop(this.parts.behindRow, () => this.#render(), (words) => this.notice(words));
        this.#fill();
        this.#listen();
        engine.addEventListener('found', () => this.refresh());
    }

    get method() { return this.parts.method.value; }
    get connected() { return this.parts.connected.checked; }

    /** Whether what is shown is what maps propose, since nothing is marked. */
    get proposed() { return this.marks.empty && Boolean(this.#answers[0]?.answer.proposed); }

    /** Whether there is something to save. */
    get #hasLabels() { return !this.marks.empty || this.proposed; }

    /** Labels depend on these, besides the marks; the method may be another one than that chosen. */
    #settings(method = this.method) { return { method, connected: this.connected }; }

    // ---- controls ----

    #fill() {
        const { views, whyViews, details } = this.parts;
        const name = `view-${count++}`;
        for (const view of VIEWS) {
            const input = make('input', { type: 'radio', name, value: view.name, checked: view.name === this.#view });
            input.addEventListener('change', () => this.setView(view.name));
            (view.detail ? whyViews : views).append(make('label', { title: view.note ?? '' }, input, make('span', {}, view.title)));
        }
        details.addEventListener('toggle', () => {
            if (!details.open && viewNamed(this.#view).detail) this.setView(VIEWS[0].name); // its button is out of sight
        });
        this.offerMethods(this.#state.methods, this.#state.method);
    }

    /** The methods there are now: learning adds one. */
    offerMethods(methods, chosen = this.method) {
        const { method, second } = this.parts;
        const other = second.value;
        this.#state = { ...this.#state, methods };
        const options = () => methods.map(({ name, title }) => make('option', { value: name }, title));
        method.replaceChildren(...options());
        second.replaceChildren(make('option', { value: '' }, 'nothing'), ...options());
        method.value = methods.some(({ name }) => name === chosen) ? chosen : methods[0].name;
        second.value = methods.some(({ name }) => name === other) ? other : '';
        this.#noteMethod();
    }

    #noteMethod() {
        const { methodNote, firstName, secondName, second, split } = this.parts;
        const { title = '', note = '' } = this.#titled(this.method) ?? {};
        methodNote.textContent = note ? `${title}: ${note}.` : '';
        const compared = second.value !== '';
        for (const part of [firstName, secondName, split]) part.hidden = !compared;
        firstName.textContent = this.#titled(this.method)?.title ?? '';
        secondName.textContent = this.#titled(second.value)?.title ?? '';
    }

    #titled(name) { return this.#state.methods.find((method) => method.name === name); }

    #listen() {
        const { parts } = this;
        for (const tool of this.tools) tool.addEventListener('click', () => this.setTool(tool.dataset.tool));
        const press = (part, action) => parts[part].addEventListener('click', action);
        press('undo', () => this.undo());
        press('redo', () => this.redo());
        press('clear', () => this.clear());
        press('zoomIn', () => this.zoom(1));
        press('zoomOut', () => this.zoom(-1));
        press('zoomFit', () => this.zoom(0));
        press('noticeClose', () => this.notice(''));
        press('lookNext', () => this.lookNext());
        press('saveCutout', () => this.saveCutout());
        press('saveMask', () => this.saveMask());
        press('saveStrokes', () => this.saveStrokes());
        press('saveList', () => this.saveList());
        parts.radius.addEventListener('input', () => this.#setRadius(RADIUS_LARGEST ** (parts.radius.value / 100)));
        for (const part of ['method', 'second'])
            parts[part].addEventListener('change', () => {
                if (parts.second.value === this.method) parts.second.value = ''; // nothing to compare
                this.#noteMethod();
                this.refresh();
                if (part === 'method') this.changed();
            });
        parts.connected.addEventListener('change', () => {
            this.refresh();
            this.changed();
        });
        parts.split.addEventListener('input', () => this.#placeSplit());
        new ResizeObserver(() => this.#placeSplit()).observe(parts.stage);
    }

    /** The line runs through the middle of the slider's knob. */
    #placeSplit() {
        const { split, stage } = this.parts;
        const knob = parseFloat(getComputedStyle(split).getPropertyValue('--knob'));
        const width = stage.clientWidth || 1;
        this.#board.split = (knob / 2 + split.value / 1000 * (width - knob)) / width;
        this.#board.invalidate();
    }

    setTool(name) {
        this.#board.cancel();
        this.#board.tool = name;
        for (const tool of this.tools) tool.setAttribute('aria-pressed', String(tool.dataset.tool === name));
        this.parts.canvas.dataset.tool = name;
        announce(this.tools.find((tool) => tool.dataset.tool === name).getAttribute('aria-label'));
        this.#board.invalidate();
    }

    #setRadius(radius) {
        this.#board.radius = Math.max(1, Math.round(radius * 2) / 2);
        this.parts.radius.value = 100 * Math.log(this.#board.radius) / Math.log(RADIUS_LARGEST);
        this.parts.radiusWords.textContent = `${this.#board.radius} px`;
        this.#board.invalidate();
    }

    /** A pen a quarter larger or smaller, by half a pixel at least. */
    changeRadius(direction) {
        const { radius } = this.#board;
        this.#setRadius(Math.min(RADIUS_LARGEST, direction > 0 ? Math.max(radius + 0.5, radius * 1.25) : Math.min(radius - 0.5, radius / 1.25)));
        announce(`Pen ${this.#board.radius} pixels`);
    }

    setView(name) {
        this.#view = name;
        const view = viewNamed(name);
        this.root.querySelector(`.views input[value=${name}]`).checked = true;
        this.parts.viewNote.textContent = view.note ?? '';
        this.parts.viewNote.hidden = !view.note;
        this.parts.behindRow.hidden = name !== 'cutout';
        this.#pictures = [];
        this.#answers.forEach((_, side) => this.#fetchPicture(side));
        this.#render();
    }

    nextView() {
        const offered = VIEWS.filter((view) => !view.detail || this.parts.details.open);
        const at = offered.findIndex((view) => view.name === this.#view);
        this.setView(offered[(at + 1) % offered.length].name);
        announce(`Showing ${viewNamed(this.#view).title}`);
    }

    nextMethod() {
        const { method } = this.parts;
        method.selectedIndex = (method.selectedIndex + 1) % method.options.length;
        method.dispatchEvent(new Event('change'));
        announce(`Method ${method.selectedOptions[0].text}`);
    }

    /** Compares with the next method, or ends it. */
    toggleComparison() {
        const { method, second } = this.parts;
        const other = [...method.options].find((option) => option.value !== method.value);
        second.value = second.value || !other ? '' : other.value;
        second.dispatchEvent(new Event('change'));
        announce(second.value ? `Compared with ${second.selectedOptions[0].text}` : 'Comparison ended');
    }

    zoom(direction) { this.#board.zoom(direction); }

    /** Marks the place that is most likely to be wrong, until something is drawn. */
    async lookNext() {
        if (!this.picture || !this.#hasLabels) return;
        this.#looking?.abort();
        const stop = new AbortController();
        this.#looking = stop;
        this.parts.lookNext.setAttribute('aria-busy', 'true');
        try {
            const place = await this.#engine.next(this.picture, { ...this.#settings(), marks: this.marks.dialogue() }, stop.signal);
            if (stop.signal.aborted) return;
            const words = nextWords(place);
            this.parts.hint.textContent = words;
            this.parts.hint.hidden = false;
            if (place.found) this.#board.point(place.x, place.y);
            announce(place.found ? `${place.x}, ${place.y}. ${words}` : words);
        } catch (error) {
            if (!stop.signal.aborted) this.#failed(error);
        } finally {
            if (this.#looking === stop) this.parts.lookNext.removeAttribute('aria-busy');
        }
    }

    /** What was asked or shown is of other marks. */
    #stopLooking() {
        this.#looking?.abort();
        this.#looking = null;
        this.parts.lookNext.removeAttribute('aria-busy');
        this.#board.point();
    }

    // ---- a photograph ----

    /** Shows a picture of the engine, with marks that are there. */
    async open(picture, marks = new MarkList(picture.width, picture.height)) {
        this.#board.cancel();
        const bitmaps = await withSmaller(await createImageBitmap(await this.#engine.image(picture)));
        this.close();
        this.picture = picture;
        this.marks = marks;
        this.#board.show(bitmaps, this.marks);
        this.#setRadius(Math.max(2, Math.max(picture.width, picture.height) / 110));
        this.notice(picture.note ?? '');
        this.#showState();
        this.refresh();
        announce(`${picture.name || 'Photograph'}, ${picture.width} by ${picture.height} pixels.`);
    }

    close() {
        for (const side of [0, 1]) this.#forget(side);
        this.picture = null;
    }

    #forget(side) {
        this.#stopLooking();
        this.#queues[side]?.cancel();
        this.#fetching[side]?.abort();
        this.#queues.length = Math.min(this.#queues.length, side);
        this.#answers.length = Math.min(this.#answers.length, side);
        this.#pictures.length = Math.min(this.#pictures.length, side);
    }

    /** Asks anew: for the first time, for other methods, or when the engine is back. */
    refresh() {
        if (!this.picture) return;
        this.#forget(1);
        this.#forget(0);
        this.#showFacts();
        const methods = [this.method, this.parts.second.value].filter(Boolean);
        methods.forEach((name) => this.#addSide(name));
        this.#board.sides = methods.map((_, side) => this.#board.sides[side] ?? null); // until the answers are there
        this.#board.invalidate();
        this.#request(false);
    }

    #addSide(method) {
        const side = this.#queues.length;
        this.#queues.push(new AnswerQueue({
            ask: (job, signal) => this.#ask(method, job, signal),
            answered: (result, job) => this.#answered(side, { ...result, method, complete: !job.live }),
            failed: (error) => this.#failed(error),
            changed: () => this.#showBusy(),
            pixels: this.picture.width * this.picture.height,
        }));
    }

    async #ask(method, { marks, quick }, signal) {
        const { picture } = this;
        const answer = await this.#engine.labels(picture, { ...this.#settings(method), marks, quick }, signal);
        const mask = await readMask(answer.mask, picture.width, picture.height);
        return { answer, mask, marks, elapsed: answer.seconds.solve + answer.seconds.refine };
    }

    #answered(side, result) {
        const { answer, complete, marks } = result;
        const nothing = !marks.steps.length && !answer.proposed; // by a method that does not see maps
        this.#answers[side] = nothing ? null : result;
        this.notice('');
        if (complete && !answer.quick) this.#fetchPicture(side);
        this.#render();
        this.#showState();
        this.#showFacts();
        if (side || nothing || !complete || answer.quick) return;
        const object = `${shareWords(answer, this.picture)} is object.`;
        announce(answer.proposed ? `${PROPOSED} ${object}` : object);
    }

    #failed(error) {
        if (isSuperseded(error) || error.code === 'unreachable') return; // the page says that once, at its top
        this.notice(error.message);
    }

    /** The picture of a view that is more than paths: the exact mask, and what the engine draws, the soft cut-out and why. */
    async #fetchPicture(side) {
        this.#fetching[side]?.abort();
        const result = this.#answers[side];
        const view = viewNamed(this.#view);
        if (view.name === 'outline' || !result || !result.complete) return;
        const stop = new AbortController();
        this.#fetching[side] = stop;
        try {
            const request = { view: view.remote, ...this.#settings(result.method), marks: result.marks };
            const blob = view.remote ? await this.#engine.view(this.picture, request, stop.signal) : result.mask.blob;
            const bitmap = await createImageBitmap(blob);
            if (stop.signal.aborted) return;
            this.#pictures[side] = { bitmap, of: result };
            this.#render();
        } catch (error) {
            if (!stop.signal.aborted) this.#failed(error);
        }
    }

    #marked({ live, words }) {
        this.#stopLooking();
        if (words) announce(words);
        this.#showState();
        this.#request(live);
        if (!live) this.changed();
    }

    #request(live) {
        const marks = this.marks.dialogue();
        if (this.marks.empty && !this.picture.maps) {
            this.#queues.forEach((queue) => queue.cancel());
            this.#answers = [];
            this.#pictures = [];
            this.#render();
            this.#showFacts();
            this.#engine.labels(this.picture, { method: this.method, marks, quick: false }).catch(() => {}); // it looks at the picture already
            return;
        }
        this.#queues.forEach((queue) => queue.request({ marks, live }));
    }

    #render() {
        const board = this.#board;
        board.sides = this.#queues.map((_, side) => {
            const result = this.#answers[side];
            if (!result) return null;
            const drawn = this.#pictures[side];
            const usable = drawn && (drawn.of === result || viewNamed(this.#view).detail); // others follow the hand by their paths
            const layer = layerOf(this.#view, result.mask, usable ? drawn.bitmap : null, this.backdrop.current);
            return { ...layer, proposed: result.answer.proposed };
        });
        if (!board.sides.length) board.sides = [null];
        board.marksShown = this.#view !== 'mask' && this.#view !== 'cutout';
        board.invalidate();
    }

    // ---- what is said ----

    notice(words) {
        this.parts.noticeWords.textContent = words;
        this.parts.notice.hidden = !words;
    }

    #showState() {
        const { marks, parts } = this;
        parts.undo.disabled = !marks.canUndo;
        parts.redo.disabled = !marks.canRedo;
        for (const part of ['clear', 'saveStrokes', 'saveList']) parts[part].disabled = marks.empty;
        for (const part of ['lookNext', 'saveCutout', 'saveMask']) parts[part].disabled = !this.#hasLabels;
        const labels = new Set(marks.steps.flat().map((mark) => mark.label ?? mark.shape));
        let hint = '';
        if (this.proposed) hint = `${PROPOSED} Click to correct.`;
        else if (marks.empty) hint = 'Draw a stroke on the object';
        else if (labels.size === 1 && labels.has('object')) hint = 'Blue strokes take away what is too much';
        parts.hint.textContent = hint;
        parts.hint.hidden = !hint || this.#board.drawing;
    }

    /** What is known of the result; of both, side by side, where two methods are compared. */
    #showFacts() {
        const { facts, whyFacts, second } = this.parts;
        const results = this.#answers.filter(Boolean);
        const columns = results.map((result) => factsOf(result.answer, this.picture));
        const titles = second.value === '' ? [] : results.map(({ method }) => this.#titled(method)?.title ?? method);
        for (const [table, detail] of [[facts, false], [whyFacts, true]]) {
            const rows = columns.length ? rowsOf(columns.map((column) => column.filter((fact) => Boolean(fact.detail) === detail))) : [];
            table.replaceChildren(...headOf(titles), ...rows);
            table.hidden = !rows.length;
        }
        this.root.dataset.settled = String(this.settled);
    }

    /** Whether what is shown is the exact answer to all marks. */
    get settled() {
        return this.#queues.every((queue, side) => !queue.busy && (this.marks.empty || this.#answers[side]?.complete));
    }

    #showBusy() {
        const busy = this.#queues.some((queue) => queue.busy);
        this.root.dataset.settled = String(!busy && this.settled);
        if (!busy) {
            clearTimeout(this.#busyTimer);
            this.#busyTimer = 0;
            this.parts.busy.hidden = true;
        } else this.#busyTimer ||= setTimeout(() => this.#showProgress(), BUSY_MILLISECONDS);
    }

    /** A bar that only moves at first, and tells how far it is where the engine knows. */
    async #showProgress() {
        const { busy } = this.parts;
        busy.hidden = false;
        busy.removeAttribute('value');
        const timer = this.#busyTimer;
        while (this.#busyTimer === timer && timer) {
            await new Promise((resolve) => { setTimeout(resolve, PROGRESS_MILLISECONDS); });
            if (this.#busyTimer !== timer) return;
            const progress = await this.#engine.progress(this.picture).catch(() => null);
            if (progress?.share === null || progress?.share === undefined) busy.removeAttribute('value');
            else busy.value = progress.share;
            busy.title = progress?.what ?? '';
        }
    }

    // ---- marks ----

    undo() { this.#turn(this.marks?.undo(), 'Undone.'); }
    redo() { this.#turn(this.marks?.redo(), 'Done again.'); }

    clear() {
        this.marks.clear();
        this.#turn(true, 'All marks taken away.');
    }

    #turn(turned, words) {
        if (turned) this.#board.changed({ live: false, words });
    }

    /** Other marks in place of these; undo brings these back. */
    replaceMarks(dialogue) {
        this.marks.replace(dialogue?.steps ?? []);
        this.#turn(true, 'Marks replaced.');
    }

    /** A list of marks from a file. */
    async readList(file) {
        const list = await file.text().then(JSON.parse).catch(() => null);
        if (list?.format !== 's3svm marks') this.notice(`${file.name} is no list of marks.`);
        else if (list.width !== this.marks.width || list.height !== this.marks.height)
            this.notice(`${file.name} is about a photograph of ${list.width} x ${list.height} pixels.`);
        else this.replaceMarks(list);
    }

    // ---- files ----

    async #saveView(view, ending) {
        try {
            const request = { view, ...this.#settings(), marks: this.marks.dialogue() };
            const blob = await this.#engine.view(this.picture, request);
            download(view === 'cutout' ? await this.backdrop.lay(blob) : blob, `${stem(this.picture.name)}-${ending}.png`);
        } catch (error) {
            this.#failed(error);
        }
    }

    saveCutout() { return this.#saveView('cutout', 'cutout'); }
    saveMask() { return this.#saveView('mask', 'mask'); }
    saveStrokes() { return this.#saveView('marks', 'strokes'); }

    saveList() {
        const text = `${JSON.stringify(this.marks.dialogue())}\n`;
        download(new Blob([text], { type: 'application/json' }), `${stem(this.picture.name)}-marks.json`);
    }
}

/** A bitmap, and smaller ones of it for when it is shown small: half as wide each, until it fits a screen. */
async function withSmaller(bitmap) {
    const all = [bitmap];
    for (let { width, height } = bitmap; width * height > SCREEN_PIXELS;) {
        [width, height] = [Math.ceil(width / 2), Math.ceil(height / 2)];
        all.push(await createImageBitmap(all.at(-1), { resizeWidth: width, resizeHeight: height, resizeQuality: 'medium' }));
    }
    return all;
}

/** The head of a table about several methods. */
function headOf(titles) {
    return titles.length ? [make('tr', {}, make('td'), ...titles.map((title) => make('th', { scope: 'col' }, title)))] : [];
}

/** Rows of a table, one for each name that a column has a fact of. */
function rowsOf(columns) {
    const names = [...new Set(columns.flat().map(({ name }) => name))];
    return names.map((name) => make('tr', {}, make('th', { scope: 'row' }, name), ...columns.map((column) => {
        const fact = column.find((each) => each.name === name);
        return make('td', { title: fact?.note ?? '' }, fact?.value ?? '–');
    })));
}
