// start.js - puts the page together over an engine: the tabs, and what concerns all of them.

import { CutOut } from './cutout.js';
import { say } from './dom.js';
import { Folder } from './folder.js';
import { Restore } from './restore.js';
import { fillHelp, listenToKeys } from './shortcuts.js';
import { Trace } from './trace.js';

const byId = (id) => document.getElementById(id);
const tabs = [...document.querySelectorAll('[role=tab]')];
let folder = null; // the tab of that name, where there is a folder

// ---- tabs ----

function select(tab, focus = false) {
    for (const each of tabs) {
        const chosen = each === tab;
        each.setAttribute('aria-selected', String(chosen));
        each.tabIndex = chosen ? 0 : -1;
        byId(each.getAttribute('aria-controls')).hidden = !chosen;
    }
    showPlace();
    if (focus) tab.focus();
}

const selected = () => tabs.find((tab) => tab.getAttribute('aria-selected') === 'true').getAttribute('aria-controls');

/** The address says what is in sight, so that a reload shows it again: #cutout, #folder, #folder/KEY, #trace or #restore. */
function showPlace() {
    const here = selected();
    const key = here === 'folder' ? folder?.openKey : null;
    history.replaceState(null, '', `#${here}${key ? `/${key}` : ''}`);
}

function listenToTabs() {
    for (const tab of tabs) {
        tab.addEventListener('click', () => select(tab));
        tab.addEventListener('keydown', (event) => {
            const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
            if (!step) return;
            const shown = tabs.filter((each) => !each.hidden);
            select(shown.at((shown.indexOf(tab) + step) % shown.length), true);
            event.preventDefault();
        });
    }
    const [place, key] = location.hash.slice(1).split('/');
    const wanted = tabs.find((tab) => !tab.hidden && place === tab.getAttribute('aria-controls'));
    select(wanted ?? (folder ? byId('tab-folder') : tabs[0]));
    if (folder && key) folder.open(key);
}

// ---- the start ----

function showLost(words) {
    say(byId('lost'), words);
}

async function firstState(engine) {
    const words = byId('lost').textContent;
    engine.addEventListener('lost', () => showLost(words));
    engine.addEventListener('found', () => showLost(''));
    for (;;) {
        try {
            return await engine.state();
        } catch (error) {
            if (error.code !== 'unreachable') showLost(error.message);
            await new Promise((resolve) => { engine.addEventListener('found', resolve, { once: true }); });
        }
    }
}

function offerHelp() {
    const help = byId('help');
    const showHelp = () => help.showModal();
    fillHelp(byId('shortcuts'), byId('single-keys'));
    byId('help-open').addEventListener('click', showHelp);
    byId('help-close').addEventListener('click', () => help.close());
    return showHelp;
}

/** The page with this engine. */
export async function start(engine) {
    const state = await firstState(engine);
    const cutout = new CutOut(byId('cutout'), engine, state);
    folder = state.folder ? new Folder(byId('folder'), engine, state) : null;
    new Restore(byId('restore'), engine);
    if (state.tracers) new Trace(byId('trace'), engine, state);
    byId('tab-trace').hidden = !state.tracers;
    byId('tab-folder').hidden = !folder;
    if (state.where) for (const part of document.querySelectorAll('[data-where]')) part.textContent = state.where;
    listenToTabs();
    byId('folder').addEventListener('place', showPlace);

    byId('folder').addEventListener('model', async () => {
        const { methods, method } = await engine.state();
        for (const workspace of [cutout.workspace, folder.workspace]) {
            workspace.offerMethods(methods, method);
            workspace.refresh();
        }
    });

    const showHelp = offerHelp();
    listenToKeys(() => {
        const here = selected();
        const workspace = { cutout: cutout.workspace, folder: folder?.workspace }[here];
        const marked = here === 'folder' && folder.marking ? folder : null;
        return {
            workspace: workspace?.picture && !workspace.root.inert ? workspace : null,
            list: here === 'cutout' ? cutout : marked,
            folder: marked,
            help: showHelp,
        };
    });
    document.documentElement.dataset.ready = 'true';
}
