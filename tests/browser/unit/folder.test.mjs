// folder.test.mjs - the order of a folder's photographs.

import assert from 'node:assert/strict';
import test from 'node:test';

import { worstFirst } from '../../../programs/page/folder.js';

test('the least sure come first, and what the list does not name last, in its order', () => {
    const items = [{ name: 'a' }, { name: 'b', unsure: 0 }, { name: 'c', unsure: 0.3 }, { name: 'd' }, { name: 'e', unsure: 0.4 }];
    assert.deepEqual(worstFirst(items).map((item) => item.name), ['e', 'c', 'b', 'a', 'd']);
    assert.deepEqual(worstFirst([{ name: 'x' }, { name: 'y' }]).map((item) => item.name), ['x', 'y']);
    assert.equal(items[0].name, 'a');
});
