// png.js - pictures as PNG files with the very numbers that were given, which canvases do not promise where pixels are transparent.

import { crc32 } from './zip.js';

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const COLOUR_TYPES = { 1: 0, 3: 2, 4: 6 }; // by the number of channels
const PALETTE_TYPE = 3;

function bigEndian(value) { return [value >>> 24, value >>> 16 & 255, value >>> 8 & 255, value & 255]; }

function chunk(name, data) {
    const body = new Uint8Array(4 + data.length);
    body.set(new TextEncoder().encode(name));
    body.set(data, 4);
    return [Uint8Array.from(bigEndian(data.length)), body, Uint8Array.from(bigEndian(crc32(body)))];
}

async function deflated(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A PNG of 1, 3 or 4 channels; or, with colours [[red, green, blue], ...], of one channel of their numbers. */
export async function encodePng(width, height, data, colours = null) {
    const channels = data.length / (width * height);
    const stride = channels * width;
    const rows = new Uint8Array(height * (1 + stride)); // each begins with its filter: none
    for (let y = 0; y < height; y++) rows.set(data.subarray(y * stride, (y + 1) * stride), y * (1 + stride) + 1);
    const head = [...bigEndian(width), ...bigEndian(height), 8, colours ? PALETTE_TYPE : COLOUR_TYPES[channels], 0, 0, 0];
    const palette = colours ? chunk('PLTE', Uint8Array.from(colours.flat())) : [];
    const parts = [Uint8Array.from(SIGNATURE), ...chunk('IHDR', Uint8Array.from(head)), ...palette,
        ...chunk('IDAT', await deflated(rows)), ...chunk('IEND', new Uint8Array(0))];
    return new Blob(parts, { type: 'image/png' });
}
