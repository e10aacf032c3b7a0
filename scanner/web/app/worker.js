// The worker runs the engine, so that reading a picture never stops the page. It passes each message to
// the engine and each reply back (engine/PROTOCOL.md), and turns pictures into pixels before.
import './wasm_exec.js';
import { toPixels } from './js/pixels.js';

/** @type {{id: number, op: string, bitmap?: ImageBitmap}[]} */
const early = [];
/** @type {((request: object) => void) | null} */
let handle = null;

self.addEventListener('message', (event) => {
  if (handle) pass(event.data);
  else early.push(event.data);
});

// pass draws a picture if the request has one, and hands the request on.
function pass(request) {
  try {
    handle?.(request.bitmap ? { ...request, bitmap: undefined, ...toPixels(request.bitmap) } : request);
  } catch (err) {
    self.postMessage({ id: request.id, ok: false, error: { code: 'worker', message: String(err) } });
  }
}

// The engine calls this once it can take requests.
self.tcodeReady = (receive) => {
  handle = receive;
  for (const request of early.splice(0)) pass(request);
};

async function start() {
  const go = new self.Go();
  const answer = fetch(new URL('engine.wasm', self.location.href), { credentials: 'omit' });
  const { instance } = await WebAssembly.instantiateStreaming(answer, go.importObject);
  await go.run(instance);
  throw new Error('the engine has ended');
}

start().catch((err) => self.postMessage({ event: 'failed', message: String(err) }));
