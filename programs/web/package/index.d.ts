/** Exact minimisation of sum-of-submodular energies, and cutting objects out of photographs with learned ones. */

/** What went wrong: a sentence, and a code. */
export class S3svmError extends Error {
    readonly code: 'argument' | 'not submodular' | 'range' | 'memory' | 'format' | 'io' | 'cancelled' | string;
}

/** Numbers of any kind; they are copied only where they are of another kind than is needed. */
export type Numbers = ArrayLike<number>;

/** The 2^k costs of k members, entry S when exactly the members whose bit is set in S have label 1; or a function of their labels. */
export type Table = Numbers | ((labels: Uint8Array) => number);

// ---- energies ----

export interface Minimum {
    /** 0 or 1 for each variable. */
    labels: Uint8Array;
    /** Of these labels. */
    energy: number;
    /** That no labels go below: equal to energy but for the rounding of sums of doubles. */
    bound: number;
    /** How far turning costs into integers moved any energy. */
    rounding: number;
    /** Whether the flow of the run before was used. */
    warm: boolean;
    seconds: number;
}

/** E(y) = constant + sum of unary costs + sum of w_C f_C(y_C), each y_i 0 or 1, each f_C submodular, each w_C at least 0. */
export class Energy {
    /** By `S3svm.energy`. */
    private constructor();
    readonly variables: number;
    addConstant(cost: number): this;
    /** What labels 0 and 1 of each variable cost. */
    setUnaries(zero: Numbers, one: Numbers): this;
    /** Fixes variables to 0 or 1; 2 is free. */
    fix(labels: Numbers): this;
    /** A submodular table; returns its number.  members is needed for a function. */
    addTable(costs: Table, members?: number): number;
    /** Other costs for all cliques with a table. */
    setTable(table: number, costs: Table): this;
    /** Cliques with a table: the variables of one after those of the other. */
    addCliques(table: number, variables: Numbers, weights?: Numbers | null): this;
    /** Cliques over all patches of a picture, row by row; variable y * width + x is the pixel (x, y). */
    addPatches(table: number, where: { width: number; height: number; patch?: [number, number]; weights?: Numbers | null }): this;
    /** A clique of any size whose cost is a concave function of how many of its members have label 1: costs for 0, 1, ... of them. */
    addConcave(variables: Numbers, costs: Numbers, weight?: number): this;
    /** What labels cost, by the definition. */
    value(labels: Numbers): number;
    /** The least energy, exactly.  warm: from the flow of the last run, where that helps; maximal: of several minima the one with most ones. */
    minimize(settings?: { warm?: boolean; maximal?: boolean }): Minimum;
    /** Lets go of its memory. */
    free(): void;
}

// ---- photographs ----

/** Four bytes a pixel, red, green, blue and opacity, as ImageData has them. */
export interface Picture {
    width: number;
    height: number;
    data: Uint8ClampedArray | Uint8Array;
}

/** A picture inside the module, for several segmenters. */
export class Photograph {
    /** By `S3svm.photograph`. */
    private constructor();
    readonly width: number;
    readonly height: number;
    free(): void;
}

export type Label = 'object' | 'background';

/** Coordinates x, y, x, y, ...; (0, 0) is the middle of the first pixel. */
export type Mark =
    | { shape: 'stroke'; label: Label; radius: number; points: number[] }
    | { shape: 'box'; points: number[] }
    | { shape: 'outline'; points: number[] }
    | { shape: 'pixels'; runs: number[] };

/** Marks that were made together. */
export type Step = Mark[];

/** The list of marks that `s3svm segment --marks` reads, too. */
export interface Marks {
    format: 's3svm marks';
    version: 1;
    width: number;
    height: number;
    steps: Step[];
}

export interface Method {
    name: string;
    title: string;
    summary: string;
}

export interface SegmenterSettings {
    /** The name of a method: "s3svm", "amn" or "grabcut". */
    method?: string;
    /** Whether only what is connected with a mark of the object is object. */
    connected?: boolean;
    /** Photographs with more pixels are solved at a reduced size; 0: as is usual for the method. */
    pixels?: number;
    /** Labels found at a reduced size are scaled up as they are. */
    rough?: boolean;
}

export interface Result {
    /** Pixels of the object. */
    object: number;
    energy: number;
    bound: number;
    /** By what the sides were divided. */
    reduction: number;
    /** Pixels with a mark. */
    marked: number;
    /** What was assumed because it was not marked. */
    assumed: { background: boolean; border: boolean; object: boolean };
    seconds: { look: number; solve: number; refine: number };
}

export interface Confidence {
    /** For each pixel how much it takes to turn its piece over; 1 is as sure as a model wants to be. */
    map: Float32Array;
    /** Where to look next: the place that is turned over by the least rise of the energy. */
    next: { x: number; y: number; label: Label; confidence: number } | null;
    pieces: number;
    seconds: number;
}

/** A photograph that is marked step by step.  Its labels are those of `s3svm segment`, bit for bit. */
export class Segmenter {
    /** By `S3svm.segmenter`. */
    private constructor();
    readonly width: number;
    readonly height: number;
    connected: boolean;
    stroke(points: Numbers & Iterable<number>, settings?: { label?: Label; radius?: number }): this;
    /** Two opposite corners around the object. */
    box(corners: Numbers & Iterable<number>): this;
    /** A closed line around the object. */
    outline(points: Numbers & Iterable<number>): this;
    undo(): this;
    readonly marks: Marks;
    /** Makes the marks those of a list: takes back what differs, adds what is new. */
    follow(marks: Marks | Step[]): this;
    /** The same, step by step: a generator of the share that is done. */
    stepsTo(marks: Marks | Step[]): Generator<number, void, void>;
    /** 1 where the object is. */
    readonly labels: Uint8Array;
    readonly result: Result;
    /** All marks as pixels: 0 nothing, 1 object, 2 background, 3 perhaps object, 4 perhaps background. */
    readonly drawnMarks: Uint8Array;
    /** The object alone, with a soft edge. */
    cutout(): Picture;
    /** The photograph with its background dimmed, the outline and the marks. */
    overlay(): Picture;
    /** What pixels say by themselves: red object, blue background. */
    unaries(): Picture;
    /** Where neighbours changed that. */
    prior(): Picture;
    confidence(): Confidence;
    /** Lets go of its memory. */
    free(): void;
}

// ---- the module ----

export class S3svm {
    /** By `load`, or `S3svm.of`. */
    private constructor();
    /** From the bytes of s3svm.wasm, or what was compiled of them. */
    static of(source: BufferSource | WebAssembly.Module): Promise<S3svm>;
    readonly version: string;
    /** Of cutting out; the first is the usual one. */
    readonly methods: Method[];
    energy(variables: number): Energy;
    /** The labels of a picture's pixels by unary costs and a table over all patches, or what neighbours with different labels cost. */
    minimize(problem: {
        width: number;
        height: number;
        zero: Numbers;
        one: Numbers;
        table?: Table | null;
        patch?: [number, number];
        weights?: Numbers | null;
        pairs?: number | null;
    }): Minimum;
    photograph(picture: Picture): Photograph;
    segmenter(picture: Picture | Photograph, settings?: SegmenterSettings): Segmenter;
    /** The object of a photograph by a list of marks, in one call. */
    cutOut(picture: Picture | Photograph, marks: Marks | Step[], settings?: SegmenterSettings): Picture & { labels: Uint8Array; result: Result };
    /** A noisy drawing without its noise: a byte a pixel, 0 ink and 255 paper. */
    restore(picture: Picture | Photograph): { width: number; height: number; data: Uint8Array };
    /** The picture of a PGM or PPM file. */
    parse(file: Uint8Array): Picture;
}

/** The module: from the package's own file, or from an address, a path (Node), bytes, or what was compiled of them. */
export function load(source?: string | URL | BufferSource | WebAssembly.Module): Promise<S3svm>;
