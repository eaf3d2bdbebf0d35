// browser.js - the module from the address beside this file.

import { S3svm, S3svmError } from './s3svm.js';

export { Energy, Photograph, S3svm, S3svmError, Segmenter } from './s3svm.js';

/** Compiled while it arrives, where the server says what it is. */
async function fetched(address) {
    const response = await fetch(address);
    if (!response.ok) throw new S3svmError(`${address} cannot be fetched: ${response.status}.`, 'io');
    const isNamed = response.headers.get('Content-Type') === 'application/wasm';
    return isNamed ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

export async function load(source = new URL('./s3svm.wasm', import.meta.url)) {
    const isAddress = source instanceof URL || typeof source === 'string';
    return S3svm.of(isAddress ? await fetched(source) : source);
}
