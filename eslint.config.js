// What eslint looks for in the page and its tests: mistakes, and a few habits.  No plugins.

const browser = ['AbortController', 'Blob', 'CSS', 'ClipboardEvent', 'CustomEvent', 'DOMMatrix', 'DataTransfer', 'DragEvent', 'Event',
    'EventTarget', 'File', 'MutationObserver', 'Node', 'OffscreenCanvas', 'Path2D', 'ResizeObserver', 'TextEncoder',
    'URL', 'WheelEvent', 'addEventListener', 'atob', 'btoa', 'clearTimeout', 'createImageBitmap', 'crypto', 'devicePixelRatio', 'document', 'fetch',
    'getComputedStyle', 'history', 'indexedDB', 'innerHeight', 'innerWidth', 'localStorage', 'location', 'matchMedia', 'navigator', 'performance', 'requestAnimationFrame',
    'sessionStorage', 'setTimeout'];
const node = ['Blob', 'Buffer', 'TextEncoder', 'URL', 'clearTimeout', 'console', 'fetch', 'process', 'setTimeout'];

const worker = ['CompressionStream', 'MessageChannel', 'Request', 'Response', 'Worker', 'caches', 'fetch', 'postMessage'];
const engine = ['TextDecoder', 'TextEncoder', 'URL', 'WebAssembly', 'fetch', 'performance', 'structuredClone']; // in Node, too

const globals = (names) => Object.fromEntries(names.map((name) => [name, 'readonly']));

const rules = {
    'array-callback-return': 'error',
    'consistent-return': 'error',
    'constructor-super': 'error',
    'default-case-last': 'error',
    eqeqeq: 'error',
    'for-direction': 'error',
    'getter-return': 'error',
    'max-len': ['error', { code: 160 }],
    'no-async-promise-executor': 'error',
    'no-cond-assign': 'error',
    'no-const-assign': 'error',
    'no-constant-binary-expression': 'error',
    'no-dupe-args': 'error',
    'no-dupe-class-members': 'error',
    'no-dupe-keys': 'error',
    'no-duplicate-case': 'error',
    'no-duplicate-imports': 'error',
    'no-empty': 'error',
    'no-eval': 'error',
    'no-fallthrough': 'error',
    'no-implicit-globals': 'error',
    'no-import-assign': 'error',
    'no-loss-of-precision': 'error',
    'no-new-func': 'error',
    'no-promise-executor-return': 'error',
    'no-redeclare': 'error',
    'no-self-assign': 'error',
    'no-self-compare': 'error',
    'no-shadow': 'error',
    'no-this-before-super': 'error',
    'no-throw-literal': 'error',
    'no-undef': 'error',
    'no-unreachable': 'error',
    'no-unsafe-finally': 'error',
    'no-unused-private-class-members': 'error',
    'no-unused-vars': 'error',
    'no-use-before-define': ['error', { functions: false, classes: false, variables: false }],
    'no-useless-catch': 'error',
    'no-useless-escape': 'error',
    'no-useless-return': 'error',
    'no-var': 'error',
    'object-shorthand': 'error',
    'prefer-const': 'error',
    quotes: ['error', 'single', { avoidEscape: true }],
    semi: 'error',
    'use-isnan': 'error',
};

export default [
    { files: ['programs/page/*.js', 'programs/web/page/*.js'], languageOptions: { globals: globals([...browser, ...worker]) }, rules },
    { files: ['programs/web/service-worker.js'], languageOptions: { sourceType: 'script', globals: globals([...worker, 'caches', 'importScripts', 'self']) },
        rules: { ...rules, 'no-implicit-globals': 'off' } },
    { files: ['programs/web/package/*.js'], languageOptions: { globals: globals(engine) }, rules },
    { files: ['site/static/*.js'], languageOptions: { sourceType: 'script', globals: { ...globals(browser), navigator: 'readonly' } }, rules },
    // Tests hand functions to the browser, so they name its globals as well.
    { files: ['tests/browser/**/*.mjs', 'tests/site/*.mjs', 'tests/web/*.mjs'], languageOptions: { globals: globals([...browser, ...node]) }, rules },
];
