// chromium.mjs - drives Chromium by the DevTools protocol over a pipe: no packages, any Node from 18 on.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const PATIENCE = 60000; // milliseconds that anything may take on a slow and busy machine
const BETWEEN_LOOKS = 40;      // milliseconds between two looks at a condition

// Without a sandbox, which root and many containers cannot have: only pages of this project are opened.
const FLAGS = ['--headless=new', '--no-sandbox', '--remote-debugging-pipe', '--no-first-run', '--no-default-browser-check', '--disable-gpu',
    '--disable-dev-shm-usage', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-extensions', '--mute-audio',
    '--force-color-profile=srgb', '--hide-scrollbars', '--disable-features=Translate,MediaRouter,OptimizationHints',
    '--disable-renderer-backgrounding', '--disable-backgrounding-occluded-windows', '--disable-background-timer-throttling'];

/** Keys that have no letter: what the protocol wants to know of them. */
const KEYS = { Enter: [13, '\r'], Tab: [9, ''], Escape: [27, ''], ' ': [32, ' '],
    ArrowLeft: [37, ''], ArrowUp: [38, ''], ArrowRight: [39, ''], ArrowDown: [40, ''] };
const MODIFIERS = { Alt: 1, Control: 2, Shift: 8 };

export const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

export class Browser {
    #process;
    #folder;
    #next = 1;
    #pending = new Map();
    #buffer = '';
    #listeners = new Set();

    static async launch(program) {
        const browser = new Browser();
        browser.#folder = await mkdtemp(join(tmpdir(), 's3svm-browser-'));
        browser.#process = spawn(program, [...FLAGS, `--user-data-dir=${browser.#folder}/profile`, 'about:blank'],
            { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
        browser.#process.stdio[4].on('data', (data) => browser.#receive(data));
        browser.#process.stdio[3].on('error', () => {}); // a browser that has gone is told by its exit
        browser.#process.on('exit', () => {
            for (const { reject } of browser.#pending.values()) reject(new Error('Chromium has ended'));
        });
        await browser.send('Browser.getVersion');
        return browser;
    }

    #receive(data) {
        const parts = (this.#buffer + data).split('\0');
        this.#buffer = parts.pop();
        for (const part of parts) this.#dispatch(JSON.parse(part));
    }

    #dispatch(message) {
        if (!message.id) {
            for (const listener of this.#listeners) listener(message);
            return;
        }
        const { resolve, reject } = this.#pending.get(message.id);
        this.#pending.delete(message.id);
        if (message.error) reject(new Error(message.error.message));
        else resolve(message.result);
    }

    send(method, params = {}, sessionId = undefined) {
        const id = this.#next++;
        const answer = new Promise((resolve, reject) => { this.#pending.set(id, { resolve, reject }); });
        this.#process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
        return answer;
    }

    on(listener) { this.#listeners.add(listener); }

    /** A page with a profile of its own; dark: the colour scheme; touch: a finger in place of a mouse. */
    async page({ width = 1280, height = 800, dark = false, touch = false, scale = 1 } = {}) {
        const { browserContextId } = await this.send('Target.createBrowserContext');
        const { targetId } = await this.send('Target.createTarget', { url: 'about:blank', browserContextId });
        const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
        const page = new Page(this, sessionId, browserContextId);
        await page.prepare({ width, height, dark, touch, scale, downloads: await mkdtemp(join(this.#folder, 'downloads-')) });
        return page;
    }

    async close() {
        const ended = new Promise((resolve) => { this.#process.once('exit', resolve); });
        await this.send('Browser.close').catch(() => {});
        const timer = setTimeout(() => this.#process.kill('SIGKILL'), 5000);
        await ended;
        clearTimeout(timer);
        await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
    }
}

export class Page {
    #browser;
    #session;
    #context;
    #downloads = [];

    constructor(browser, session, context) {
        this.#browser = browser;
        this.#session = session;
        this.#context = context;
        this.patience = PATIENCE;
        this.problems = []; // exceptions, and what the Content-Security-Policy forbade
    }

    send(method, params) { return this.#browser.send(method, params, this.#session); }

    async prepare({ width, height, dark, touch, scale, downloads }) {
        this.touch = touch;
        this.folder = downloads;
        this.#browser.on((message) => this.#hear(message));
        await this.send('Page.enable');
        await this.send('Runtime.enable');
        await this.send('Log.enable');
        await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile: touch });
        if (touch) await this.send('Emulation.setTouchEmulationEnabled', { enabled: true });
        await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
        await this.#browser.send('Browser.setDownloadBehavior',
            { behavior: 'allow', browserContextId: this.#context, downloadPath: downloads, eventsEnabled: true });
    }

    #hear({ method, params, sessionId }) {
        if (method === 'Browser.downloadWillBegin') this.#downloads.push({ guid: params.guid, name: params.suggestedFilename });
        if (method === 'Browser.downloadProgress' && params.state === 'completed')
            for (const each of this.#downloads) if (each.guid === params.guid) each.complete = true;
        if (sessionId !== this.#session) return;
        if (method === 'Runtime.exceptionThrown') this.problems.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
        const said = params.entry;
        if (method === 'Log.entryAdded' && said.level === 'error' && said.source !== 'network') this.problems.push(said.text);
        if (method === 'Page.javascriptDialogOpening') this.send('Page.handleJavaScriptDialog', { accept: true });
    }

    async goto(address) {
        await this.send('Page.navigate', { url: address });
        await this.waitFor(() => document.documentElement?.dataset.ready === 'true');
    }

    async reload() {
        await this.evaluate(() => { delete document.documentElement.dataset.ready; });
        await this.send('Page.reload');
        await this.waitFor(() => document.documentElement?.dataset.ready === 'true');
    }

    /** What a function of the page gives; arguments and result are JSON. */
    async evaluate(work, ...values) {
        const expression = `(${work})(...${JSON.stringify(values)})`;
        const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true, userGesture: true });
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
        return result.value;
    }

    /** Looks again and again until the function gives something true, and returns that. */
    async waitFor(work, ...values) {
        const end = Date.now() + this.patience;
        for (;;) {
            const value = await this.evaluate(work, ...values).catch((error) => {
                if (/context|navigat/i.test(error.message)) return false; // a page on its way
                throw error;
            });
            if (value) return value;
            if (Date.now() > end) throw new Error(`waited ${this.patience / 1000} s for ${work} ${JSON.stringify(values)}`);
            await pause(BETWEEN_LOOKS);
        }
    }

    /** The middle of an element that is in sight, enabled, at rest, and under nothing else. */
    async #middle(selector) {
        return this.waitFor(async (wanted) => {
            const element = [...document.querySelectorAll(wanted)].find((each) => each.checkVisibility() && !each.disabled);
            if (!element) return null;
            element.scrollIntoView({ block: 'nearest', behavior: 'instant' });
            const place = () => {
                const { left, top, width, height } = element.getBoundingClientRect();
                return [left + width / 2, top + height / 2];
            };
            const before = place();
            await new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); });
            const after = place();
            const hit = document.elementFromPoint(...after);
            return String(before) === String(after) && (element.contains(hit) || hit?.closest('label')?.contains(element)) ? after : null;
        }, selector);
    }

    async click(selector) { await this.drag([await this.#middle(selector)]); }

    /** Presses at the first point, moves through the others, lifts at the last. */
    async drag(points, button = 'left') {
        if (this.touch) return this.#swipe([points]);
        const [first, last] = [points[0], points.at(-1)];
        const buttons = { left: 1, right: 2, middle: 4 }[button];
        const event = (type, [x, y]) => this.send('Input.dispatchMouseEvent', { type, x, y, button, buttons, clickCount: 1 });
        await this.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x: first[0], y: first[1] });
        await event('mousePressed', first);
        for (const point of points.slice(1)) await event('mouseMoved', point);
        return event('mouseReleased', last);
    }

    /** Fingers that move at the same time, each along points of its own. */
    async #swipe(fingers) {
        const at = (i) => fingers.map((points, id) => ({ x: points[i][0], y: points[i][1], id }));
        await this.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0) });
        for (let i = 1; i < fingers[0].length; i++) await this.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(i) });
        await this.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    }

    pinch(first, second) { return this.#swipe([first, second]); }

    async wheel([x, y], deltaY) { await this.send('Input.dispatchMouseEvent', { type: 'mouseWheel', x, y, deltaX: 0, deltaY }); }

    /** A key by its name, as "a", "Enter", "Control+z" or "Shift+ArrowLeft". */
    async press(name, times = 1) {
        const parts = name === '+' ? ['+'] : name.split('+');
        const key = parts.pop();
        const modifiers = parts.reduce((sum, part) => sum | MODIFIERS[part], 0);
        const [code, letter] = KEYS[key] ?? [key.toUpperCase().charCodeAt(0), key];
        const text = modifiers & (MODIFIERS.Control | MODIFIERS.Alt) ? '' : letter;
        const event = { key, modifiers, windowsVirtualKeyCode: code, text };
        for (let i = 0; i < times; i++) {
            await this.send('Input.dispatchKeyEvent', { ...event, type: text ? 'keyDown' : 'rawKeyDown' });
            await this.send('Input.dispatchKeyEvent', { ...event, type: 'keyUp', text: '' });
        }
    }

    async chooseFile(selector, path) {
        const { result } = await this.send('Runtime.evaluate', { expression: `document.querySelector(${JSON.stringify(selector)})` });
        await this.send('DOM.setFileInputFiles', { files: [path], objectId: result.objectId });
    }

    /** Clicks, and returns the path of the file that is saved by that. */
    async download(selector) {
        const before = this.#downloads.length;
        await this.click(selector);
        const end = Date.now() + PATIENCE;
        while (!this.#downloads[before]?.complete) {
            if (Date.now() > end) throw new Error(`nothing was saved by ${selector}`);
            await pause(BETWEEN_LOOKS);
        }
        return join(this.folder, this.#downloads[before].name);
    }

    /** A PNG of the window, or of a part of it: {x, y, width, height}. */
    async screenshot(part = null) {
        await this.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
        const { data } = await this.send('Page.captureScreenshot', { format: 'png', clip: part ? { ...part, scale: 1 } : undefined });
        return Buffer.from(data, 'base64');
    }

    async close() {
        await this.#browser.send('Target.disposeBrowserContext', { browserContextId: this.#context });
    }
}
