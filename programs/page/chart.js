// chart.js - small charts in SVG.

import { figure } from './words.js';

const NAMESPACE = 'http://www.w3.org/2000/svg';
const SIZE = { width: 260, height: 120, left: 40, right: 8, top: 8, bottom: 18 };

/** Round numbers that cover a range: {from, to, ticks}. */
export function niceScale(least, most) {
    if (!(most > least)) [least, most] = [least - (Math.abs(least) || 1) / 2, most + (Math.abs(most) || 1) / 2];
    const rough = (most - least) / 3;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
    const from = Math.floor(least / step + 1e-9) * step;
    const to = Math.ceil(most / step - 1e-9) * step;
    const ticks = Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => Number((from + i * step).toPrecision(12)));
    return { from, to, ticks };
}

function svg(tag, attributes, ...children) {
    const element = document.createElementNS(NAMESPACE, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
}

function frame(title, scale) {
    const { width, height, left, right } = SIZE;
    const chart = svg('svg', { viewBox: `0 0 ${width} ${height}`, class: 'chart', role: 'img', 'aria-label': title });
    for (const tick of scale.ticks) {
        const y = across(scale, tick);
        chart.append(svg('line', { class: 'grid', x1: left, x2: width - right, y1: y, y2: y }),
            svg('text', { class: 'tick', x: left - 6, y: y + 3.5, 'text-anchor': 'end' }, figure(tick)));
    }
    return chart;
}

function across(scale, value) {
    const { height, top, bottom } = SIZE;
    return height - bottom - (value - scale.from) / (scale.to - scale.from) * (height - top - bottom);
}

/** Lines over the numbers of rounds; lines: [{name, className, values}] of one length. */
export function lineChart(title, lines, label) {
    const { width, height, left, right, bottom } = SIZE;
    const all = lines.flatMap(({ values }) => values).filter(Number.isFinite);
    const scale = niceScale(Math.min(...all), Math.max(...all));
    const chart = frame(title, scale);
    const count = Math.max(...lines.map(({ values }) => values.length));
    const x = (i) => left + (count > 1 ? i / (count - 1) : 0.5) * (width - left - right);
    for (const { className, values } of lines) {
        const points = values.flatMap((value, i) => (Number.isFinite(value) ? [[x(i), across(scale, value)]] : []));
        chart.append(svg('polyline', { class: `line ${className}`, points: points.map((point) => point.join()).join(' ') }));
        const last = points.at(-1);
        if (last) chart.append(svg('circle', { class: `dot ${className}`, cx: last[0], cy: last[1], r: 2.5 }));
    }
    chart.append(svg('text', { class: 'tick', x: width - right, y: height - bottom + 13, 'text-anchor': 'end' }, label));
    return chart;
}

/** For each pair what was before and what is after, joined; pairs: [{name, before, after}]. */
export function pairChart(title, pairs) {
    const { width, height, left, right, bottom } = SIZE;
    const all = pairs.flatMap(({ before, after }) => [before, after]);
    const scale = niceScale(Math.min(0, ...all), Math.max(...all));
    const chart = frame(title, scale);
    const room = (width - left - right) / pairs.length;
    pairs.forEach(({ name, before, after }, i) => {
        const x = left + (i + 0.5) * room;
        const [y0, y1] = [before, after].map((value) => across(scale, value));
        chart.append(svg('line', { class: `join ${after > before ? 'worse' : 'better'}`, x1: x, x2: x, y1: y0, y2: y1 }),
            svg('circle', { class: 'dot before', cx: x, cy: y0, r: 3.5 }),
            svg('circle', { class: 'dot after', cx: x, cy: y1, r: 3.5 }),
            svg('text', { class: 'tick', x, y: height - bottom + 13, 'text-anchor': 'middle' }, name));
    });
    return chart;
}
