// service-worker.js - keeps all files of the page, so that it works without a network.  A new version is fetched as a whole, and takes over
// when no page of the old one is open: files of two versions never meet.

importScripts('files.js'); // FILES: {version, names}, written by scripts/web

const PREFIX = 's3svm ';
const NAME = PREFIX + self.FILES.version;

self.addEventListener('install', (event) => {
    const requests = self.FILES.names.map((name) => new Request(name, { cache: 'reload' }));
    event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(requests)));
});

async function forgetOthers() {
    for (const name of await caches.keys()) if (name.startsWith(PREFIX) && name !== NAME) await caches.delete(name);
    await self.clients.claim();
}

self.addEventListener('activate', (event) => event.waitUntil(forgetOthers()));

async function answer(request) {
    const kept = await (await caches.open(NAME)).match(request, { ignoreSearch: true });
    return kept ?? fetch(request);
}

self.addEventListener('fetch', (event) => {
    if (event.request.method === 'GET') event.respondWith(answer(event.request));
});
