// restore.js - the tab "Restore": a noisy drawing in, the restored one out, side by side under a slider.

import { acceptFiles, announce, download, partsOf, say, stem } from './dom.js';

export class Restore {
    #engine;
    #after = null;
    #name = '';

    constructor(root, engine) {
        this.root = root;
        this.#engine = engine;
        this.parts = partsOf(root);
        const { parts } = this;
        acceptFiles(root, [parts.choose], ([file]) => this.open(file, file.name));
        parts.example.addEventListener('click', async () => this.open(await noisyDrawing(), 'drawing.png'));
        parts.split.addEventListener('input', () => this.#placeSplit());
        parts.save.addEventListener('click', () => download(this.#after, `${stem(this.#name)}-restored.png`));
        parts.another.addEventListener('click', () => this.#show(false));
    }

    async open(blob, name) {
        const { parts } = this;
        say(parts.refused, '');
        parts.welcome.classList.add('waiting');
        try {
            const { before, after, width, height } = await this.#engine.restore(blob);
            this.#after = after;
            this.#name = name;
            for (const [image, picture] of [[parts.before, before], [parts.after, after]]) {
                URL.revokeObjectURL(image.src);
                Object.assign(image, { src: URL.createObjectURL(picture), width, height });
                await image.decode();
            }
            this.#show(true);
            this.#placeSplit();
            announce('Restored.');
        } catch (error) {
            this.#show(false);
            say(parts.refused, error.message);
        }
        parts.welcome.classList.remove('waiting');
    }

    #show(restored) {
        this.parts.welcome.hidden = restored;
        this.parts.result.hidden = !restored;
    }

    #placeSplit() {
        const share = this.parts.split.value / 1000;
        this.parts.pair.style.setProperty('--split', `calc(var(--knob) / 2 + ${share} * (100% - var(--knob)))`); // through the middle of the knob
    }
}

/** A drawing to try it with: curves and a word, and noise on top.  The same each time. */
async function noisyDrawing() {
    const [width, height] = [480, 240];
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, width, height);
    context.lineWidth = 9;
    context.lineCap = 'round';
    context.strokeStyle = '#000';
    for (let ring = 1; ring <= 3; ring++) {
        context.beginPath();
        context.arc(120, 120, 30 * ring, 0.6 * ring, 0.6 * ring + 4.9);
        context.stroke();
    }
    context.beginPath();
    context.moveTo(250, 190);
    context.bezierCurveTo(300, 10, 360, 10, 350, 120);
    context.bezierCurveTo(345, 200, 420, 210, 450, 50);
    context.stroke();
    const pixels = context.getImageData(0, 0, width, height);
    let seed = 1;
    const random = () => {
        seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
        return seed / 2 ** 32;
    };
    for (let i = 0; i < pixels.data.length; i += 4) {
        const normal = random() + random() + random() + random() - 2; // deviation 0.58
        const value = 64 + pixels.data[i] / 2 + 150 * normal;
        pixels.data.fill(Math.max(0, Math.min(255, value)), i, i + 3);
    }
    context.putImageData(pixels, 0, 0);
    return canvas.convertToBlob({ type: 'image/png' });
}
