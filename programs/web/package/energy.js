// energy.js - E(y) = constant + sum of unary costs + sum of weights times submodular functions of cliques, and its exact minimum.

import { S3svmError } from './module.js';

const MEMBERS_MAX = 16; // SOS_TABLE_MEMBERS_MAX

/** Numbers as an array of a kind, copied only where they are of another. */
export function arrayOf(Kind, values, what, count = values?.length) {
    const array = values instanceof Kind ? values : Kind.from(values ?? []);
    if (array.length !== count) throw new S3svmError(`${what}: ${array.length} numbers; there must be ${count}.`, 'argument');
    return array;
}

/** A number from 0 on that C can count with. */
export function countOf(value, what) {
    if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) throw new S3svmError(`${what} must be a whole number, not ${value}.`, 'argument');
    return value;
}

/** The 2^k costs of k members: as they are, or of a function of their labels. */
export function tableOf(costs, members) {
    if (typeof costs !== 'function') {
        const array = arrayOf(Float64Array, costs, 'A table');
        const count = Math.log2(array.length);
        if (!Number.isInteger(count) || count < 1) throw new S3svmError(`A table has 2^k costs, not ${array.length}.`, 'argument');
        return { array, members: count };
    }
    if (!(members >= 1 && members <= MEMBERS_MAX)) throw new S3svmError(`A table has 1 to ${MEMBERS_MAX} members, not ${members}.`, 'argument');
    const labels = (set) => Uint8Array.from({ length: members }, (_, bit) => set >> bit & 1);
    return { array: Float64Array.from({ length: 2 ** members }, (_, set) => costs(labels(set))), members };
}

export class Energy {
    #module;
    #energy;
    #minimizer = 0;
    #members = [];       // of each table
    #solved = false;

    constructor(module, variables) {
        this.#module = module;
        this.variables = countOf(variables, 'The number of variables');
        this.#energy = module.make('sos_energy_create', variables);
    }

    /** Lets go of its memory; nothing else can be done with it then. */
    free() {
        this.#module.get('sos_minimizer_free', this.#minimizer);
        this.#module.get('sos_energy_free', this.#energy);
        this.#energy = this.#minimizer = 0;
    }

    get #handle() {
        if (!this.#energy) throw new S3svmError('This energy has been freed.', 'argument');
        return this.#energy;
    }

    #call(name, arrays, values) {
        this.#module.lend(arrays, (...places) => this.#module.call(name, this.#handle, ...values(...places)));
        return this;
    }

    addConstant(cost) { return this.#call('sos_energy_add_constant', [], () => [cost]); }

    setUnaries(zero, one) {
        const costs = [zero, one].map((values) => arrayOf(Float64Array, values, 'Unary costs', this.variables));
        return this.#call('sos_energy_set_unaries', costs, (...places) => places);
    }

    /** Labels 0 and 1 are fixed, 2 is free. */
    fix(labels) {
        return this.#call('sos_energy_fix_all', [arrayOf(Uint8Array, labels, 'Labels', this.variables)], (place) => [place]);
    }

    addTable(costs, members) {
        const table = tableOf(costs, members);
        this.#call('sos_energy_add_table', [table.array, new Uint32Array(1)], (place, number) => [table.members, place, number]);
        return this.#members.push(table.members) - 1;
    }

    setTable(table, costs) {
        const changed = tableOf(costs, this.#members[table]);
        if (changed.members !== this.#members[table]) throw new S3svmError(`Table ${table} has ${this.#members[table] ?? 'no'} members.`, 'argument');
        return this.#call('sos_energy_set_table', [changed.array], (place) => [table, place]);
    }

    addCliques(table, variables, weights = null) {
        const members = arrayOf(Uint32Array, variables, 'Members of cliques');
        const count = members.length / (this.#members[table] ?? NaN);
        if (!Number.isInteger(count)) throw new S3svmError(`Cliques with table ${table}: ${members.length} members do not make whole ones.`, 'argument');
        const factors = weights && arrayOf(Float64Array, weights, 'Weights', count);
        return this.#call('sos_energy_add_cliques', [members, factors], (place, factor) => [table, count, place, factor]);
    }

    addPatches(table, { width, height, patch: [patchWidth, patchHeight] = [2, 2], weights = null }) {
        const sizes = [width, height, patchWidth, patchHeight].map((size) => countOf(size, 'A size'));
        const count = Math.max(0, width - patchWidth + 1) * Math.max(0, height - patchHeight + 1);
        const factors = weights && arrayOf(Float64Array, weights, 'Weights', count);
        return this.#call('sos_energy_add_patches', [factors], (place) => [table, ...sizes, place]);
    }

    addConcave(variables, costs, weight = 1) {
        const members = arrayOf(Uint32Array, variables, 'Members');
        const values = arrayOf(Float64Array, costs, 'Costs by count', members.length + 1);
        return this.#call('sos_energy_add_concave', [members, values], (place, of) => [members.length, place, of, weight]);
    }

    value(labels) {
        return this.#module.lend([arrayOf(Uint8Array, labels, 'Labels', this.variables)],
            (place) => this.#module.get('sos_energy_value', this.#handle, place));
    }

    minimize({ warm = true, maximal = false } = {}) {
        const [module, handle] = [this.#module, this.#handle];
        this.#minimizer ||= module.make('sos_minimizer_create');
        const result = module.lend([new Uint8Array(this.variables), new Float64Array(5)], (labels, numbers) => {
            module.call('web_minimize', this.#minimizer, handle, warm && this.#solved, maximal, labels, numbers);
            const [energy, bound, rounding, wasWarm, seconds] = module.view(Float64Array, numbers, 5);
            return { labels: module.copy(Uint8Array, labels, this.variables), energy, bound, rounding, warm: wasWarm !== 0, seconds };
        });
        this.#solved = true;
        return result;
    }
}
