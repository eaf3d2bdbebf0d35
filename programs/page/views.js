// views.js - what is laid over a photograph: the layer of each view, made of an answer's mask or of a picture from the engine.

/** Views in the order in which they are offered; those with remote are pictures that the engine makes. */
export const VIEWS = [
    { name: 'outline', title: 'Outline' },
    { name: 'mask', title: 'Mask' },
    { name: 'cutout', title: 'Cut-out', remote: 'cutout' },
    { name: 'unaries', title: 'Pixels alone', remote: 'unaries', note: 'What each pixel says for itself: red object, blue background.' },
    { name: 'prior', title: 'Prior', remote: 'prior', note: 'Where the prior, which sees pixels together, changed that.' },
];

export const viewNamed = (name) => VIEWS.find((view) => view.name === name);

const DIMMED = 'rgb(10 12 16 / 0.58)'; // the background in the outline view

function canvasOf(width, height) {
    const canvas = document.createElement('canvas');
    canvas.width = width;
    canvas.height = height;
    return canvas;
}

/** The mask of an answer: white and opaque on the object, transparent elsewhere; and the line around it. */
export async function readMask(blob, width, height) {
    const canvas = canvasOf(width, height);
    const context = canvas.getContext('2d', { willReadFrequently: true });
    const bitmap = await createImageBitmap(blob);
    context.imageSmoothingEnabled = false; // a quick answer may be smaller
    context.drawImage(bitmap, 0, 0, width, height);
    bitmap.close();
    const pixels = context.getImageData(0, 0, width, height);
    const words = new Uint32Array(pixels.data.buffer);
    const labels = new Uint8Array(width * height);
    for (let i = 0; i < labels.length; i++) {
        labels[i] = pixels.data[4 * i] > 127;
        words[i] = labels[i] ? 0xffffffff : 0;
    }
    context.putImageData(pixels, 0, 0);
    return { canvas, outline: outlinePath(labels, width, height) };
}

/** The cracks between object and background, as runs along rows and columns; the picture's edge belongs to neither. */
export function cracks(labels, width, height, visit) {
    const starts = new Int32Array(width).fill(-1); // of runs along the left side of each column
    for (let y = 0; y <= height; y++) {
        let start = -1;
        for (let x = 0; x <= width; x++) {
            const inside = x < width && y < height;
            const i = y * width + x;
            const above = inside && y > 0 && labels[i] !== labels[i - width];
            if (above && start < 0) start = x;
            if (!above && start >= 0) {
                visit(start, y, x, y);
                start = -1;
            }
            if (x === width) break;
            const left = inside && x > 0 && labels[i] !== labels[i - 1];
            if (left && starts[x] < 0) starts[x] = y;
            if (!left && starts[x] >= 0) {
                visit(x, starts[x], x, y);
                starts[x] = -1;
            }
        }
    }
}

function outlinePath(labels, width, height) {
    const path = new Path2D();
    cracks(labels, width, height, (x0, y0, x1, y1) => {
        path.moveTo(x0, y0);
        path.lineTo(x1, y1);
    });
    return path;
}

/** A layer to lay over the photograph: {canvas or bitmap, covers: whether it hides the photograph, outline, checkered}. */
export function layerOf(view, photograph, mask, picture) {
    if (picture) return { image: picture, covers: true, checkered: view === 'cutout', outline: view === 'prior' ? mask.outline : null };
    const { width, height } = mask.canvas;
    const canvas = canvasOf(width, height);
    const context = canvas.getContext('2d');
    if (view === 'mask') {
        context.fillRect(0, 0, width, height);
        context.drawImage(mask.canvas, 0, 0);
        return { image: canvas, covers: true };
    }
    if (view === 'cutout') {
        context.drawImage(photograph, 0, 0, width, height);
        context.globalCompositeOperation = 'destination-in';
        context.drawImage(mask.canvas, 0, 0);
        return { image: canvas, covers: true, checkered: true };
    }
    context.fillStyle = DIMMED;
    context.fillRect(0, 0, width, height);
    context.globalCompositeOperation = 'destination-out';
    context.drawImage(mask.canvas, 0, 0);
    return { image: canvas, covers: false, outline: mask.outline };
}
