// shortcuts.js - keys for everything, and the list of them that the help shows.

import { make } from './dom.js';

/** Rows: keys as shown, what they do, keys as events name them, action.  Keys of the board itself have no action here. */
const TABLE = [
    ['O', 'mark the object', ['o'], ({ workspace }) => workspace?.setTool('object')],
    ['B', 'mark the background', ['b'], ({ workspace }) => workspace?.setTool('background')],
    ['R', 'rectangle around the object', ['r'], ({ workspace }) => workspace?.setTool('box')],
    ['E', 'eraser', ['e'], ({ workspace }) => workspace?.setTool('eraser')],
    ['H', 'move the picture', ['h'], ({ workspace }) => workspace?.setTool('hand')],
    ['[ and ]', 'smaller and larger pen', ['[', ']'], ({ workspace }, key) => workspace?.changeRadius(key === ']' ? 1 : -1)],
    ['Z, Ctrl+Z', 'undo', ['z', 'ctrl+z'], ({ workspace }) => workspace?.undo()],
    ['Y, Ctrl+Y', 'redo', ['y', 'ctrl+y', 'ctrl+shift+z'], ({ workspace }) => workspace?.redo()],
    ['+ and -', 'zoom', ['+', '=', '-'], ({ workspace }, key) => workspace?.zoom(key === '-' ? -1 : 1)],
    ['0', 'whole picture', ['0'], ({ workspace }) => workspace?.zoom(0)],
    ['V', 'next view', ['v'], ({ workspace }) => workspace?.nextView()],
    ['M', 'next method', ['m'], ({ workspace }) => workspace?.nextMethod()],
    ['C', 'compare two methods', ['c'], ({ workspace }) => workspace?.toggleComparison()],
    ['W', 'where to look next', ['w'], ({ workspace }) => workspace?.lookNext()],
    ['S', 'save the cut-out', ['s'], ({ workspace }) => workspace?.saveCutout()],
    ['N and P', 'next and previous photograph', ['n', 'p'], ({ list }, key) => list?.go(key === 'n' ? 'next' : 'previous')],
    ['D', 'done, or not done', ['d'], ({ folder }) => folder?.toggleDone()],
    ['?', 'this list', ['?'], ({ help }) => help()],
    ['Arrows', 'on the picture: move the cursor; Shift: faster, Alt: by a pixel, Ctrl: move the picture'],
    ['Space', 'on the picture: pen down, pen up; corners of a rectangle'],
    ['Esc', 'on the picture: drop the stroke'],
];

const SINGLE_KEYS = 'single-keys'; // in localStorage: "off" for those whose dictation or switches type letters

function nameOf(event) {
    const control = event.ctrlKey || event.metaKey;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    return `${control ? 'ctrl+' : ''}${control && event.shiftKey ? 'shift+' : ''}${key}`;
}

const isTyping = (element) => element.matches?.('select, textarea, input:not([type=range], [type=radio], [type=checkbox], [type=file])');

/** context() tells what is in sight: {workspace, list that it is of, folder, help}. */
export function listenToKeys(context) {
    const actions = new Map(TABLE.flatMap(([, , keys = [], action]) => keys.map((key) => [key, action])));
    document.addEventListener('keydown', (event) => {
        if (event.defaultPrevented || event.altKey || isTyping(event.target) || document.querySelector('dialog[open]')) return;
        const name = nameOf(event);
        const action = actions.get(name);
        if (!action || (!name.startsWith('ctrl+') && localStorage.getItem(SINGLE_KEYS) === 'off')) return;
        event.preventDefault();
        action(context(), name);
    });
}

export function fillHelp(list, check) {
    list.replaceChildren(...TABLE.map(([keys, words]) => make('div', {}, make('dt', {}, make('kbd', {}, keys)), make('dd', {}, words))));
    check.checked = localStorage.getItem(SINGLE_KEYS) !== 'off';
    check.addEventListener('change', () => localStorage.setItem(SINGLE_KEYS, check.checked ? 'on' : 'off'));
}
