// follow.test.mjs - requests that follow the hand: one under way, the newest waits, complete marks cancel what is older.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Follower } from '../../../programs/page/follow.js';

/** A follower whose requests are answered by hand. */
function followed(pixels = 0) {
    const asked = [];
    const heard = [];
    const failed = [];
    const follower = new Follower({
        ask: (job, signal) => new Promise((resolve, reject) => { asked.push({ job, signal, resolve, reject }); }),
        heard: (answer) => heard.push(answer.name),
        failed: (error) => failed.push(error.message),
        changed: () => {},
        pixels,
    });
    const answer = async (i, elapsed = 0.01) => {
        asked[i].resolve({ name: `${asked[i].job.marks}${asked[i].job.quick ? ' quick' : ''}`, elapsed });
        await new Promise((resolve) => { setTimeout(resolve); });
    };
    return { follower, asked, heard, failed, answer };
}

test('a mark that grows lets the request under way finish, then asks for the newest alone', async () => {
    const { follower, asked, heard, answer } = followed();
    for (const marks of ['a', 'ab', 'abc', 'abcd']) follower.follow({ marks, live: true });
    assert.equal(asked.length, 1);
    assert.equal(asked[0].signal.aborted, false);
    await answer(0);
    assert.deepEqual(asked.map(({ job }) => job.marks), ['a', 'abcd']);
    await answer(1);
    assert.deepEqual(heard, ['a', 'abcd']);
    assert.equal(follower.busy, false);
});

test('a complete mark cancels what is under way and what waits; late answers are not heard', async () => {
    const { follower, asked, heard, answer } = followed();
    follower.follow({ marks: 'a', live: true });
    follower.follow({ marks: 'ab', live: true });
    follower.follow({ marks: 'abc', live: false });
    assert.deepEqual(asked.map(({ job }) => job.marks), ['a', 'abc']);
    assert.equal(asked[0].signal.aborted, true);
    await answer(0);
    await answer(1);
    assert.deepEqual(heard, ['abc']);
});

test('a new stroke cancels the answer to the one before', () => {
    const { follower, asked } = followed();
    follower.follow({ marks: 'a', live: false });
    follower.follow({ marks: 'b', live: true });
    assert.equal(asked[0].signal.aborted, true);
    assert.equal(asked.length, 2);
});

test('large photographs get quick answers while a mark grows, and the exact one at its end', async () => {
    const { follower, asked, heard, answer } = followed(12e6);
    follower.follow({ marks: 'a', live: true });
    await answer(0);
    assert.equal(follower.busy, false);
    follower.follow({ marks: 'ab', live: false });
    await answer(1);
    assert.equal(follower.busy, true);
    await answer(2, 3);
    assert.deepEqual(heard, ['a quick', 'ab quick', 'ab']);
    assert.deepEqual(asked.map(({ job }) => job.quick), [true, true, false]);
});

test('how long exact answers take decides what comes first', async () => {
    const { follower, asked, answer } = followed();
    follower.follow({ marks: 'a', live: false });
    await answer(0, 2);
    follower.follow({ marks: 'b', live: false });
    assert.equal(asked[1].job.quick, true);
    await answer(1);
    await answer(2, 0.05);
    follower.follow({ marks: 'c', live: false });
    assert.equal(asked[3].job.quick, false);
});

test('a failure ends the request and is told once; the next is asked as usual', async () => {
    const { follower, asked, failed, heard, answer } = followed();
    follower.follow({ marks: 'a', live: false });
    asked[0].reject(new Error('no'));
    await new Promise((resolve) => { setTimeout(resolve); });
    assert.deepEqual(failed, ['no']);
    assert.equal(follower.busy, false);
    follower.follow({ marks: 'b', live: false });
    await answer(1);
    assert.deepEqual(heard, ['b']);
});
