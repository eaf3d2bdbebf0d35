// marks.js - what was marked in a photograph: steps in their order, with undo and redo.  No drawing, no requests.
//
// Steps and marks are those of docs/formats.md, "Lists of marks": a step is an array of marks made at once, points are a flat
// list x, y, x, y, ..., and (0, 0) is the centre of the top left pixel.  Steps and marks in a list are never changed, so that
// the past can share them with the present.

export const OBJECT = 'object';
export const BACKGROUND = 'background';

/** A quarter of a pixel is finer than any pen; shorter numbers keep requests small. */
const rounded = (value) => Math.round(value * 4) / 4;

export const stroke = (label, radius, points) => ({ shape: 'stroke', label, radius, points: points.map(rounded) });

/** Between two corners, whole pixels. */
export const box = (x0, y0, x1, y1) => ({ shape: 'box', points: [x0, y0, x1, y1].map(Math.round) });

/** Boxes and outlines say where the object lies; of several only the last counts. */
export const isFrame = (mark) => mark.shape === 'box' || mark.shape === 'outline';

/** The marks of all steps, in their order. */
export const flat = (steps) => steps.flat();

// ---- where marks are ----

function distanceToSegment(x, y, ax, ay, bx, by) {
    const dx = bx - ax;
    const dy = by - ay;
    const length = dx * dx + dy * dy;
    const t = length ? Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / length)) : 0;
    return Math.hypot(x - ax - t * dx, y - ay - t * dy);
}

function distanceToLine(x, y, points, closed) {
    const count = points.length / 2;
    let least = Math.hypot(x - points[0], y - points[1]);
    for (let i = closed ? 0 : 1; i < count; i++) {
        const j = (i + count - 1) % count;
        least = Math.min(least, distanceToSegment(x, y, points[2 * j], points[2 * j + 1], points[2 * i], points[2 * i + 1]));
    }
    return least;
}

const corners = ([x0, y0, x1, y1]) => [x0, y0, x1, y0, x1, y1, x0, y1];

/** Calls visit(x, y, length, number) for every run of marked pixels within a row of a mark of pixels. */
export function eachRun(mark, width, visit) {
    let position = 0;
    for (let i = 0; i + 1 < mark.runs.length; i += 2) {
        const end = position + mark.runs[i];
        while (position < end) {
            const x = position % width;
            const length = Math.min(end - position, width - x);
            if (mark.runs[i + 1]) visit(x, (position - x) / width, length, mark.runs[i + 1]);
            position += length;
        }
    }
}

function touchesPixels(mark, width, x, y, radius) {
    let touched = false;
    eachRun(mark, width, (left, row, length) => {
        const dx = x - Math.min(left + length - 1, Math.max(left, x));
        touched ||= Math.hypot(dx, y - row) <= radius;
    });
    return touched;
}

/** Whether a disk touches a mark; a frame is touched by its line alone. */
export function touches(mark, width, x, y, radius) {
    switch (mark.shape) {
        case 'stroke': return distanceToLine(x, y, mark.points, false) <= radius + mark.radius;
        case 'box': return distanceToLine(x, y, corners(mark.points), true) <= radius;
        case 'outline': return distanceToLine(x, y, mark.points, true) <= radius;
        default: return touchesPixels(mark, width, x, y, radius);
    }
}

// ---- the list ----

export class MarkList {
    #past = [];
    #future = [];
    #steps;

    constructor(width, height, steps = []) {
        this.width = width;
        this.height = height;
        this.#steps = steps;
        this.draft = null; // a mark that is being made: the last step until it is kept or dropped
    }

    /** From a list as the server or a file has it, whose steps can be taken back one by one; null is an empty list. */
    static from(dialogue, width, height) {
        const list = new MarkList(width, height, dialogue?.steps ?? []);
        list.#past = list.#steps.map((_, i) => list.#steps.slice(0, i));
        return list;
    }

    /** From what history() gave. */
    static restored({ changes, at }, width, height) {
        let steps = [];
        const states = changes.map(({ shared, added }) => (steps = [...steps.slice(0, shared), ...added]));
        const list = new MarkList(width, height, states[at]);
        list.#past = states.slice(0, at);
        list.#future = states.slice(at + 1).reverse();
        return list;
    }

    /** Past, present and future as plain data: lists of steps, each as what it shares with the one before and what it adds; at is the
     *  number of the present one. */
    history() {
        let before = [];
        const changes = [...this.#past, this.#steps, ...[...this.#future].reverse()].map((steps) => {
            let shared = 0;
            while (shared < steps.length && steps[shared] === before[shared]) shared++;
            before = steps;
            return { shared, added: steps.slice(shared) };
        });
        return { changes, at: this.#past.length };
    }

    get steps() { return this.draft ? [...this.#withRoomFor(this.draft), [this.draft]] : this.#steps; }
    get empty() { return this.steps.length === 0; }
    get canUndo() { return this.#past.length > 0; }
    get canRedo() { return this.#future.length > 0; }

    /** As docs/formats.md has it. */
    dialogue() {
        return { format: 's3svm marks', version: 1, width: this.width, height: this.height, steps: this.steps };
    }

    /** Makes the draft a step of its own. */
    keepDraft() {
        const { draft } = this;
        this.draft = null;
        if (draft) this.#become([...this.#withRoomFor(draft), [draft]]);
    }

    dropDraft() { this.draft = null; }

    add(mark) {
        this.draft = mark;
        this.keepDraft();
    }

    /** Takes away the marks that a disk touches; returns how many.  With again, it belongs to the erasing before, so that one
     *  undo brings all of it back. */
    erase(x, y, radius, again = false) {
        let count = 0;
        const steps = this.#steps
            .map((step) => {
                const left = step.filter((mark) => !touches(mark, this.width, x, y, radius));
                count += step.length - left.length;
                return left.length < step.length ? left : step;
            })
            .filter((step) => step.length);
        if (!count) return 0;
        if (again) this.#steps = steps;
        else this.#become(steps);
        return count;
    }

    clear() {
        if (this.#steps.length) this.#become([]);
    }

    /** Other steps in place of these, by way of the past. */
    replace(steps) { this.#become(steps); }

    undo() { return this.#turn(this.#past, this.#future); }
    redo() { return this.#turn(this.#future, this.#past); }

    /** A new frame replaces the one before, which would not count any more. */
    #withRoomFor(mark) {
        if (!isFrame(mark)) return this.#steps;
        return this.#steps.map((step) => step.filter((other) => !isFrame(other))).filter((step) => step.length);
    }

    #become(steps) {
        this.#past.push(this.#steps);
        this.#future = [];
        this.#steps = steps;
    }

    #turn(from, to) {
        if (!from.length) return false;
        this.draft = null;
        to.push(this.#steps);
        this.#steps = from.pop();
        return true;
    }
}
