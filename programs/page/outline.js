// outline.js - the border between object and background as smooth lines.  No drawing.
//
// A mask is an array with 1 for each pixel of the object and 0 for the others; what lies beyond the picture is background.  Its
// border runs along the sides of pixels, and pixels of the object that touch at a corner belong together, as they do for the
// engine.  Points are in pixels, (0, 0) the top left corner of the picture.

const OBJECT = 1;
const TRACED = 2;          // the top side of this pixel of the object belongs to a line that was followed already
const PASSES = 10;         // of smoothing: steps of a slope up to 1 : 6 vanish, round shapes lose a tenth of a pixel
const STRAIGHT = 0.02;     // pixels by which a point may lie off a line and be left out
const LONGEST = 64;        // pixels of a line that points were left out of

/** By direction, east, south, west and north: the step, and where the pixels ahead of its end lie, on the left and on the right. */
const STEP = [[1, 0], [0, 1], [-1, 0], [0, -1]];
const AHEAD_LEFT = [[0, -1], [0, 0], [-1, 0], [-1, -1]];
const AHEAD_RIGHT = [[0, 0], [-1, 0], [-1, -1], [0, -1]];

/** The middles of the sides of pixels along one border, with the object on the right hand; border[i] is 1 where that side lies on
 *  the edge of the picture.  Marks the top sides that it comes along. */
function follow(mask, width, height, startX, startY) {
    const points = [];
    const border = [];
    const isObject = (x, y) => x >= 0 && y >= 0 && x < width && y < height && (mask[y * width + x] & OBJECT) !== 0;
    let [x, y, direction] = [startX, startY, 0];
    do {
        if (direction === 0) mask[y * width + x] |= TRACED;
        const [dx, dy] = STEP[direction];
        points.push(x + dx / 2, y + dy / 2);
        border.push(dy ? x === 0 || x === width : y === 0 || y === height);
        x += dx;
        y += dy;
        if (isObject(x + AHEAD_LEFT[direction][0], y + AHEAD_LEFT[direction][1])) direction = (direction + 3) % 4;
        else if (!isObject(x + AHEAD_RIGHT[direction][0], y + AHEAD_RIGHT[direction][1])) direction = (direction + 1) % 4;
    } while (x !== startX || y !== startY || direction !== 0);
    return { points, border };
}

/** Each point becomes the mean of itself, twice, and its neighbours; those on the edge of the picture stay there. */
function smooth({ points, border }) {
    const count = border.length;
    let from = points;
    let to = new Array(points.length);
    for (let pass = Math.min(PASSES, count >> 3); pass > 0; pass--) {
        for (let i = 0; i < count; i++) {
            const before = 2 * (i ? i - 1 : count - 1);
            const after = 2 * (i + 1 < count ? i + 1 : 0);
            for (const axis of [0, 1])
                to[2 * i + axis] = border[i] ? from[2 * i + axis] : (from[before + axis] + 2 * from[2 * i + axis] + from[after + axis]) / 4;
        }
        [from, to] = [to, from];
    }
    return from;
}

/** A line without the points that straight parts do not need; its ends stay. */
function simplified(points, closed) {
    const kept = [points[0], points[1]];
    const count = points.length;
    for (let i = 2; i < count; i += 2) {
        const next = (i + 2) % count;
        const [x0, y0] = [kept[kept.length - 2], kept[kept.length - 1]];
        const [dx, dy] = [points[next] - x0, points[next + 1] - y0];
        const length = Math.hypot(dx, dy);
        const off = Math.abs(dx * (points[i + 1] - y0) - dy * (points[i] - x0));
        if (off > STRAIGHT * length || length > LONGEST || (next === 0 && !closed)) kept.push(points[i], points[i + 1]);
    }
    return kept;
}

/** The parts of a closed line that do not run along the edge of the picture, each from that edge to it. */
function inner(points, border) {
    const count = border.length;
    const first = border.indexOf(true);
    const lines = [];
    let line = null;
    for (let i = first + 1; i <= first + count; i++) {
        const [before, at] = [(i - 1) % count, i % count];
        if (border[before] && border[at]) continue;
        line ??= [points[2 * before], points[2 * before + 1]];
        line.push(points[2 * at], points[2 * at + 1]);
        if (!border[at]) continue;
        lines.push(line);
        line = null;
    }
    return lines;
}

/** All borders, from the sides of pixels on: [{points, border}]. */
export function borders(labels, width, height) {
    const found = [];
    for (let y = 0, i = 0; y < height; y++)
        for (let x = 0; x < width; x++, i++)
            if (labels[i] === OBJECT && !(y && labels[i - width] & OBJECT)) found.push(follow(labels, width, height, x, y));
    for (let i = 0; i < labels.length; i++) labels[i] &= OBJECT;
    return found;
}

/** {areas, lines}: closed lines around all of the object, holes included, to be filled by the even-odd rule; and lines to draw,
 *  [{points, closed}], which leave out the edge of the picture. */
export function outline(labels, width, height) {
    const areas = [];
    const lines = [];
    for (const found of borders(labels, width, height)) {
        const points = smooth(found);
        const area = simplified(points, true);
        areas.push(area);
        if (!found.border.includes(true)) lines.push({ points: area, closed: true });
        else for (const line of inner(points, found.border)) lines.push({ points: simplified(line, false), closed: false });
    }
    return { areas, lines };
}
