// store.js - what survives a reload: the photograph and the marks of each browser tab, in the browser's own database.

const DAY = 24 * 60 * 60 * 1000; // what is older is forgotten

function promised(request) {
    return new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
}

function openDatabase() {
    const request = indexedDB.open('s3svm', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('work');
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

async function inStore(mode, work) {
    try {
        const database = await openDatabase();
        const result = await promised(work(database.transaction('work', mode).objectStore('work')));
        database.close();
        return result;
    } catch {
        return undefined; // private windows may have no database; then a reload starts anew
    }
}

/** value can hold Blobs; null forgets. */
export const keep = (value) => inStore('readwrite', (store) =>
    (value ? store.put({ ...value, time: Date.now() }, tabKey()) : store.delete(tabKey())));

export const kept = () => inStore('readonly', (store) => store.get(tabKey()));

/** Forgets what tabs left that were closed long ago. */
export async function forgetOld() {
    const keys = await inStore('readonly', (store) => store.getAllKeys());
    for (const key of keys ?? []) {
        const value = await inStore('readonly', (store) => store.get(key));
        if (value && value.time < Date.now() - DAY) await inStore('readwrite', (store) => store.delete(key));
    }
}
