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

/** What is said of the place to look at next. */
export function nextWords({ found, label }) {
    if (!found) return 'Nothing is left to look at.';
    return label === 'object' ? 'Is this the object? If not, mark it as background.' : 'Is this background? If not, mark it as object.';
}

const ROUNDING = 1e-9; // of the energy: what doubles lose in its sum

function proof({ energy, gap }) {
    if (!Number.isFinite(gap)) return '–';
    if (gap <= ROUNDING * Math.abs(energy)) return 'proven minimum';
    return `within ${figure(gap)}`;
}

function assumption(assumed) {
    if (assumed?.background) return 'the frame is background';
    if (assumed?.border) return 'the border is background';
    if (assumed?.object) return 'an object in the middle';
    return null;
}

/** What is known of an answer: [{name, value, note, detail}], detail for what only some ask. */
export function factsOf(answer, picture) {
    const { look = 0, solve = 0, refine = 0 } = answer.seconds ?? {};
    const facts = [
        { name: 'Object', value: shareWords(answer, picture), note: `${answer.object} pixels` },
        { name: 'Time', value: duration(solve + refine),
            note: `Solving ${duration(solve)}, refining ${duration(refine)}; looking at the photograph, once, ${duration(look)}` },
    ];
    if (answer.quick) facts.push({ name: 'Answer', value: 'quick; the exact one follows' });
    const assumed = answer.proposed ? null : assumption(answer.assumed);
    if (answer.proposed) facts.push({ name: 'Proposed', value: 'by the maps', note: 'Nothing is marked' });
    if (assumed) facts.push({ name: 'Assumed', value: assumed, note: 'Because none is marked' });
    facts.push(
        { name: 'Energy', value: figure(answer.energy), note: `${answer.energy}`, detail: true },
        { name: 'Proof', value: proof(answer), note: `No labelling has less energy than ${answer.bound}`, detail: true });
    if (answer.reduction > 1)
        facts.push({ name: 'Solved at', value: `1/${figure(answer.reduction)} of the size`, note: 'And refined at full size', detail: true });
    return facts;
}
