// tracing.test.mjs - centre lines of thin structures as the page shows them.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { linesOf, modelName, pointsOf, tracingFacts } from '../../../programs/page/tracing.js';

const feature = (type, coordinates, width, length) => ({ type: 'Feature', properties: { width, length }, geometry: { type, coordinates } });
const GEOJSON = JSON.stringify({ type: 'FeatureCollection', features: [
    feature('LineString', [[0, 0], [1, 1], [2, 1]], 3, 2.4),
    feature('Point', [7, 5], 1, 0)] });

test('points are those of the middles of pixels, from the corner of the picture', () => {
    const lines = linesOf(GEOJSON);
    assert.deepEqual(lines.map(({ points }) => points), [[0.5, 0.5, 1.5, 1.5, 2.5, 1.5], [7.5, 5.5]]);
    assert.equal(pointsOf(lines[0]), '0.5,0.5 1.5,1.5 2.5,1.5');
    assert.equal(pointsOf(lines[1]), '7.5,5.5 7.5,5.5');
});

test('facts are sums over lines, widths weighed by lengths', () => {
    const facts = tracingFacts({ structure: 30, seconds: 0.25 }, { width: 20, height: 10 },
        [{ width: 2, length: 30 }, { width: 5, length: 10 }]);
    assert.deepEqual(facts.map(({ name, value }) => [name, value]), [['Structures', '15 %'], ['Centre lines', '2'], ['Their length', '40 pixels'],
        ['Mean width', '2.75 pixels'], ['Time', '250 ms']]);
    assert.equal(tracingFacts({ structure: 0, seconds: 1 }, { width: 2, height: 2 }, [])[3].value, '–');
});

test('a model has the name of its file, of letters that a path may have', () => {
    for (const [file, name] of [['vessels.json', 'vessels.json'], ['my cracks (2).json', 'my_cracks__2_.json'], ['.json', '_json'], ['', 'model']])
        assert.equal(modelName(file), name);
    const long = modelName(`${'a'.repeat(100)}.json`);
    assert.equal(long.length, 64);
    assert.ok(long.endsWith('.json'));
});
