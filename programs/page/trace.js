// trace.js - the tab "Trace": thin structures of a picture, by a model of the visitor's: mask, overlay and centre lines.

import { acceptFiles, announce, download, make, partsOf, say, stem } from './dom.js';
import { isSuperseded } from './engine.js';
import { linesOf, modelName, pointsOf, tracingFacts } from './tracing.js';

const VIEWS = [
    { name: 'overlay', title: 'Overlay' },
    { name: 'lines', title: 'Centre lines' },
    { name: 'mask', title: 'Mask' },
    { name: 'picture', title: 'Picture' },
];

const SVG = 'http://www.w3.org/2000/svg';
const COLOUR = [235, 50, 60]; // of structures, as --object

export class Trace {
    #engine;
    #file = null; // the picture, {blob, name}
    #picture = null; // what the engine has of it
    #answer = null;
    #abort = null;

    constructor(root, engine, state) {
        this.root = root;
        this.#engine = engine;
        this.parts = partsOf(root);
        const { parts } = this;
        acceptFiles(root, [parts.choose, parts.chooseModel, parts.otherModel], (files) => this.take(files));
        for (const select of [parts.model, parts.modelAgain])
            select.addEventListener('change', () => this.#useModel(select.value));
        parts.views.append(...VIEWS.map(({ name, title }, i) => make('label', {},
            make('input', { type: 'radio', name: 'trace-view', value: name, checked: !i }), make('span', {}, title))));
        parts.views.addEventListener('change', () => this.#showView());
        parts.saveMask.addEventListener('click', () => download(this.#answer.mask, `${this.#stem()}.png`));
        parts.saveSvg.addEventListener('click', () => this.#saveText('svg', 'image/svg+xml'));
        parts.saveGeojson.addEventListener('click', () => this.#saveText('geojson', 'application/geo+json'));
        parts.another.addEventListener('click', () => this.#forget());
        this.#offerModels(state.tracers, state.tracers.at(-1) ?? '');
    }

    /** Files that were dropped, pasted or chosen: models are JSON. */
    async take(files) {
        const models = files.filter(({ name }) => name.toLowerCase().endsWith('.json'));
        for (const file of models) await this.#sendModel(file);
        const picture = files.find((file) => !models.includes(file));
        if (picture) await this.open(picture, picture.name);
    }

    async open(blob, name) {
        this.#file = { blob, name };
        if (this.parts.model.value) await this.#trace();
        else this.#refuse('A model comes first: choose one that s3svm train trace has written.');
    }

    // ---- models ----

    #offerModels(names, chosen) {
        for (const select of [this.parts.model, this.parts.modelAgain]) {
            const none = make('option', { value: '' }, 'none yet');
            select.replaceChildren(...(names.length ? names.map((name) => make('option', { value: name }, name)) : [none]));
            select.value = chosen;
            select.disabled = !names.length;
        }
    }

    async #sendModel(file) {
        this.#refuse('');
        try {
            const name = modelName(file.name);
            this.#offerModels(await this.#engine.giveTracer(name, file), name);
            announce(`The model ${name} is there.`);
            if (this.#file) await this.#trace();
        } catch (error) {
            this.#refuse(error.message);
        }
    }

    async #useModel(name) {
        for (const select of [this.parts.model, this.parts.modelAgain]) select.value = name;
        if (this.#file) await this.#trace();
    }

    // ---- a picture ----

    async #trace() {
        const { parts } = this;
        const [file, model] = [this.#file, parts.model.value];
        this.#abort?.abort();
        const abort = this.#abort = new AbortController();
        this.#refuse('');
        this.#busy(true);
        try {
            this.#picture ??= await this.#engine.open(file.blob);
            const answer = await this.#engine.trace(this.#picture, model, abort.signal);
            if (this.#abort !== abort) return;
            this.#answer = { ...answer, width: this.#picture.width, height: this.#picture.height };
            await this.#show();
            announce('Traced.');
        } catch (error) {
            if (isSuperseded(error) || this.#abort !== abort) return;
            if (!this.#answer) this.#close();
            this.#refuse(error.message);
        } finally {
            if (this.#abort === abort) this.#busy(false);
        }
    }

    async #show() {
        const { parts } = this;
        const answer = this.#answer;
        const lines = linesOf(answer.geojson);
        for (const [image, blob] of [[parts.picture, await this.#engine.image(this.#picture)], [parts.mask, answer.mask]]) {
            URL.revokeObjectURL(image.src);
            image.src = URL.createObjectURL(blob);
            await image.decode();
        }
        this.#paintOverlay();
        this.#drawLines(lines);
        parts.facts.replaceChildren(...tracingFacts(answer, answer, lines).map(({ name, value, note = '' }) => make('tr', { title: note },
            make('th', { scope: 'row' }, name), make('td', {}, value))));
        parts.name.textContent = this.#file.name;
        parts.welcome.hidden = true;
        parts.result.hidden = false;
        this.#showView();
    }

    /** Structures in colour on nothing, to lie over the picture. */
    #paintOverlay() {
        const { overlay, mask } = this.parts;
        Object.assign(overlay, { width: this.#answer.width, height: this.#answer.height });
        const context = overlay.getContext('2d', { willReadFrequently: true });
        context.drawImage(mask, 0, 0);
        const pixels = context.getImageData(0, 0, overlay.width, overlay.height);
        for (let i = 0; i < pixels.data.length; i += 4) {
            const inside = pixels.data[i] > 127;
            pixels.data.set([...COLOUR, inside ? 190 : 0], i);
        }
        context.putImageData(pixels, 0, 0);
    }

    /** Each line twice: a light one below, so that it is seen on everything. */
    #drawLines(lines) {
        const { width, height } = this.#answer;
        this.parts.lines.setAttribute('viewBox', `0 0 ${width} ${height}`);
        this.parts.lines.replaceChildren(...['halo', 'centre'].map((kind) => {
            const group = document.createElementNS(SVG, 'g');
            group.setAttribute('class', kind);
            group.append(...lines.map((line) => {
                const drawn = document.createElementNS(SVG, 'polyline');
                drawn.setAttribute('points', pointsOf(line));
                return drawn;
            }));
            return group;
        }));
    }

    #showView() {
        const { parts } = this;
        const view = parts.views.querySelector('input:checked').value;
        parts.shown.dataset.view = view;
        parts.picture.hidden = view === 'mask';
        parts.mask.hidden = view !== 'mask';
        parts.overlay.hidden = view !== 'overlay';
        parts.lines.toggleAttribute('hidden', view !== 'lines');
    }

    #stem() { return `${stem(this.#file.name)}-traced`; }
    #saveText(what, type) { download(new Blob([this.#answer[what]], { type }), `${this.#stem()}.${what}`); }

    #busy(is) {
        this.parts.welcome.classList.toggle('waiting', is);
        this.parts.busy.hidden = !is;
        this.root.setAttribute('aria-busy', String(is));
    }

    #refuse(words) {
        say(this.parts.refused, words);
        say(this.parts.refusedAgain, words);
    }

    /** The server need not keep what is no longer shown. */
    #close() {
        if (this.#picture) this.#engine.close(this.#picture);
        this.#picture = this.#answer = this.#file = null;
    }

    #forget() {
        this.#abort?.abort();
        this.#abort = null;
        this.#close();
        this.#busy(false);
        this.#refuse('');
        this.parts.result.hidden = true;
        this.parts.welcome.hidden = false;
    }
}
