// decode.js - files of pictures as pixels, by the browser; PGM and PPM, which browsers do not know, are left to the engine.

const STRIP = 1 << 22; // pixels that a canvas has at once: some browsers allow few

/** Whether a file begins as PGM and PPM do. */
export async function isPnm(blob) { return /^P[2356]\s/.test(await blob.slice(0, 3).text()); }

/** {width, height, data}, four bytes a pixel: the numbers of the file, turned as the camera noted; null for what is no picture. */
export async function decode(blob) {
    const bitmap = await createImageBitmap(blob, { colorSpaceConversion: 'none', premultiplyAlpha: 'none' }).catch(() => null);
    if (!bitmap) return null;
    const { width, height } = bitmap;
    const data = new Uint8ClampedArray(4 * width * height);
    const rows = Math.min(height, Math.max(1, Math.floor(STRIP / width)));
    const context = new OffscreenCanvas(width, rows).getContext('2d', { willReadFrequently: true });
    for (let top = 0; top < height; top += rows) {
        const count = Math.min(rows, height - top);
        context.clearRect(0, 0, width, rows);
        context.drawImage(bitmap, 0, top, width, count, 0, 0, width, count);
        data.set(context.getImageData(0, 0, width, count).data, 4 * top * width);
    }
    bitmap.close();
    return { width, height, data };
}
