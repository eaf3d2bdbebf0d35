// site.js - what the pages of the site do: colours, the menu on phones, copying code, the pictures of the first page, and search.

(() => {
    const root = document.documentElement;
    const one = (selector, within = document) => within.querySelector(selector);
    const all = (selector, within = document) => [...within.querySelectorAll(selector)];

    function make(name, properties = {}, ...children) {
        const element = Object.assign(document.createElement(name), properties);
        element.append(...children);
        return element;
    }

    // ---- colours ----

    function themeSetUp(button) {
        const system = matchMedia('(prefers-color-scheme: dark)');
        const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : system.matches);
        const show = () => button.setAttribute('aria-pressed', String(isDark()));
        button.addEventListener('click', () => {
            root.dataset.theme = isDark() ? 'light' : 'dark';
            try {
                localStorage.setItem('s3svm-theme', root.dataset.theme);
            } catch { // a browser that keeps nothing forgets the choice
                button.title = 'Until this page is closed';
            }
            show();
            root.dispatchEvent(new Event('theme'));
        });
        system.addEventListener('change', show);
        button.hidden = false;
        show();
    }

    // ---- the menu ----

    function menuSetUp(button) {
        const menu = one('#menu');
        const open = (wanted) => {
            menu.classList.toggle('open', wanted);
            button.setAttribute('aria-expanded', String(wanted));
        };
        button.addEventListener('click', () => open(!menu.classList.contains('open')));
        document.addEventListener('keydown', (event) => {
            if (event.key !== 'Escape' || !menu.classList.contains('open')) return;
            open(false);
            button.focus();
        });
        button.hidden = false;
    }

    /** The current page in sight, in a menu that is longer than the window. */
    function menuShow() {
        const current = one('#menu [aria-current]');
        const menu = one('#menu');
        if (current) menu.scrollTop = Math.max(0, current.offsetTop - menu.clientHeight / 2);
    }

    // ---- code ----

    /** What a reader would type: of a terminal the commands alone. */
    function typed(block) {
        const lines = one('code', block).textContent.split('\n');
        if (block.dataset.language !== 'console') return lines.join('\n');
        return lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2)).join('\n');
    }

    function copySetUp(block) {
        const button = make('button', { type: 'button', className: 'copy', textContent: 'Copy' });
        const say = (words) => {
            button.textContent = words;
            setTimeout(() => { button.textContent = 'Copy'; }, 1500);
        };
        button.addEventListener('click', () => navigator.clipboard.writeText(typed(block)).then(() => say('Copied'), () => say('Not possible')));
        block.append(button);
    }

    // ---- pictures of the first page ----

    function compareSetUp(box) {
        const slider = one('[data-slider]', box);
        const show = () => box.style.setProperty('--part', `${slider.value}%`);
        slider.hidden = false;
        slider.addEventListener('input', show);
        show();
        const scenes = one('[data-scenes]');
        scenes.hidden = false;
        for (const button of all('button', scenes))
            button.addEventListener('click', () => {
                const { scene, what, count } = button.dataset;
                Object.assign(one('[data-before]', box), { src: `media/home/${scene}.jpg`, alt: `${what}, with strokes and the outline that was found` });
                Object.assign(one('[data-after]', box), { src: `media/home/${scene}.png`, alt: `${what}, cut out with a soft edge` });
                one('[data-strokes]').textContent = count;
                for (const other of all('button', scenes)) other.setAttribute('aria-pressed', String(other === button));
            });
    }

    /** The page to try follows the system, as its style says; in a frame it follows the site, where its colours were chosen. */
    function paint(frame) {
        const { documentElement, styleSheets } = frame.contentDocument;
        const dark = [...styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter((rule) => rule.media?.mediaText === '(prefers-color-scheme: dark)');
        const follow = () => {
            if (!root.dataset.theme) return;
            documentElement.style.colorScheme = root.dataset.theme;
            for (const rule of dark) rule.media.mediaText = root.dataset.theme === 'dark' ? 'all' : 'not all';
        };
        root.addEventListener('theme', follow);
        follow();
    }

    /** The page to try, in the place of its picture; not in a folder without a server, where browsers start no engine. */
    function liveSetUp(button) {
        if (!location.protocol.startsWith('http')) return;
        button.hidden = false;
        button.addEventListener('click', () => {
            const picture = document.getElementById(button.dataset.live);
            const frame = make('iframe', { src: picture.getAttribute('href'), title: 'The page to try', className: 'window' });
            frame.addEventListener('load', () => paint(frame));
            picture.closest('.live').classList.add('started');
            picture.replaceWith(frame);
            button.remove();
            frame.focus();
        });
    }

    // ---- search ----

    const MOST = 12; // results that are shown

    const words = (text) => text.toLowerCase().split(/[^\p{L}\p{N}_-]+/u).filter(Boolean);

    /** How well a part answers: all words of the query must occur, those of headings count for more; 0: it does not. */
    function score(part, query) {
        let sum = 0;
        for (const word of query) {
            const inName = part.name.indexOf(word), inTitle = part.title.indexOf(word), inText = part.text.indexOf(word);
            if (inName < 0 && inTitle < 0 && inText < 0) return 0;
            const begins = (text, at) => at >= 0 && !/[\p{L}\p{N}]/u.test(text[at - 1] ?? ' ');
            if (inName >= 0) sum += begins(part.name, inName) ? 30 : 8;
            if (inTitle >= 0) sum += begins(part.title, inTitle) ? 12 : 4;
            if (inText >= 0) sum += (begins(part.text, inText) ? 3 : 1) + Math.min(3, part.text.split(word).length - 2);
            if (part.name === word) sum += 60;
        }
        return sum + (part.top ? 5 : 0) - part.depth;
    }

    const ORDER = { Guide: 0, Notebooks: 1, 'Coming from': 1, Reference: 1, Background: 1, 'For developers': 6 };

    function prepare({ pages, parts }) {
        let last = -1;
        return parts.map(([number, anchor, name, text]) => {
            const [address, title, where] = pages[number];
            const top = number !== last;
            last = number;
            return { address: anchor && !top ? `${address}#${anchor}` : address, heading: name, page: title, where, shown: text, top,
                name: name.toLowerCase(), title: title.toLowerCase(), text: text.toLowerCase(), depth: ORDER[where] ?? 2 };
        });
    }

    function find(parts, text) {
        const query = words(text);
        if (!query.length) return [];
        return parts.map((part) => [score(part, query), part]).filter(([value]) => value > 0)
            .sort((a, b) => b[0] - a[0]).slice(0, MOST).map(([, part]) => part);
    }

    /** The text around the first word that was found, with all of them marked. */
    function excerpt(part, query) {
        const at = Math.min(...query.map((word) => part.text.indexOf(word)).filter((place) => place >= 0));
        const from = Number.isFinite(at) ? Math.max(0, at - 50) : 0;
        const text = `${from ? '… ' : ''}${part.shown.slice(from, from + 150)}${part.shown.length > from + 150 ? ' …' : ''}`;
        const line = make('span', { className: 'excerpt' });
        const pattern = new RegExp(`(${query.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'giu');
        text.split(pattern).forEach((piece, i) => line.append(i % 2 ? make('mark', { textContent: piece }) : piece));
        return line;
    }

    class Search {
        #parts = null;
        #chosen = -1;

        constructor() {
            this.input = make('input', { type: 'search', id: 'query', autocomplete: 'off', spellcheck: false, placeholder: 'Search the site' });
            for (const [name, value] of Object.entries({ role: 'combobox', 'aria-expanded': 'false', 'aria-controls': 'found', 'aria-autocomplete': 'list',
                'aria-label': 'Search the site' })) this.input.setAttribute(name, value);
            this.list = make('div', { id: 'found' });
            this.list.setAttribute('role', 'listbox');
            this.list.setAttribute('aria-label', 'Results');
            this.note = make('p', { className: 'note' });
            this.note.setAttribute('role', 'status');
            const close = make('button', { type: 'button', className: 'tool', textContent: 'Close' });
            close.addEventListener('click', () => this.close());
            this.dialog = make('dialog', { className: 'search' }, make('div', { className: 'query' }, this.input, close), this.note, this.list);
            this.dialog.setAttribute('aria-label', 'Search');
            this.dialog.addEventListener('click', (event) => { if (event.target === this.dialog) this.close(); });
            this.input.addEventListener('input', () => this.show());
            this.input.addEventListener('keydown', (event) => this.key(event));
            document.body.append(this.dialog);
        }

        open() {
            if (this.dialog.open) return;
            this.dialog.showModal();
            this.input.select();
            this.load().then(() => this.show(), () => { this.note.textContent = 'The index could not be read.'; });
        }

        /** A line that is out of sight keeps what is typed until the next frame, if it is not left first. */
        close() {
            this.input.blur();
            this.dialog.close();
        }

        /** The index is a script, so that search works in a folder without a server, too. */
        load() {
            this.loading ??= new Promise((resolve, reject) => {
                const script = make('script', { src: `${root.dataset.root}/search-index.js` });
                script.addEventListener('load', () => {
                    this.#parts = prepare(globalThis.siteIndex);
                    resolve();
                });
                script.addEventListener('error', reject);
                document.head.append(script);
            });
            return this.loading;
        }

        show() {
            if (!this.#parts) return;
            const query = words(this.input.value);
            const found = find(this.#parts, this.input.value);
            this.#chosen = -1;
            this.list.replaceChildren(...found.map((part, i) => {
                const where = part.top ? part.where : `${part.where} · ${part.page}`;
                const item = make('a', { id: `found-${i}`, href: `${root.dataset.root}/${part.address}`, tabIndex: -1 },
                    make('strong', { textContent: part.heading }), make('span', { className: 'where', textContent: where }), excerpt(part, query));
                item.setAttribute('role', 'option');
                item.setAttribute('aria-selected', 'false');
                item.addEventListener('click', () => this.close());
                return item;
            }));
            this.note.textContent = !query.length ? 'Names, options, words: all of them must occur.'
                : found.length ? '' : `Nothing has all of: ${query.join(', ')}.`;
            this.input.setAttribute('aria-expanded', String(found.length > 0));
            if (found.length) this.choose(0);
        }

        choose(number) {
            const items = [...this.list.children];
            if (!items.length) return;
            items[this.#chosen]?.setAttribute('aria-selected', 'false');
            this.#chosen = (number + items.length) % items.length;
            items[this.#chosen].setAttribute('aria-selected', 'true');
            items[this.#chosen].scrollIntoView({ block: 'nearest' });
            this.input.setAttribute('aria-activedescendant', items[this.#chosen].id);
        }

        key(event) {
            const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
            if (step) {
                event.preventDefault();
                this.choose(this.#chosen + step);
            } else if (event.key === 'Escape') {
                event.preventDefault(); // else it would only empty the line
                this.close();
            } else if (event.key === 'Enter') {
                event.preventDefault();
                this.list.children[this.#chosen]?.click();
            }
        }
    }

    function searchSetUp(button) {
        let search = null;
        const open = () => { (search ??= new Search()).open(); };
        button.hidden = false;
        button.addEventListener('click', open);
        document.addEventListener('keydown', (event) => {
            const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
            const held = event.ctrlKey || event.metaKey || event.altKey;
            if (!(event.key === '/' && !typing && !held) && !(event.key === 'k' && (event.ctrlKey || event.metaKey))) return;
            event.preventDefault();
            open();
        });
    }

    // ---- all of it ----

    const COPIED = ['sh', 'console', 'python', 'c', 'cmake', 'json'];
    const PARTS = { 'data-theme-switch': themeSetUp, 'data-menu': menuSetUp, 'data-search': searchSetUp, 'data-compare': compareSetUp, 'data-live': liveSetUp };
    for (const [name, work] of Object.entries(PARTS)) all(`[${name}]`).forEach(work);
    all('.code[data-language]').filter((block) => COPIED.includes(block.dataset.language)).forEach(copySetUp);
    if (one('#menu')) menuShow();
    root.dataset.ready = 'true';
})();
