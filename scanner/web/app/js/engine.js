// The page's end of the messages with the engine (scanner/web/engine/PROTOCOL.md). The page loads this module before all others, because
// the engine takes longer to load than all of them.

/**
 * afterAwake calls f after some seconds in which the page ran: while a phone sleeps no time passes. The result stops that.
 * @param {number} seconds @param {() => void} f
 */
function afterAwake(seconds, f) {
  const timer = setInterval(() => {
    if (--seconds > 0) return;
    clearInterval(timer);
    f();
  }, 1000);
  return () => clearInterval(timer);
}

/** An EngineError is a refusal by the engine, with a code that the page translates. */
export class EngineError extends Error {
  /** @param {{code: string, message?: string, advice?: string}} e */
  constructor(e) {
    super(e.message || e.code);
    this.code = e.code;
    this.advice = e.advice ?? '';
    this.more = e;
  }
}

const PATIENCE = 120; // s for one document: four times the longest search of the engine
const DOCUMENTS = new Set(['frame', 'still', 'file']);

/**
 * An Engine is one worker. After `fatal` it takes no requests. `useful` says that it answered, or that a person has given it a
 * document: if it ends then, a new one may do better.
 */
class Engine extends EventTarget {
  #worker;
  #next = 1;
  /** @type {Map<number, {resolve: (v: any) => void, reject: (e: Error) => void}>} */
  #open = new Map();
  #dead = /** @type {EngineError | null} */ (null);
  useful = false;

  constructor() {
    super();
    this.#worker = new Worker(new URL('../engine-worker.js', import.meta.url));
    this.#worker.addEventListener('message', (e) => this.#receive(e.data));
    this.#worker.addEventListener('error', (e) => this.#end(new EngineError({ code: 'internal', message: e.message })));
    this.#worker.addEventListener('messageerror', () => this.#end(new EngineError({ code: 'internal', message: 'unreadable message' })));
  }

  /**
   * ask sends a request and resolves with its result, or rejects with an EngineError.
   * @param {string} op @param {object} [members] @param {Transferable[]} [transfer] @returns {Promise<any>}
   */
  ask(op, members = {}, transfer = []) {
    if (this.#dead) return Promise.reject(this.#dead);
    const id = this.#next++;
    if (op === 'still' || op === 'file') this.useful = true;
    return new Promise((resolve, reject) => {
      const stop = DOCUMENTS.has(op) ? afterAwake(PATIENCE, () => this.#end(new EngineError({ code: 'internal', message: 'the reader does not end' }))) : () => {};
      this.#open.set(id, { resolve: (v) => { stop(); this.useful ||= op !== 'start'; resolve(v); }, reject: (e) => { stop(); reject(e); } });
      this.#worker.postMessage({ id, op, ...members }, transfer);
    });
  }

  /** end stops the worker after what is being stored is stored. */
  async end() {
    const patience = new Promise((resolve) => setTimeout(resolve, 3000));
    await Promise.race([this.ask('close').catch(() => {}), patience]);
    this.#worker.terminate();
    this.#dead = new EngineError({ code: 'closed' });
  }

  /** @param {any} m */
  #receive(m) {
    if (m.event) {
      if (m.event === 'fatal') this.#end(new EngineError(m.error ?? m));
      this.dispatchEvent(new CustomEvent(m.event, { detail: m }));
      return;
    }
    const open = this.#open.get(m.id);
    this.#open.delete(m.id);
    if (m.ok) open?.resolve(m.result);
    else open?.reject(new EngineError(m.error));
  }

  /** @param {EngineError} err */
  #end(err) {
    if (this.#dead) return;
    this.#dead = err;
    if (err.code === 'internal') this.#worker.terminate(); // it may never end by itself
    for (const open of this.#open.values()) open.reject(err);
    this.#open.clear();
    this.dispatchEvent(new CustomEvent('end', { detail: err }));
  }
}

let early = /** @type {Engine | null} */ (new Engine()); // loads while the rest of the page does

/** loadEngine returns an engine to be started: the early one at first, then a new one. */
export function loadEngine() {
  const engine = early ?? new Engine();
  early = null;
  return engine;
}
