// main.js - the page that needs no server: its engine is in the browser, and it works without a network after the first visit.

import { start } from './start.js';
import { WorkerEngine } from './worker-engine.js';

const site = new URL('../', import.meta.url);

/** Browsers may refuse it, as in private windows and from files: then the page needs the network again. */
function stayOffline() {
    navigator.serviceWorker?.register(new URL('service-worker.js', site)).catch(() => {});
}

document.head.append(Object.assign(document.createElement('link'), { rel: 'manifest', href: new URL('manifest.webmanifest', site).href }));
await start(new WorkerEngine());
if (document.readyState === 'complete') stayOffline();
else addEventListener('load', stayOffline, { once: true });
