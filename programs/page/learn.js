// learn.js - learning from the photographs that are done: start, stop, resume, live curves, and which model is used.

import { lineChart, pairChart } from './chart.js';
import { announce, make, say } from './dom.js';
import { duration, figure, percent, plural } from './words.js';

const RUNNING_MILLISECONDS = 700; // between looks while it learns

const PHASES = {
    reading: 'Reading the photographs',
    networks: 'Learning what pixels look like',
    weights: 'Learning how pixels go together',
    outlines: 'Learning how outlines run',
    judge: 'Trying it on photographs kept aside',
};

export class Learn {
    #engine;
    #timer = 0;
    #last = null;

    /** parts are those of the folder's tab whose names begin with learn, and models; changed is called when another model is used. */
    constructor(parts, engine, changed) {
        this.parts = parts;
        this.#engine = engine;
        this.changed = changed;
        parts.learnStart.addEventListener('click', () => this.#act('start'));
        parts.learnStop.addEventListener('click', () => this.#act('stop'));
        parts.learnResume.addEventListener('click', () => this.#act('resume'));
        engine.addEventListener('found', () => this.refresh());
        this.refresh();
    }

    async #act(action) {
        say(this.parts.learnProblem, '');
        try {
            await this.#engine.learn(action);
        } catch (error) {
            say(this.parts.learnProblem, error.message);
        }
        this.refresh();
    }

    async refresh() {
        clearTimeout(this.#timer);
        let learning;
        try {
            learning = await this.#engine.learning();
        } catch (error) {
            if (error.code !== 'unreachable') say(this.parts.learnProblem, error.message);
            return;
        }
        this.#show(learning);
        if (learning.state === 'running') this.#timer = setTimeout(() => this.refresh(), RUNNING_MILLISECONDS);
    }

    #show(learning) {
        const { parts } = this;
        const running = learning.state === 'running';
        parts.learn.dataset.state = learning.state;
        parts.learnStart.hidden = running;
        parts.learnStart.disabled = learning.state === 'idle' && learning.message !== '';
        parts.learnStop.hidden = !running;
        const broken = learning.state === 'stopped' || learning.state === 'failed';
        parts.learnResume.hidden = !broken;
        parts.learnStart.textContent = broken ? 'Start anew' : 'Learn';
        parts.learnStart.classList.toggle('primary', !broken);
        parts.learnResume.classList.toggle('primary', broken);
        parts.learnWords.textContent = introduction(learning);
        parts.learnRun.hidden = !running;
        parts.learnShare.value = learning.share ?? 0;
        parts.learnPhase.textContent = phaseWords(learning);
        say(parts.learnOthers, othersWords(learning));
        say(parts.learnResult, resultWords(learning));
        if (learning.state === 'failed') say(parts.learnProblem, sentence(learning.message));
        this.#showCharts(learning);
        this.#showModels(learning.models);
        this.#tell(learning);
    }

    /** Words once for those who hear the page; the owner hears of another model. */
    #tell(learning) {
        const current = learning.models.find((model) => model.current)?.name;
        const before = this.#last;
        this.#last = { state: learning.state, current };
        if (!before) return;
        if (before.state === 'running' && learning.state !== 'running') announce(resultWords(learning) || `Learning: ${learning.state}.`);
        if (before.current !== current) this.changed();
    }

    #showCharts({ rounds: all, folds }) {
        const { learnCharts, learnDetails, learnCurve } = this.parts;
        const rounds = all.filter(({ fold }) => fold === all.at(-1).fold); // each fold trains a model of its own
        learnDetails.hidden = rounds.length < 2;
        if (rounds.length > 1) {
            const lines = [
                { className: 'before', values: rounds.map((round) => round.objective) },
                { className: 'after', values: rounds.map((round) => round.bound) },
            ];
            learnCurve.replaceChildren(figureOf('Objective and bound, round by round', ['objective', 'bound'],
                lineChart(`Objective ${figure(rounds.at(-1).objective)}, bound ${figure(rounds.at(-1).bound)}`, lines, `${rounds.length} rounds`)));
        }
        learnCharts.hidden = !folds.length;
        if (folds.length) {
            const pairs = folds.map((fold) => ({ name: String(fold.fold + 1), before: fold.clicks_before, after: fold.clicks_after }));
            const words = pairs.map(({ before, after }) => `${figure(before)} then ${figure(after)}`).join(', ');
            learnCharts.replaceChildren(figureOf('Clicks needed by photographs kept aside', ['before', 'after'],
                pairChart(`Clicks before and after: ${words}`, pairs)));
        }
    }

    #showModels(models) {
        const { models: list } = this.parts;
        const focused = list.contains(document.activeElement) ? document.activeElement.value : null;
        list.hidden = models.length < 2;
        const rows = models.map(({ name, title, made, photographs, current }) => {
            const input = make('input', { type: 'radio', name: 'model', value: name, checked: current });
            input.addEventListener('change', () => this.#use(name));
            const from = [photographs ? plural(photographs, 'photograph') : '', made ? new Date(made).toLocaleString() : ''].filter(Boolean).join(', ');
            return make('label', { className: 'check' }, input, make('span', {}, title, make('small', {}, from)));
        });
        list.replaceChildren(list.querySelector('legend'), ...rows);
        if (focused) list.querySelector(`input[value="${CSS.escape(focused)}"]`)?.focus();
    }

    async #use(model) {
        try {
            await this.#engine.use(model);
        } catch (error) {
            say(this.parts.learnProblem, error.message);
        }
        this.refresh();
    }
}

export function introduction({ state, message, photographs }) {
    if (state === 'idle')
        return `From photographs that are done the program learns to need fewer strokes for the next. ${sentence(message)}`;
    const from = `from ${plural(photographs, 'photograph')}`;
    if (state === 'running') return `Learning ${from}.`;
    if (state === 'done') return `Learned ${from}.`;
    return `Learning ${from} ${state === 'failed' ? 'could not be finished' : 'was stopped'}; it can go on where it was.`;
}

const sentence = (words) => (words ? `${words[0].toUpperCase()}${words.slice(1)}${/[.!]$/.test(words) ? '' : '.'}` : '');

function phaseWords({ phase, seconds_left: left }) {
    return `${PHASES[phase] ?? 'Starting'}${left > 0 ? `; about ${duration(left)} left` : ''}`;
}

const MUCH = 0.3; // of the processor

/** Why it takes longer than it did a while ago. */
export function othersWords({ state, others }) {
    if (state !== 'running' || !(others > MUCH)) return '';
    return `Other programs take ${percent(Math.round(100 * others) / 100)} of the processor: until they are done this takes longer.`;
}

function figureOf(title, [first, second], chart) {
    const key = make('span', { className: 'key' }, make('i', { className: 'before' }), first, make('i', { className: 'after' }), second);
    return make('figure', {}, make('figcaption', {}, title, key), chart);
}

function resultWords({ result }) {
    if (!result) return '';
    const clicks = `${figure(result.clicks_after)} clicks in place of ${figure(result.clicks_before)} for photographs kept aside`;
    if (result.used) return `Better: ${clicks}. The new model is used from now on.`;
    return result.better ? `Better: ${clicks}.` : `Not better: ${clicks}. The model stays as it was.`;
}
