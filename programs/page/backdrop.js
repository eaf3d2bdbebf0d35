// backdrop.js - what lies behind a cut-out: nothing, a colour, or a picture that covers it all.

import { partsOf } from './dom.js';

/** Where a picture lies that covers a frame, what is too much cut off alike on both sides: [x, y, width, height]. */
export function covering(width, height, frameWidth, frameHeight) {
    const scale = Math.max(frameWidth / width, frameHeight / height);
    return [(frameWidth - width * scale) / 2, (frameHeight - height * scale) / 2, width * scale, height * scale];
}

/** Fills a frame with a backdrop, {colour} or {bitmap}. */
export function paintBackdrop(context, { colour, bitmap }, width, height) {
    if (colour) {
        context.fillStyle = colour;
        context.fillRect(0, 0, width, height);
        return;
    }
    context.save();
    context.beginPath();
    context.rect(0, 0, width, height);
    context.clip();
    context.drawImage(bitmap, ...covering(bitmap.width, bitmap.height, width, height));
    context.restore();
}

export class Backdrop {
    #bitmap = null;
    #name = '';

    /** root has the controls; changed is called when there is another backdrop, refused with words about a file that is no picture. */
    constructor(root, changed, refused) {
        this.parts = partsOf(root);
        const { behind, behindColour, behindFile } = this.parts;
        Object.assign(this, { changed, refused });
        behind.addEventListener('change', () => this.#show());
        behindColour.addEventListener('input', () => this.#show());
        behindFile.addEventListener('change', () => this.#read(behindFile.files[0]));
    }

    /** What there is: {colour}, {bitmap} or null. */
    get current() {
        const { behind, behindColour } = this.parts;
        if (behind.value === 'colour') return { colour: behindColour.value };
        return behind.value === 'picture' && this.#bitmap ? { bitmap: this.#bitmap } : null;
    }

    #show() {
        const { behind, behindColour, behindChoose, behindName } = this.parts;
        behindColour.hidden = behind.value !== 'colour';
        behindChoose.hidden = behind.value !== 'picture';
        behindName.textContent = this.#name || 'Choose a picture';
        this.changed();
    }

    async #read(file) {
        if (!file) return;
        const bitmap = await createImageBitmap(file).catch(() => null);
        this.parts.behindFile.value = ''; // so that the same file can be chosen again
        if (!bitmap) {
            this.refused(`${file.name} is no picture that this browser can read.`);
            return;
        }
        this.#bitmap?.close();
        this.#bitmap = bitmap;
        this.#name = file.name;
        this.#show();
    }

    /** A cut-out, a Blob, with what lies behind it. */
    async lay(cutout) {
        const backdrop = this.current;
        if (!backdrop) return cutout;
        const bitmap = await createImageBitmap(cutout);
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        const context = canvas.getContext('2d');
        context.imageSmoothingQuality = 'high';
        paintBackdrop(context, backdrop, bitmap.width, bitmap.height);
        context.drawImage(bitmap, 0, 0);
        bitmap.close();
        return canvas.convertToBlob({ type: 'image/png' });
    }
}
