// practice.js - strokes on a small picture that is made up.  Browsers compile what runs for the first time in haste, and what runs often well, so
// the first stroke of a person would take more than twice as long as any other.

const WIDTH = 128;
const HEIGHT = 96;
const ROUNDS = 3; // a fourth makes the first stroke no faster

/** A disc on another ground, both with noise. */
function disc() {
    const data = new Uint8ClampedArray(4 * WIDTH * HEIGHT);
    let seed = 1;
    const noise = () => (seed = seed * 16807 % 2147483647) % 60;
    for (let i = 0; i < WIDTH * HEIGHT; i++) {
        const inside = Math.hypot(i % WIDTH - WIDTH / 2, Math.floor(i / WIDTH) - HEIGHT / 2) < HEIGHT / 4;
        data.set(inside ? [150 + noise(), 50 + noise(), 40 + noise(), 255] : [60 + noise(), 80 + noise(), 100 + noise(), 255], 4 * i);
    }
    return { width: WIDTH, height: HEIGHT, data };
}

/** A generator that rests after each step; whoever stops it leaves nothing behind. */
export function* practice(engine) {
    const picture = disc();
    for (let round = 0; round < ROUNDS; round++) {
        const segmenter = engine.segmenter(picture);
        try {
            yield;
            segmenter.stroke([0.5 * WIDTH, 0.45 * HEIGHT, 0.5 * WIDTH, 0.55 * HEIGHT], { radius: 2 });
            yield;
            segmenter.stroke([0.1 * WIDTH, 0.1 * HEIGHT, 0.9 * WIDTH, 0.1 * HEIGHT], { label: 'background', radius: 2 });
            yield;
        } finally {
            segmenter.free();
        }
    }
}
