// tracing.js - centre lines of thin structures as the page shows them.  Without a document, so that Node can test it.

import { duration, figure, percent } from './words.js';

/** Lines of a GeoJSON text: [{points: [x, y, x, y, ...] from the corner of the picture, width}]. */
export function linesOf(text) {
    return JSON.parse(text).features.map(({ geometry, properties }) => {
        const places = geometry.type === 'Point' ? [geometry.coordinates] : geometry.coordinates;
        return { points: places.flatMap(([x, y]) => [x + 0.5, y + 0.5]), width: properties.width, length: properties.length };
    });
}

/** As the points of an SVG polyline; a single point is a line of no length, which round ends make a dot. */
export function pointsOf({ points }) {
    const pairs = [];
    for (let i = 0; i < points.length; i += 2) pairs.push(`${points[i]},${points[i + 1]}`);
    return pairs.length === 1 ? `${pairs[0]} ${pairs[0]}` : pairs.join(' ');
}

/** What is known of an answer, as words.js has it. */
export function tracingFacts({ structure, seconds }, { width, height }, lines) {
    const length = lines.reduce((sum, line) => sum + line.length, 0);
    const thick = lines.reduce((sum, line) => sum + line.width * line.length, 0);
    return [
        { name: 'Structures', value: percent(structure / (width * height)), note: `${structure} pixels` },
        { name: 'Centre lines', value: `${lines.length}`, note: 'Pieces between ends and crossings' },
        { name: 'Their length', value: `${figure(Math.round(length))} pixels` },
        { name: 'Mean width', value: length ? `${figure(thick / length)} pixels` : '–' },
        { name: 'Time', value: duration(seconds) },
    ];
}

const FINE = /[^A-Za-z0-9._-]/g;
const NAME_MOST = 64; // letters of a model's name

/** The name of a model on the server, by that of its file. */
export function modelName(file) {
    const name = file.replace(FINE, '_').slice(-NAME_MOST);
    return name.startsWith('.') ? `_${name.slice(1)}` : name || 'model';
}
