// node.js - the module from the package's own file.

import { readFile } from 'node:fs/promises';

import { S3svm } from './s3svm.js';

export { Energy, Photograph, S3svm, S3svmError, Segmenter } from './s3svm.js';

export async function load(source = new URL('./s3svm.wasm', import.meta.url)) {
    const isFile = source instanceof URL || typeof source === 'string';
    return S3svm.of(isFile ? await readFile(source) : source);
}
