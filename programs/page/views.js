// views.js - what is laid over a photograph in each view: a layer, made of an answer's mask or of a picture from the engine.

import { outline } from './outline.js';

/** Views in the order in which they are offered; those with remote are pictures that the engine makes, those with detail say why. */
export const VIEWS = [
    { name: 'outline', title: 'Outline' },
    { name: 'mask', title: 'Mask' },
    { name: 'cutout', title: 'Cut-out', remote: 'cutout' },
    { name: 'unaries', title: 'Pixels alone', remote: 'unaries', detail: true,
        note: 'What each pixel says for itself: red object, blue background.' },
    { name: 'prior', title: 'Prior', remote: 'prior', detail: true,
        note: 'Where the prior, which looks at neighbouring pixels together, changed that.' },
    { name: 'confidence', title: 'Confidence', remote: 'confidence', detail: true,
        note: 'How much it takes to turn each piece over: dark where little, white where a mark says what it is.' },
];

export const viewNamed = (name) => VIEWS.find((view) => view.name === name);

const STRIP = 1 << 20; // pixels of a mask that are read at once: as colours, all of a large one would take hundreds of megabytes

/** The mask of an answer, 0 or 1 for each pixel. */
async function readLabels(blob, width, height) {
    const bitmap = await createImageBitmap(blob);
    const labels = new Uint8Array(width * height);
    const rows = Math.min(height, Math.max(1, Math.floor(STRIP / width)));
    const context = new OffscreenCanvas(width, rows).getContext('2d', { willReadFrequently: true });
    for (let top = 0; top < height; top += rows) {
        const count = Math.min(rows, height - top);
        context.drawImage(bitmap, 0, top, width, count, 0, 0, width, count);
        const { data } = context.getImageData(0, 0, width, count);
        for (let from = 0, to = top * width; from < data.length; from += 4, to++) labels[to] = data[from] > 127 ? 1 : 0;
    }
    bitmap.close();
    return labels;
}

function pathOf(lines) {
    const path = new Path2D();
    for (const { points, closed } of lines) {
        path.moveTo(points[0], points[1]);
        for (let i = 2; i < points.length; i += 2) path.lineTo(points[i], points[i + 1]);
        if (closed) path.closePath();
    }
    return path;
}

/** The mask of an answer as paths, areas to be filled by the even-odd rule: {blob, inside, outside, lines}. */
export async function readMask(blob, width, height) {
    const { areas, lines } = outline(await readLabels(blob, width, height), width, height);
    const inside = pathOf(areas.map((points) => ({ points, closed: true })));
    const outside = new Path2D(inside);
    outside.rect(0, 0, width, height);
    return { blob, inside, outside, lines: pathOf(lines) };
}

/** What the board draws, each part if it is there:
 *
 *     backdrop            what lies behind a cut-out: {colour}, {bitmap}, or true for squares that say nothing does
 *     photograph, clip    the photograph, or what a path encloses of it
 *     image               a picture that the engine made
 *     ink                 a path that is filled with white on black
 *     dimmed              a path that is darkened
 *     lines               a path that is drawn
 *
 *  picture is what the engine made for this view, if it is there already; behind a backdrop or null. */
export function layerOf(view, mask, picture, behind) {
    const backdrop = view === 'cutout' ? behind ?? true : null;
    if (picture) return { image: picture, backdrop, lines: view === 'prior' || view === 'confidence' ? mask.lines : null };
    if (view === 'mask') return { ink: mask.inside };
    if (view === 'cutout') return { photograph: true, clip: mask.inside, backdrop };
    return { photograph: true, dimmed: mask.outside, lines: mask.lines };
}
