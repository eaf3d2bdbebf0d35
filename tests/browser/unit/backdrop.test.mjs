// backdrop.test.mjs - where a picture lies that covers a frame.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { covering } from '../../../programs/page/backdrop.js';

test('a picture covers the frame, cut off alike on both sides', () => {
    assert.deepEqual(covering(100, 50, 100, 100), [-50, 0, 200, 100]);
    assert.deepEqual(covering(50, 100, 100, 100), [0, -50, 100, 200]);
    assert.deepEqual(covering(20, 10, 40, 20), [0, 0, 40, 20]);
});
