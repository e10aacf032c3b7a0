// The service worker keeps the whole app on the phone, so that it opens without a network.
//
// The server puts a line before this one: RELEASE, with the version and the SHA-256 of each file. Files are
// kept under their hash: two versions share what is equal, and a file whose hash differs is never kept.
// A new version waits until the page says so, because a person may be in the middle of a scan. Scans are in
// IndexedDB, which nothing here touches.

/** @type {{version: string, files: Record<string, string>}} RELEASE */
/* global RELEASE */

const STORE = 'tcode-files';
const SHARED = 'tcode-shared';
const base = new URL('./', self.location.href);

/** @param {string} hash */
const keyOf = (hash) => new URL('kept/' + hash, base).href;

self.addEventListener('install', (event) => event.waitUntil(keepAll()));

async function keepAll() {
  const store = await caches.open(STORE);
  for (const [path, hash] of Object.entries(RELEASE.files)) {
    if (await store.match(keyOf(hash))) continue;
    const answer = await fetch(new URL(path, base), { cache: 'no-cache', credentials: 'omit' });
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    const bytes = await answer.arrayBuffer();
    if ((await sha256(bytes)) !== hash) throw new Error(`${path} is not of version ${RELEASE.version}`);
    await store.put(keyOf(hash), new Response(bytes, { headers: kept(answer.headers) }));
  }
}

// The bytes are unpacked already. All else stays, above all the Content-Security-Policy.
/** @param {Headers} all */
function kept(all) {
  const headers = new Headers(all);
  for (const name of ['Content-Encoding', 'Content-Length', 'Vary', 'Etag', 'Cache-Control']) headers.delete(name);
  return headers;
}

/** @param {ArrayBuffer} bytes */
async function sha256(bytes) {
  const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(sum, (b) => b.toString(16).padStart(2, '0')).join('');
}

self.addEventListener('activate', (event) => event.waitUntil(takeOver()));

async function takeOver() {
  const store = await caches.open(STORE);
  const wanted = new Set(Object.values(RELEASE.files).map(keyOf));
  for (const request of await store.keys()) if (!wanted.has(request.url)) await store.delete(request);
  await self.clients.claim();
}

self.addEventListener('message', (event) => {
  if (event.data === 'take-over') self.skipWaiting();
});

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (url.origin !== base.origin || !url.pathname.startsWith(base.pathname)) return;
  const path = url.pathname.slice(base.pathname.length);
  if (event.request.method === 'POST' && path === 'share') event.respondWith(share(event.request));
  else if (event.request.method === 'GET') {
    const hash = RELEASE.files[event.request.mode === 'navigate' ? 'index.html' : path];
    if (hash) event.respondWith(fromStore(event.request, hash));
  }
});

/** @param {Request} request @param {string} hash */
async function fromStore(request, hash) {
  const found = await (await caches.open(STORE)).match(keyOf(hash));
  return found ?? fetch(request.mode === 'navigate' ? request.url : request);
}

// Shared documents wait in a cache until the page takes them. They leave the phone at no time. What was
// shared before and not taken goes: the form of a web page can share, and must not fill the phone.
const MOST_SHARED = 20;
/** @param {Request} request */
async function share(request) {
  const form = await request.formData();
  await caches.delete(SHARED);
  const shared = await caches.open(SHARED);
  let n = 0;
  for (const file of form.getAll('documents').slice(0, MOST_SHARED)) {
    if (!(file instanceof File)) continue;
    const headers = { 'Content-Type': file.type || 'application/octet-stream', 'X-Name': encodeURIComponent(file.name) };
    await shared.put(new URL(`shared/${Date.now()}-${n++}`, base).href, new Response(file, { headers }));
  }
  const text = [form.get('text'), form.get('url')].find((s) => typeof s === 'string' && s);
  if (n === 0 && typeof text === 'string') await shared.put(new URL(`shared/${Date.now()}-text`, base).href, new Response(text, { headers: { 'X-Text': '1' } }));
  return Response.redirect(new URL('./#/shared', base).href, 303);
}
