// storage.js - what survives a reload: photographs, their marks and what can be undone, in the browser's own database.
//
// Each browser tab has a list of photographs of its own.  What was not used for a day is forgotten.

const DAY = 24 * 60 * 60 * 1000;
const STORES = ['lists', 'photographs', 'marks'];

function promised(request) {
    return new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}

function openDatabase() {
    const request = indexedDB.open('s3svm', 2);
    request.onupgradeneeded = () => {
        const database = request.result;
        for (const name of [...database.objectStoreNames]) database.deleteObjectStore(name); // of another version
        for (const name of STORES) database.createObjectStore(name);
    };
    return promised(request);
}

/** The key of this tab: a reload keeps it, another tab has another. */
function tabKey() {
    let key = sessionStorage.getItem('tab');
    if (!key) {
        key = crypto.randomUUID?.() ?? String(Math.random());
        sessionStorage.setItem('tab', key);
    }
    return key;
}

async function inStore(name, mode, work) {
    try {
        const database = await openDatabase();
        const result = await promised(work(database.transaction(name, mode).objectStore(name)));
        database.close();
        return result;
    } catch {
        return undefined; // private windows may have no database, and disks no room; then a reload starts anew
    }
}

const put = (name, key, value) => inStore(name, 'readwrite', (store) => store.put({ ...value, time: Date.now() }, key));
const get = (name, key) => inStore(name, 'readonly', (store) => store.get(key));
const remove = (name, key) => inStore(name, 'readwrite', (store) => store.delete(key));
const keys = async (name) => await inStore(name, 'readonly', (store) => store.getAllKeys()) ?? [];

// ---- the photographs of this tab ----

/** {order: ids, open: one of them} */
export const keepList = (list) => put('lists', tabKey(), list);
export const keptList = () => get('lists', tabKey());

/** A photograph, {name, source}, where source may be a Blob; and what was marked in it, {history, method}. */
export const keepPhotograph = (id, value) => put('photographs', `${tabKey()}/${id}`, value);
export const keptPhotograph = (id) => get('photographs', `${tabKey()}/${id}`);
export const keepMarks = (id, value) => put('marks', `${tabKey()}/${id}`, value);
export const keptMarks = (id) => get('marks', `${tabKey()}/${id}`);

export async function forgetPhotograph(id) {
    for (const name of ['photographs', 'marks']) await remove(name, `${tabKey()}/${id}`);
}

// ---- photographs of a folder: their marks are in the folder, what can be undone is here ----

export const keepHistory = (folder, key, history) => put('marks', `folder ${folder}/${key}`, { history });
export const keptHistory = async (folder, key) => (await get('marks', `folder ${folder}/${key}`))?.history ?? null;

// ---- what nobody needs any more ----

/** Forgets what tabs left that were closed long ago, and old histories. */
export async function forgetOld() {
    const isOld = (value) => value && value.time < Date.now() - DAY;
    const gone = [];
    for (const tab of await keys('lists'))
        if (isOld(await get('lists', tab))) {
            gone.push(`${tab}/`);
            await remove('lists', tab);
        }
    for (const name of ['photographs', 'marks'])
        for (const key of await keys(name)) {
            const left = gone.some((tab) => key.startsWith(tab));
            if (left || (key.startsWith('folder ') && isOld(await get(name, key)))) await remove(name, key);
        }
}
