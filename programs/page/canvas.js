// canvas.js - the photograph, what is laid over it and the marks on it; the hand, the pen and the keys that make marks.
//
// Pointers and the keyboard's cursor make the same gestures: begin, extend, end or cancel.  Whoever owns the board hears
// changed({live, words}) after each: live while a mark grows; words say what was done, for those who do not see it.

import { paintBackdrop } from './backdrop.js';
import { BACKGROUND, OBJECT, box, eachRun, flat, isFrame, stroke } from './marks.js';
import { Viewport } from './viewport.js';

const SHARP_SCALE = 3;     // from here on pixels are shown as squares
const MARKS_OPACITY = 0.82;
const WHEEL_ZOOM = 0.0016; // per unit of the wheel
const KEY_ZOOM = 1.25;
const CHECK = 9;           // side of a square of the checkerboard
const RING = 16;           // around the place to look at, in points of the screen
const THINNEST = 0.71;     // as the server draws thin pens
const DASHES = [7, 5];     // of the outline of what is only proposed: line and gap, on the screen
const DIMMED = 'rgb(10 12 16 / 0.58)'; // over the background in the outline view

const other = (label) => (label === OBJECT ? BACKGROUND : OBJECT);

/** Gestures by tool.  Each is made with the board and the label, and gets points of the picture. */
class StrokeGesture {
    constructor(board, label) {
        this.board = board;
        this.label = label;
        this.points = [];
    }

    extend(x, y) {
        const { points, board } = this;
        const spacing = Math.max(0.5, board.radius * 0.15, 1 / board.viewport.scale);
        const last = points.length - 2;
        if (points.length && Math.hypot(x - points[last], y - points[last + 1]) < spacing) return;
        points.push(x, y);
        board.marks.draft = stroke(this.label, board.radius, points);
        board.changed({ live: true });
    }

    end() {
        this.board.marks.keepDraft();
        this.board.changed({ live: false, words: `Stroke on the ${this.label}.` });
    }

    cancel() { this.board.marks.dropDraft(); }
}

class BoxGesture {
    constructor(board) { this.board = board; }

    extend(x, y) {
        this.start ??= [x, y];
        this.last = [x, y];
        const { width, height } = this.board.marks;
        const clamp = (value, size) => Math.min(size - 1, Math.max(0, value));
        const [x0, x1] = [this.start[0], x].map((value) => clamp(value, width)).sort((a, b) => a - b);
        const [y0, y1] = [this.start[1], y].map((value) => clamp(value, height)).sort((a, b) => a - b);
        const large = x1 - x0 >= 2 && y1 - y0 >= 2; // a click is no rectangle
        this.board.marks.draft = large ? box(x0, y0, x1, y1) : null;
        this.board.changed({ live: true });
    }

    end() {
        const made = this.board.marks.draft !== null;
        this.board.marks.keepDraft();
        this.board.changed({ live: false, words: made ? 'Rectangle around the object.' : 'A rectangle needs two corners.' });
    }

    cancel() { this.board.marks.dropDraft(); }
}

class EraserGesture {
    constructor(board) {
        this.board = board;
        this.count = 0;
    }

    extend(x, y) {
        const gone = this.board.marks.erase(x, y, this.board.radius, this.count > 0);
        this.count += gone;
        if (gone) this.board.changed({ live: true });
        else this.board.invalidate();
    }

    end() {
        const words = ['No mark here.', 'One mark erased.'][this.count] ?? `${this.count} marks erased.`;
        this.board.changed({ live: false, words });
    }

    cancel() {
        if (this.count) this.board.marks.undo();
    }
}

const GESTURES = { object: StrokeGesture, background: StrokeGesture, box: BoxGesture, eraser: EraserGesture };

export class Board {
    #context;
    #overlay = document.createElement('canvas'); // marks, opaque, before they are laid over the photograph
    #pixelPictures = new WeakMap();
    #frame = 0;
    #pointers = new Map();
    #gesture = null;
    #panning = null;
    #hover = null;
    #colours;

    constructor(canvas, changed) {
        this.canvas = canvas;
        this.changed = (change) => {
            this.invalidate();
            changed(change);
        };
        this.viewport = new Viewport();
        this.photograph = null;   // bitmaps: the photograph, and smaller ones of it
        this.marks = null;
        this.tool = 'object';
        this.radius = 6;
        this.sides = [null];      // layers of views.js: one, or two to compare
        this.split = 0.5;         // where the second begins, as a share of the width
        this.marksShown = true;
        this.cursor = null;       // of the keyboard, in the picture
        this.pointed = null;      // a place that a ring shows
        this.#context = canvas.getContext('2d');
        this.#listen();
    }

    /** photograph: bitmaps, the largest first. */
    show(photograph, marks) {
        this.cancel();
        this.photograph = photograph;
        this.marks = marks;
        this.sides = [null];
        this.cursor = this.pointed = null;
        this.viewport.show({ width: marks.width, height: marks.height });
        this.invalidate();
    }

    get drawing() { return this.#gesture !== null; }

    /** Shows a place by a ring, brings it into sight and puts the keyboard's cursor there; without a place the ring goes. */
    point(x, y) {
        if (x === undefined && !this.pointed) return;
        this.pointed = x === undefined ? null : [x, y];
        if (this.pointed) {
            this.cursor = [x, y];
            this.viewport.reveal(x, y);
        }
        this.invalidate();
    }

    // ---- gestures ----

    #begin(x, y, swapped) {
        this.#gesture = new GESTURES[this.tool](this, swapped ? other(this.tool) : this.tool);
        this.#gesture.extend(x, y);
    }

    #end() {
        const gesture = this.#gesture;
        this.#gesture = null;
        gesture?.end();
    }

    /** Drops a mark that is being made. */
    cancel() {
        const gesture = this.#gesture;
        if (!gesture) return;
        this.#gesture = null;
        gesture.cancel();
        this.changed({ live: false, words: 'Dropped.' });
    }

    // ---- pointers ----

    #listen() {
        const { canvas } = this;
        canvas.addEventListener('pointerdown', (event) => this.#down(event));
        canvas.addEventListener('pointermove', (event) => this.#move(event));
        for (const type of ['pointerup', 'pointercancel'])
            canvas.addEventListener(type, (event) => this.#up(event, type === 'pointercancel'));
        canvas.addEventListener('pointerleave', () => {
            this.#hover = null;
            this.invalidate();
        });
        canvas.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
        canvas.addEventListener('contextmenu', (event) => event.preventDefault());
        canvas.addEventListener('keydown', (event) => this.#key(event));
        canvas.addEventListener('blur', () => this.invalidate());
        new ResizeObserver(() => this.#resize()).observe(canvas);
        for (const query of ['(prefers-color-scheme: dark)', `(resolution: ${devicePixelRatio}dppx)`])
            matchMedia(query).addEventListener('change', () => this.#resize());
    }

    #at(event) {
        const frame = this.canvas.getBoundingClientRect();
        return [event.clientX - frame.left, event.clientY - frame.top];
    }

    #down(event) {
        if (!this.photograph) return;
        event.preventDefault();
        this.canvas.focus({ preventScroll: true });
        this.canvas.setPointerCapture(event.pointerId);
        this.#pointers.set(event.pointerId, this.#at(event));
        this.cursor = null;
        const fingers = this.#pointers.size > 1;
        if (fingers || this.tool === 'hand' || event.button === 1 || event.ctrlKey) {
            this.cancel();
            this.#panning = this.#span();
            return;
        }
        this.#begin(...this.viewport.toPicture(...this.#at(event)), event.button === 2);
    }

    #move(event) {
        this.#hover = event.pointerType === 'touch' ? null : this.#at(event);
        if (this.#pointers.has(event.pointerId)) this.#pointers.set(event.pointerId, this.#at(event));
        if (this.#panning) this.#pan();
        else if (this.#gesture && this.#pointers.has(event.pointerId)) {
            const events = event.getCoalescedEvents?.() ?? [];
            for (const each of events.length ? events : [event]) this.#gesture.extend(...this.viewport.toPicture(...this.#at(each)));
        }
        this.invalidate();
    }

    #up(event, cancelled) {
        if (!this.#pointers.delete(event.pointerId)) return;
        if (this.#panning) this.#panning = this.#pointers.size ? this.#span() : null;
        else if (cancelled) this.cancel();
        else this.#end();
    }

    /** The middle of all pointers that are down, and how far apart the first two are. */
    #span() {
        const points = [...this.#pointers.values()];
        const middle = [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length);
        const distance = points.length > 1 ? Math.hypot(points[0][0] - points[1][0], points[0][1] - points[1][1]) : 0;
        return { middle, distance };
    }

    #pan() {
        const now = this.#span();
        const { middle, distance } = this.#panning;
        this.viewport.move(now.middle[0] - middle[0], now.middle[1] - middle[1]);
        if (distance && now.distance) this.viewport.zoom(now.distance / distance, ...now.middle);
        this.#panning = now;
    }

    #wheel(event) {
        if (!this.photograph) return;
        event.preventDefault();
        const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
        if (event.shiftKey) this.viewport.move(-(event.deltaX || event.deltaY) * unit, 0);
        else this.viewport.zoom(Math.exp(-event.deltaY * unit * WHEEL_ZOOM * (event.ctrlKey ? 4 : 1)), ...this.#at(event));
        this.invalidate();
    }

    // ---- keys: a cursor that moves by arrows, and a pen that space puts down and lifts ----

    #key(event) {
        if (!this.photograph || event.metaKey) return;
        const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
        if (direction && event.ctrlKey) this.#moveView(direction);
        else if (direction) this.#moveCursor(direction, event);
        else if ((event.key === ' ' || event.key === 'Enter') && this.tool !== 'hand') this.#press();
        else if (event.key === 'Escape' && (this.#gesture || this.cursor)) this.#leave();
        else return;
        event.preventDefault();
        event.stopPropagation();
        this.invalidate();
    }

    #moveView([dx, dy]) {
        this.viewport.move(-dx * this.viewport.width / 8, -dy * this.viewport.height / 8);
    }

    #placeCursor() {
        const { viewport } = this;
        this.cursor = viewport.toPicture(viewport.width / 2, viewport.height / 2).map(Math.round);
    }

    /** By the pen's radius; with shift four times as far, with alt by a pixel. */
    #moveCursor([dx, dy], event) {
        if (!this.cursor) this.#placeCursor();
        else {
            const step = event.altKey ? 1 : Math.max(1, Math.round(this.radius)) * (event.shiftKey ? 4 : 1);
            const clamp = (value, size) => Math.min(size - 1, Math.max(0, value));
            this.cursor = [clamp(this.cursor[0] + dx * step, this.marks.width), clamp(this.cursor[1] + dy * step, this.marks.height)];
        }
        this.viewport.reveal(...this.cursor);
        this.#gesture?.extend(...this.cursor);
    }

    #press() {
        if (!this.cursor) this.#placeCursor();
        if (this.#gesture) this.#end();
        else this.#begin(...this.cursor, false);
    }

    #leave() {
        if (this.#gesture) this.cancel();
        else this.cursor = null;
    }

    zoom(direction) {
        if (!direction) this.viewport.fit();
        else this.viewport.zoom(KEY_ZOOM ** direction, ...(this.cursor ? this.viewport.toScreen(...this.cursor) : []));
        this.invalidate();
    }

    // ---- drawing ----

    invalidate() {
        if (this.#frame) return;
        this.#frame = requestAnimationFrame(() => {
            this.#frame = 0;
            this.#draw();
        });
    }

    #resize() {
        const { clientWidth, clientHeight } = this.canvas;
        if (!clientWidth || !clientHeight) return;
        for (const canvas of [this.canvas, this.#overlay]) {
            canvas.width = Math.round(clientWidth * devicePixelRatio);
            canvas.height = Math.round(clientHeight * devicePixelRatio);
        }
        this.viewport.resize(clientWidth, clientHeight);
        const style = getComputedStyle(this.canvas);
        this.#colours = Object.fromEntries(
            ['object', 'background', 'check-light', 'check-dark'].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
        this.#draw(); // at once: a canvas of a new size is empty
    }

    /** Coordinates of the screen, or with picture those of the picture's pixels. */
    #transform(context, picture) {
        context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
        if (!picture) return;
        context.translate(this.viewport.x, this.viewport.y);
        context.scale(this.viewport.scale, this.viewport.scale);
    }

    #draw() {
        const context = this.#context;
        this.#transform(context, false);
        context.clearRect(0, 0, this.viewport.width, this.viewport.height);
        if (!this.photograph || !this.#colours) return;
        const { width, height } = this.viewport;
        const edge = this.sides.length > 1 ? this.split * width : width;
        this.sides.forEach((layer, side) => {
            context.save();
            context.beginPath();
            context.rect(side ? edge : 0, 0, side ? width - edge : edge, height);
            context.clip();
            this.#drawLayer(context, layer);
            context.restore();
        });
        this.#drawMarks(context);
        if (this.sides.length > 1) this.#drawSplit(context, edge);
        if (this.pointed) this.#drawPointed(context);
        this.#drawCursor(context);
    }

    /** A layer of views.js; null is the photograph alone. */
    #drawLayer(context, layer) {
        const { width, height } = this.marks;
        const { photograph, clip, image, backdrop, ink, dimmed, lines } = layer ?? { photograph: true };
        this.#transform(context, true);
        context.imageSmoothingEnabled = this.viewport.scale < SHARP_SCALE;
        context.imageSmoothingQuality = 'high';
        if (backdrop === true) this.#drawChecks(context, width, height);
        else if (backdrop) paintBackdrop(context, backdrop, width, height);
        if (photograph) this.#drawPhotograph(context, clip);
        if (image) context.drawImage(image, 0, 0, width, height);
        if (ink) this.#fill(context, ink, '#fff', '#000');
        if (dimmed) this.#fill(context, dimmed, DIMMED);
        if (lines) this.#outline(context, lines, layer.proposed);
    }

    /** All of it, or what a path encloses; of the smallest bitmap that has a pixel for each of the screen's. */
    #drawPhotograph(context, clip) {
        const { width, height } = this.marks;
        const needed = width * this.viewport.scale * devicePixelRatio;
        const bitmap = this.photograph.findLast((each) => each.width >= needed) ?? this.photograph[0];
        context.save();
        if (clip) context.clip(clip, 'evenodd');
        context.drawImage(bitmap, 0, 0, width, height);
        context.restore();
    }

    #fill(context, path, colour, paper = null) {
        if (paper) {
            context.fillStyle = paper;
            context.fillRect(0, 0, this.marks.width, this.marks.height);
        }
        context.fillStyle = colour;
        context.fill(path, 'evenodd');
    }

    /** What is only proposed has a broken line. */
    #outline(context, lines, proposed) {
        const dash = proposed ? DASHES.map((length) => length / this.viewport.scale) : [];
        context.setLineDash(dash);
        this.#strokeTwice(context, lines, [3.4, 'rgb(0 0 0 / 0.55)'], [1.6, '#fff']);
        context.setLineDash([]);
    }

    /** A line in another, so that it is seen on everything: widths of the screen, and colours. */
    #strokeTwice(context, path, ...lines) {
        context.lineCap = context.lineJoin = 'round';
        for (const [lineWidth, colour] of lines) {
            context.lineWidth = lineWidth / this.viewport.scale;
            context.strokeStyle = colour;
            context.stroke(path);
        }
    }

    #drawChecks(context, width, height) {
        const tile = document.createElement('canvas');
        tile.width = tile.height = 2 * CHECK;
        const paint = tile.getContext('2d');
        paint.fillStyle = this.#colours['check-light'];
        paint.fillRect(0, 0, 2 * CHECK, 2 * CHECK);
        paint.fillStyle = this.#colours['check-dark'];
        paint.fillRect(0, 0, CHECK, CHECK);
        paint.fillRect(CHECK, CHECK, CHECK, CHECK);
        const pattern = context.createPattern(tile, 'repeat');
        pattern.setTransform(new DOMMatrix().scale(1 / this.viewport.scale)); // squares of one size at every zoom
        context.fillStyle = pattern;
        context.fillRect(0, 0, width, height);
    }

    #drawMarks(context) {
        const { draft } = this.marks;
        const marks = this.marksShown ? flat(this.marks.steps) : [draft].filter(Boolean);
        const overlay = this.#overlay.getContext('2d');
        overlay.setTransform(1, 0, 0, 1, 0, 0);
        overlay.clearRect(0, 0, this.#overlay.width, this.#overlay.height);
        this.#transform(overlay, true);
        overlay.beginPath();
        overlay.rect(0, 0, this.marks.width, this.marks.height);
        overlay.save();
        overlay.clip();
        for (const mark of marks) if (!isFrame(mark)) this.#drawMark(overlay, mark);
        overlay.restore();
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.globalAlpha = MARKS_OPACITY;
        context.drawImage(this.#overlay, 0, 0);
        context.globalAlpha = 1;
        const frame = marks.findLast(isFrame);
        if (frame) this.#drawFrame(context, frame);
    }

    #drawMark(context, mark) {
        if (mark.shape === 'pixels') {
            context.imageSmoothingEnabled = false;
            context.drawImage(this.#pixelsPicture(mark), 0, 0);
            return;
        }
        const radius = Math.max(THINNEST, mark.radius);
        context.strokeStyle = context.fillStyle = this.#colours[mark.label];
        context.lineCap = context.lineJoin = 'round';
        context.lineWidth = 2 * radius;
        context.stroke(pathThrough(mark.points));
        context.fill(dotAt(mark.points, radius)); // a line without length, as a click is, paints nothing
    }

    #pixelsPicture(mark) {
        let canvas = this.#pixelPictures.get(mark);
        if (canvas) return canvas;
        canvas = document.createElement('canvas');
        canvas.width = this.marks.width;
        canvas.height = this.marks.height;
        const paint = canvas.getContext('2d');
        eachRun(mark, canvas.width, (x, y, length, number) => {
            paint.fillStyle = this.#colours[number % 2 ? OBJECT : BACKGROUND];
            paint.globalAlpha = number < 3 ? 1 : 0.35; // perhaps
            paint.fillRect(x, y, length, 1);
        });
        this.#pixelPictures.set(mark, canvas);
        return canvas;
    }

    #drawFrame(context, mark) {
        this.#transform(context, true);
        const path = mark.shape === 'box' ? pathAround(mark.points) : pathThrough(mark.points, true);
        this.#strokeTwice(context, path, [4, 'rgb(255 255 255 / 0.85)'], [2, this.#colours.background]); // what is outside is background
    }

    #drawSplit(context, x) {
        this.#transform(context, false);
        context.fillStyle = 'rgb(0 0 0 / 0.4)';
        context.fillRect(x - 2, 0, 4, this.viewport.height);
        context.fillStyle = '#fff';
        context.fillRect(x - 1, 0, 2, this.viewport.height);
    }

    /** A ring and its middle, which are seen on every ground. */
    #drawPointed(context) {
        const [x, y] = this.viewport.toScreen(this.pointed[0] + 0.5, this.pointed[1] + 0.5);
        this.#transform(context, false);
        const path = new Path2D();
        path.arc(x, y, RING, 0, 2 * Math.PI);
        path.moveTo(x + 2, y);
        path.arc(x, y, 2, 0, 2 * Math.PI);
        for (const [lineWidth, colour] of [[7, 'rgb(0 0 0 / 0.55)'], [3, '#ffd400']]) {
            context.lineWidth = lineWidth;
            context.strokeStyle = colour;
            context.stroke(path);
        }
    }

    /** The pen's outline under the mouse, or the keyboard's cursor. */
    #drawCursor(context) {
        const byKeys = this.cursor && (document.activeElement === this.canvas || this.#gesture);
        if (this.tool === 'hand' || !(byKeys || this.#hover)) return;
        const [x, y] = byKeys ? this.viewport.toScreen(...this.cursor) : this.#hover;
        const radius = this.tool === 'box' ? 0 : Math.max(THINNEST, this.radius) * this.viewport.scale;
        this.#transform(context, false);
        const path = new Path2D();
        if (radius) path.arc(x, y, radius, 0, 2 * Math.PI);
        if (byKeys || !radius)
            for (const [dx, dy] of [[1, 0], [0, 1]]) {
                path.moveTo(x - 12 * dx, y - 12 * dy);
                path.lineTo(x + 12 * dx, y + 12 * dy);
            }
        for (const [lineWidth, colour] of [[3, 'rgb(0 0 0 / 0.5)'], [1.5, '#fff']]) {
            context.lineWidth = lineWidth;
            context.strokeStyle = colour;
            context.stroke(path);
        }
    }
}

/** Around a box and the pixels of its corners. */
function pathAround([x0, y0, x1, y1]) {
    const path = new Path2D();
    path.rect(Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0) + 1, Math.abs(y1 - y0) + 1);
    return path;
}

/** Through the centres of pixels. */
function pathThrough(points, closed = false) {
    const path = new Path2D();
    path.moveTo(points[0] + 0.5, points[1] + 0.5);
    for (let i = 2; i < points.length; i += 2) path.lineTo(points[i] + 0.5, points[i + 1] + 0.5);
    if (closed) path.closePath();
    return path;
}

/** Where a pen was put down. */
function dotAt([x, y], radius) {
    const path = new Path2D();
    path.arc(x + 0.5, y + 0.5, radius, 0, 2 * Math.PI);
    return path;
}
