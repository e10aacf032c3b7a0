// The worker in which the engine runs. It loads the engine, turns pictures into gray pixels, and
// passes requests and replies on (scanner/web/engine/PROTOCOL.md).
'use strict';
importScripts('wasm_exec.js');

const loadedAt = performance.now();
let canvas = null;
let started = false;
let frameBusy = false;
let exported = null;

const ready = new Promise((resolve, reject) => {
  self.tcodeReady = resolve;
  const go = new Go();
  WebAssembly.instantiateStreaming(fetch('engine.wasm'), go.importObject).then(({ instance }) => {
    exported = instance.exports;
    return go.run(instance);
  }).then(() => fatal('the engine has ended'), (e) => { reject(e); fatal(String(e)); });
});
ready.then(() => postMessage({ event: 'ready', loadMs: performance.now() - loadedAt }), () => {});

function fatal(message) {
  postMessage({ event: 'fatal', error: { code: 'internal', message } });
}

function failure(code, message) {
  return Object.assign(new Error(message), { code });
}

// The engine tells something. After "fatal" it takes no requests.
self.tcodeEvent = (text) => postMessage(JSON.parse(text));

// ask passes one request to the engine, with bytes (Uint8Array or null). The file of a result comes back as its member bytes.
async function ask(request, bytes) {
  await ready;
  const [text, file] = await new Promise((resolve) => self.tcodeAsk(JSON.stringify(request), bytes, (reply, out) => resolve([reply, out])));
  const reply = JSON.parse(text);
  if (file && reply.ok) reply.result.bytes = file.buffer;
  return reply;
}

// luma turns RGBA pixels into gray ones, with the weights that Go uses for color.Gray.
function luma(rgba) {
  const gray = new Uint8Array(rgba.length / 4);
  for (let i = 0, j = 0; j < gray.length; i += 4, j++) {
    gray[j] = (19595 * rgba[i] + 38470 * rgba[i + 1] + 7471 * rgba[i + 2] + 32768) >> 16;
  }
  return gray;
}

// grayOf returns the gray pixels of a frame, and closes its picture.
function grayOf(m) {
  if (m.pixels) {
    const bytes = new Uint8Array(m.pixels);
    if (m.format !== 'gray' && m.format !== 'rgba') throw failure('request', 'format is gray or rgba');
    if (bytes.length !== m.width * m.height * (m.format === 'gray' ? 1 : 4)) throw failure('request', 'pixels do not fit width and height');
    return { width: m.width, height: m.height, bytes: m.format === 'gray' ? bytes : luma(bytes) };
  }
  if (!m.frame) throw failure('request', 'a frame has a picture or pixels');
  const width = m.frame.displayWidth ?? m.frame.width;
  const height = m.frame.displayHeight ?? m.frame.height;
  try {
    if (!(width > 0 && height > 0 && width <= 4096 && height <= 4096)) throw failure('request', 'a frame has at most 4,096 px a side');
    if (!canvas || canvas.width !== width || canvas.height !== height) canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.drawImage(m.frame, 0, 0, width, height);
    return { width, height, bytes: luma(context.getImageData(0, 0, width, height).data) };
  } finally {
    m.frame.close();
  }
}

async function frame(m) {
  if (frameBusy) {
    m.frame?.close();
    throw failure('busy', 'a frame is in flight');
  }
  frameBusy = true;
  try {
    const at = performance.now();
    const { width, height, bytes } = grayOf(m);
    const reply = await ask({ id: m.id, op: 'frame', width, height, series: !!m.series, context: m.context ?? {} }, bytes);
    if (reply.ok) {
      reply.result.ms = performance.now() - at;
      if (m.pixels) reply.result.pixels = m.pixels;
    }
    return reply;
  } finally {
    frameBusy = false;
  }
}

async function answer(m) {
  if (m.op !== 'start' && !started) throw failure('not_started', 'start comes first');
  if (m.op === 'frame') return frame(m);
  const { bytes, ...request } = m;
  const reply = await ask(request, bytes ? new Uint8Array(bytes) : null);
  if (m.op === 'start' && reply.ok) {
    started = true;
    reply.result.bootMs = performance.now() - loadedAt;
  }
  if (m.op === 'memory' && reply.ok) reply.result.wasmBytes = exported.mem.buffer.byteLength;
  return reply;
}

self.addEventListener('message', async ({ data }) => {
  try {
    const reply = await answer(data);
    postMessage(reply, [reply.result?.pixels, reply.result?.bytes].filter(Boolean));
  } catch (e) {
    postMessage({ id: data.id, ok: false, error: { code: e.code?.length ? e.code : 'internal', message: e.message } });
  }
});
