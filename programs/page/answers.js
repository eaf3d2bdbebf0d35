// answers.js - answers that follow what is marked: at most one request is under way, and the newest waits.
//
// While a mark grows (live) a request under way is let finish, so that the outline follows the hand; a mark that is complete
// cancels whatever is under way for older marks.  Where exact answers are slow, growing marks get quick ones, and a complete
// mark a quick one first.

const SLOW_SECONDS = 0.35;   // an exact answer that takes longer lags behind the hand
const SLOW_PIXELS = 2000000; // until the first answer tells

export class AnswerQueue {
    #current = null;
    #waiting = null;
    #slow;

    /** ask(job, signal) resolves to an answer with members quick and elapsed (seconds); answered gets (answer, job) and failed
     *  (error, job); changed is called when busy may have changed. */
    constructor({ ask, answered, failed, changed, pixels = 0 }) {
        Object.assign(this, { ask, answered, failed, changed });
        this.#slow = pixels > SLOW_PIXELS;
    }

    get busy() { return this.#current !== null; }

    /** job: marks, and live: true while the last mark grows. */
    request(job) {
        const next = { job, quick: this.#slow, abort: new AbortController() };
        if (this.#current && job.live && this.#current.job.live) {
            this.#waiting = next;
            return;
        }
        this.cancel();
        this.#start(next);
    }

    cancel() {
        this.#waiting = null;
        this.#current?.abort.abort();
        this.#current = null;
        this.changed();
    }

    async #start(run) {
        this.#current = run;
        this.changed();
        try {
            const answer = await this.ask({ ...run.job, quick: run.quick }, run.abort.signal);
            if (this.#current !== run) return;
            if (!run.quick) this.#slow = answer.elapsed > SLOW_SECONDS;
            this.answered(answer, run.job);
            if (this.#current === run) this.#next(run);
        } catch (error) {
            if (this.#current !== run) return;
            this.cancel();
            this.failed(error, run.job);
        }
    }

    #next(run) {
        const next = this.#waiting;
        this.#waiting = null;
        this.#current = null;
        if (next) this.#start(next);
        else if (run.quick && !run.job.live) this.#start({ ...run, quick: false });
        else this.changed();
    }
}
