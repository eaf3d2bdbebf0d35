// dom.js - small helpers around the document.

/** An element with properties and children. */
export function make(tag, properties = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
}

/** All elements of a part of the page that have a data-part, by its name. */
export function partsOf(root) {
    return Object.fromEntries([...root.querySelectorAll('[data-part]')].map((element) => [camel(element.dataset.part), element]));
}

const camel = (name) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

/** Words in an element that is hidden without any. */
export function say(element, words) {
    element.textContent = words ?? '';
    element.hidden = !words;
}

/** Words for those who hear the page. */
export function announce(words) {
    document.getElementById('live').textContent = words;
}

/** Saves a file on the visitor's disk. */
export function download(blob, name) {
    const address = URL.createObjectURL(blob);
    const link = make('a', { href: address, download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 60000); // the browser may still be reading
}

/** The name of a file without its ending. */
export const stem = (name) => (name || 'photograph').replace(/\.[^.]*$/, '');

/** Asks a question of yes or no; whether the answer was yes.  Esc is no. */
export function ask(words, yes, no) {
    const dialog = document.getElementById('ask');
    const { askWords, askYes, askNo } = partsOf(dialog);
    askWords.textContent = words;
    askYes.textContent = yes;
    askNo.textContent = no;
    askYes.onclick = () => dialog.close('yes');
    askNo.onclick = () => dialog.close('no');
    dialog.returnValue = 'no';
    dialog.showModal();
    return new Promise((resolve) => { dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true }); });
}

/** Files that are dropped on an element, pasted while it is in sight, or chosen with inputs: accept gets an array of them. */
export function acceptFiles(root, inputs, accept) {
    const take = (files) => {
        if (files?.length) accept([...files]);
    };
    for (const input of inputs)
        input.addEventListener('change', () => {
            take(input.files);
            input.value = ''; // so that the same file can be chosen again
        });
    root.addEventListener('dragover', (event) => {
        event.preventDefault();
        root.classList.add('over');
    });
    root.addEventListener('dragleave', (event) => {
        if (!root.contains(event.relatedTarget)) root.classList.remove('over');
    });
    root.addEventListener('drop', (event) => {
        event.preventDefault();
        root.classList.remove('over');
        take(event.dataTransfer.files);
    });
    document.addEventListener('paste', (event) => {
        if (!root.hidden) take(event.clipboardData.files);
    });
}
