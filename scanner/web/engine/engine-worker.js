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
  const [text, file] = await new Promise((resolve) => {
    try {
      self.tcodeAsk(JSON.stringify(request), bytes, (reply, out) => resolve([reply, out]));
    } catch (e) { // a trap: the engine cannot go on, and what it held stays locked
      fatal(String(e));
    }
  });
  const reply = JSON.parse(text);
  if (file && reply.ok) reply.result.bytes = file.buffer;
  return reply;
}

// luma turns RGBA pixels into gray ones: the luminance of ITU-R BT.601, in 16 bits and cut to 8, as the scanner on
// the command line computes it.
function luma(rgba) {
  const gray = new Uint8Array(rgba.length / 4);
  for (let i = 0, j = 0; j < gray.length; i += 4, j++) {
    gray[j] = (257 * (299 * rgba[i] + 587 * rgba[i + 1] + 114 * rgba[i + 2]) + 500) / 1000 >> 8;
  }
  return gray;
}

// The engine has a JPEG picture of a PDF decoded: gray pixels of it, w by h, at most its own size. It is drawn in parts, because a canvas
// of a whole page needs four times the memory.
self.tcodeDecode = async (bytes, w, h) => {
  const picture = await createImageBitmap(new Blob([bytes], { type: 'image/jpeg' }), { premultiplyAlpha: 'none' });
  try {
    const gray = new Uint8Array(w * h);
    const rows = Math.max(1, Math.min(h, Math.floor((1 << 20) / w)));
    const part = new OffscreenCanvas(w, rows).getContext('2d', { willReadFrequently: true });
    part.imageSmoothingQuality = 'high';
    for (let y = 0; y < h; y += rows) {
      const high = Math.min(rows, h - y);
      part.drawImage(picture, 0, -y, w, h);
      gray.set(luma(part.getImageData(0, 0, w, high).data), y * w);
    }
    return gray;
  } finally {
    picture.close();
  }
};

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

// The pictures of stills, by the id of their request: a Blob or an ImageBitmap as source, and the bitmap while the engine reads it.
const pictures = new Map();
const maxStill = 50 << 20; // of a file: larger ones are refused unread
const stripePixels = 1 << 20;
let stripe = null;

// The engine has a picture decoded and turned as its file says. Colours stay as they are coded.
self.tcodeOpen = async (id) => {
  const p = pictures.get(id);
  p.bitmap = p.source instanceof Blob ? await createImageBitmap(p.source, { imageOrientation: 'from-image', colorSpaceConversion: 'none' }) : p.source;
  return [p.bitmap.width, p.bitmap.height];
};
self.tcodeClose = (id) => pictures.get(id).bitmap.close();

// The engine takes a part of a picture over white, reduced by a whole number: each gray pixel is the mean of a square. It is drawn in stripes.
self.tcodeGray = (id, left, top, width, height, by) => {
  const { bitmap } = pictures.get(id);
  const across = Math.min(by, width), down = Math.min(by, height);
  const w = Math.max(1, Math.floor(width / by)), h = Math.max(1, Math.floor(height / by));
  const rows = Math.max(1, Math.min(h, Math.floor(stripePixels / (width * down)))); // browsers have no canvas of more than 32,767 px a side
  const out = new Uint8Array(w * h), sums = new Uint32Array(w), each = across * down;
  if (!stripe || stripe.canvas.width !== width || stripe.canvas.height !== rows * down) {
    stripe = new OffscreenCanvas(width, rows * down).getContext('2d', { willReadFrequently: true });
    stripe.imageSmoothingEnabled = false;
    stripe.fillStyle = 'white';
  }
  for (let y = 0; y < h; y += rows) {
    const high = Math.min(rows, h - y) * down;
    stripe.fillRect(0, 0, width, high);
    stripe.drawImage(bitmap, left, top + y * by, width, high, 0, 0, width, high);
    const gray = luma(stripe.getImageData(0, 0, width, high).data);
    if (by === 1) {
      out.set(gray, y * w);
      continue;
    }
    for (let row = 0; row < high / down; row++) {
      sums.fill(0);
      for (let i = row * down; i < (row + 1) * down; i++) {
        for (let x = 0, at = i * width; x < w; x++) {
          for (let n = 0; n < across; n++) sums[x] += gray[at++];
        }
      }
      for (let x = 0; x < w; x++) out[(y + row) * w + x] = (sums[x] + (each >> 1)) / each;
    }
  }
  return out;
};

// still has a picture judged: a Blob, whose bytes the engine gets too, because all of them decide its kind, or an ImageBitmap.
async function still(m, source, picture) {
  const file = picture instanceof Blob;
  if (!file && !(picture instanceof ImageBitmap)) throw failure('request', 'a still has a Blob or an ImageBitmap as picture');
  const bytes = file && picture.size <= maxStill ? new Uint8Array(await picture.arrayBuffer()) : null;
  pictures.set(m.id, { source: picture, bitmap: null });
  try {
    return await ask({ id: m.id, op: 'still', name: m.name ?? '', source, size: file ? picture.size : 0, context: m.context ?? {} }, bytes);
  } finally {
    pictures.delete(m.id);
    if (!file) picture.close();
  }
}

// file has any file judged. Pictures stay in the browser, which decodes them.
async function file(m) {
  if (!(m.bytes instanceof ArrayBuffer)) throw failure('request', 'a file has bytes');
  const kind = await ask({ id: m.id, op: 'kind' }, new Uint8Array(m.bytes.slice(0, 1024)));
  if (kind.result.picture) return still(m, 'file', new Blob([m.bytes]));
  return ask({ id: m.id, op: 'file', name: m.name ?? '', context: m.context ?? {} }, new Uint8Array(m.bytes));
}

async function answer(m) {
  if (m.op !== 'start' && !started) throw failure('not_started', 'start comes first');
  if (m.op === 'frame') return frame(m);
  if (m.op === 'still') return still(m, 'photo', m.picture);
  if (m.op === 'file') return file(m);
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
