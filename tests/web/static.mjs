// static.mjs - a host of files, as any static one: GET alone, one folder, under a path of its own.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.png': 'image/png', '.jpg': 'image/jpeg',
    '.webmanifest': 'application/manifest+json' }; // and no type for .wasm, as of hosts that do not know it

/** {address, asked: paths in their order, stop()}. */
export async function serveFolder(folder, under = '/some/where/') {
    const asked = [];
    const server = createServer(async ({ url }, response) => {
        const path = decodeURIComponent(new URL(url, 'http://x').pathname);
        asked.push(path);
        const inside = path.startsWith(under) ? normalize(path.slice(under.length)) : '..';
        const file = join(folder, inside === '.' ? 'index.html' : inside);
        const bytes = inside.startsWith('..') ? null : await readFile(file).catch(() => null);
        response.writeHead(bytes ? 200 : 404, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' });
        response.end(bytes);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const stop = async () => {
        if (!server.listening) return;
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
    };
    return { address: `http://127.0.0.1:${server.address().port}${under}`, asked, stop };
}
