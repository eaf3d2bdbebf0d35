// cutout.js - the tab "Cut out": a photograph from anywhere, marked and cut out.

import { acceptFiles, make, partsOf, say } from './dom.js';
import { forgetOld, keep, kept } from './store.js';
import { Workspace } from './workspace.js';

const KEEP_MILLISECONDS = 250; // after the last mark

export class CutOut {
    #engine;
    #timer = 0;
    #source = null; // a Blob or {example}

    constructor(root, engine, state) {
        this.root = root;
        this.#engine = engine;
        this.parts = partsOf(root);
        this.workspace = new Workspace(root, engine, state, () => this.#keepSoon());
        this.workspace.root.hidden = true;
        const { another } = this.workspace.parts;
        another.hidden = false;
        another.addEventListener('click', () => this.reset());
        acceptFiles(root, this.parts.choose, (file) => this.#take(file));
        this.#offer(state.examples);
        this.#restore();
    }

    #offer(examples) {
        this.parts.examples.hidden = !examples.length;
        for (const { name, title } of examples) {
            const image = make('img', { src: `/page/example-${name}.png`, alt: '', width: 96, height: 72 });
            image.addEventListener('error', () => image.remove()); // examples may come without a picture
            const button = make('button', { className: 'button example' }, image, title);
            button.addEventListener('click', () => this.open({ example: name }));
            this.parts.examples.append(button);
        }
    }

    #take(file) {
        if (file.name.endsWith('.json') && this.workspace.picture) this.workspace.readList(file);
        else this.open(file, file.name);
    }

    async open(source, name = null, dialogue = null) {
        const { workspace } = this;
        this.root.classList.add('waiting');
        try {
            const picture = await this.#engine.open(source);
            picture.name = name ?? picture.name;
            await workspace.open(picture, dialogue);
            this.#source = source;
            this.#show(true);
            workspace.parts.canvas.focus({ preventScroll: true });
            this.#keepSoon();
        } catch (error) {
            if (workspace.picture) workspace.notice(error.message);
            else this.#show(false, error.message);
        }
        this.root.classList.remove('waiting');
    }

    reset() {
        this.workspace.close();
        this.#source = null;
        keep(null);
        this.#show(false);
        this.parts.choose.focus();
    }

    #show(opened, refused = '') {
        this.parts.welcome.hidden = opened;
        this.workspace.root.hidden = !opened;
        say(this.parts.refused, refused);
    }

    #keepSoon() {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => {
            const { picture, marks, method } = this.workspace;
            if (picture && this.#source) keep({ source: this.#source, name: picture.name, marks: marks.dialogue(), method });
        }, KEEP_MILLISECONDS);
    }

    async #restore() {
        await forgetOld();
        const work = await kept();
        if (!work) return;
        this.workspace.parts.method.value = work.method;
        await this.open(work.source, work.name, work.marks);
    }
}
