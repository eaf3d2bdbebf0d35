// zip.test.mjs - archives, read back by Python, and their check sums.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { Zip, crc32 } from '../../../programs/page/zip.js';

test('check sums are those of the standard', () => {
    assert.equal(crc32(new TextEncoder().encode('123456789')), 0xcbf43926);
    assert.equal(crc32(new Uint8Array()), 0);
});

test('an archive holds its files, also those of one name', async () => {
    const zip = new Zip();
    const files = { 'a.png': 'first', 'für später.png': 'second', empty: '' };
    for (const [name, text] of Object.entries(files)) await zip.add(name, new Blob([text]), new Date(2026, 10, 18, 17, 30, 12));
    await zip.add('a.png', new Blob(['another']));
    assert.equal(zip.count, 4);
    const folder = mkdtempSync(join(tmpdir(), 's3svm-zip-'));
    try {
        const path = join(folder, 'all.zip');
        writeFileSync(path, Buffer.from(await zip.blob().arrayBuffer()));
        const script = 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2]); '
            + 'assert z.infolist()[0].date_time == (2026, 11, 18, 17, 30, 12)';
        execFileSync('python3', ['-c', script, path, folder]);
        for (const [name, text] of Object.entries({ ...files, 'a-2.png': 'another' })) assert.equal(readFileSync(join(folder, name), 'utf8'), text);
    } finally {
        rmSync(folder, { recursive: true });
    }
});

test('what the form has no numbers for is refused', async () => {
    const zip = new Zip();
    await assert.rejects(zip.add('large', { size: 2 ** 32 }), RangeError);
});
