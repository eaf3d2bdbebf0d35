// viewport.js - which part of a picture is shown, and how large.  No drawing.
//
// A point of the picture (0, 0) is the centre of the top left pixel, which covers a square of 1 x 1 around it: on the screen
// the picture's left edge is at x, its top at y, and a pixel is scale wide.

const LARGEST = 32; // screen pixels for a pixel of the picture
const MARGIN = 48;  // so much of the picture stays in sight

export class Viewport {
    constructor() {
        this.width = this.height = 1;             // of the screen
        this.picture = { width: 1, height: 1 };
        this.scale = 1;
        this.x = this.y = 0;
        this.fitted = true;                       // follows the size of the screen until somebody zooms or moves
    }

    get fittingScale() {
        return Math.min(this.width / this.picture.width, this.height / this.picture.height, LARGEST);
    }

    toPicture(x, y) { return [(x - this.x) / this.scale - 0.5, (y - this.y) / this.scale - 0.5]; }
    toScreen(x, y) { return [(x + 0.5) * this.scale + this.x, (y + 0.5) * this.scale + this.y]; }

    resize(width, height) {
        this.width = Math.max(1, width);
        this.height = Math.max(1, height);
        if (this.fitted) this.fit();
        else this.#keepInSight();
    }

    show(picture) {
        this.picture = picture;
        this.fit();
    }

    fit() {
        this.fitted = true;
        this.scale = this.fittingScale;
        this.x = (this.width - this.picture.width * this.scale) / 2;
        this.y = (this.height - this.picture.height * this.scale) / 2;
    }

    /** What is under the point (x, y) of the screen stays there. */
    zoom(factor, x = this.width / 2, y = this.height / 2) {
        const smallest = Math.min(1, this.fittingScale) / 2;
        const scale = Math.min(LARGEST, Math.max(smallest, this.scale * factor));
        this.x = x - (x - this.x) * scale / this.scale;
        this.y = y - (y - this.y) * scale / this.scale;
        this.scale = scale;
        this.fitted = false;
        this.#keepInSight();
    }

    move(dx, dy) {
        this.x += dx;
        this.y += dy;
        this.fitted = false;
        this.#keepInSight();
    }

    /** Moves just so far that a point of the picture is in sight. */
    reveal(x, y) {
        const [sx, sy] = this.toScreen(x, y);
        const edge = Math.min(MARGIN, this.width / 4, this.height / 4);
        const dx = Math.max(0, edge - sx) + Math.min(0, this.width - edge - sx);
        const dy = Math.max(0, edge - sy) + Math.min(0, this.height - edge - sy);
        const wide = this.picture.width * this.scale > this.width;
        const high = this.picture.height * this.scale > this.height;
        if ((wide && dx) || (high && dy)) this.move(wide ? dx : 0, high ? dy : 0);
    }

    #keepInSight() {
        const edge = Math.min(MARGIN, this.width / 2, this.height / 2);
        const right = this.x + this.picture.width * this.scale;
        const bottom = this.y + this.picture.height * this.scale;
        this.x += Math.max(0, edge - right) + Math.min(0, this.width - edge - this.x);
        this.y += Math.max(0, edge - bottom) + Math.min(0, this.height - edge - this.y);
    }
}
