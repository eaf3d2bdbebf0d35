// words.js - numbers as people read them.

/** Three digits that matter. */
export function figure(value) {
    if (!Number.isFinite(value)) return '–';
    if (value !== 0 && (Math.abs(value) >= 1e6 || Math.abs(value) < 1e-3)) return value.toExponential(2).replace('e+', 'e');
    const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)));
    return value.toLocaleString('en', { maximumFractionDigits: digits });
}

export const percent = (share) => `${figure(100 * share)} %`;

export function duration(seconds) {
    if (!Number.isFinite(seconds)) return '–';
    if (seconds < 1) return `${Math.max(1, Math.round(1000 * seconds))} ms`;
    if (seconds < 60) return `${seconds.toFixed(1)} s`;
    return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

export const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

export const shareWords = (answer, picture) => percent(answer.object / (picture.width * picture.height));

const ROUNDING = 1e-9; // of the energy: what doubles lose in its sum

function proof({ energy, gap }) {
    if (!Number.isFinite(gap)) return '–';
    if (gap <= ROUNDING * Math.abs(energy)) return 'proven minimum';
    return `within ${figure(gap)}`;
}

function assumption(assumed) {
    if (assumed?.background) return 'the frame as background';
    if (assumed?.border) return 'the border as background';
    if (assumed?.object) return 'an object in the middle';
    return null;
}

/** Rows [name, value, explanation] about an answer. */
export function factsOf(answer, picture) {
    const { look = 0, solve = 0, refine = 0 } = answer.seconds ?? {};
    const rows = [
        ['Object', shareWords(answer, picture), `${answer.object} pixels`],
        ['Energy', figure(answer.energy), `${answer.energy}`],
        ['Proof', proof(answer), `No labelling has less energy than ${answer.bound}`],
        ['Time', duration(solve + refine), `Solving ${duration(solve)}, refining ${duration(refine)}; looking at the photograph, once, ${duration(look)}`],
    ];
    if (answer.quick) rows.push(['Answer', 'quick; the exact one follows']);
    else if (answer.reduction > 1) rows.push(['Answer', `solved at 1/${figure(answer.reduction)} of the size, then refined`]);
    const assumed = assumption(answer.assumed);
    if (assumed) rows.push(['Assumed', assumed, 'Because none is marked']);
    return rows;
}
