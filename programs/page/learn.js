// learn.js - learning from the photographs that are done: start, stop, resume, live curves, and which model is used.

import { lineChart, pairChart } from './chart.js';
import { announce, make, say } from './dom.js';
import { duration, figure, plural } from './words.js';

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
        parts.learnResume.hidden = learning.state !== 'stopped';
        parts.learnStart.classList.toggle('primary', learning.state !== 'stopped');
        parts.learnResume.classList.toggle('primary', learning.state === 'stopped');
        parts.learnWords.textContent = introduction(learning);
        parts.learnRun.hidden = !running;
        parts.learnShare.value = learning.share ?? 0;
        parts.learnPhase.textContent = phaseWords(learning);
        say(parts.learnResult, resultWords(learning));
        if (learning.state === 'failed') say(parts.learnProblem, learning.message);
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
        const charts = [];
        const rounds = all.filter(({ fold }) => fold === all.at(-1).fold); // each fold trains a model of its own
        if (rounds.length > 1) {
            const lines = [
                { className: 'before', values: rounds.map((round) => round.objective) },
                { className: 'after', values: rounds.map((round) => round.bound) },
            ];
            charts.push(figureOf('Objective and bound, round by round', ['objective', 'bound'],
                lineChart(`Objective ${figure(rounds.at(-1).objective)}, bound ${figure(rounds.at(-1).bound)}`, lines, `${rounds.length} rounds`)));
        }
        if (folds.length) {
            const pairs = folds.map((fold) => ({ name: String(fold.fold + 1), before: fold.clicks_before, after: fold.clicks_after }));
            const words = pairs.map(({ before, after }) => `${figure(before)} then ${figure(after)}`).join(', ');
            charts.push(figureOf('Clicks needed by photographs kept aside', ['before', 'after'], pairChart(`Clicks before and after: ${words}`, pairs)));
        }
        this.parts.learnCharts.replaceChildren(...charts);
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

function introduction({ state, message, photographs }) {
    if (state === 'idle')
        return `From photographs that are done the program learns to need fewer strokes for the next. ${sentence(message)}`;
    return `${state === 'running' ? 'Learning' : 'Learned'} from ${plural(photographs, 'photograph')}.${state === 'stopped' ? ' Stopped; it can go on.' : ''}`;
}

const sentence = (words) => (words ? `${words[0].toUpperCase()}${words.slice(1)}${/[.!]$/.test(words) ? '' : '.'}` : '');

function phaseWords({ phase, seconds_left: left }) {
    return `${PHASES[phase] ?? 'Starting'}${left > 0 ? `; about ${duration(left)} left` : ''}`;
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
