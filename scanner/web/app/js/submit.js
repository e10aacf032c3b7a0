// Ways into the engine other than frames: files, photos, typed text, keyboard scanners, shared documents.

import { app, ask, explain, go, page, say, tell } from './app.js';
import { groups, h, pick, bdi } from './dom.js';
import { feel } from './feedback.js';
import { clock, t, tn } from './text.js';
import { look, words, worst } from './verdict.js';

const DOCUMENTS = 'application/pdf,.pdf,image/jpeg,image/png,image/webp,image/heic,image/heif,image/avif,.heic,.heif,.avif';

let place = /** @type {GeolocationCoordinates | null} */ (null);
let watching = 0;

/** context is what a scan tells about its place, as far as a person allowed it. */
export function context() {
  if (page.position && watching === 0 && navigator.geolocation) {
    watching = navigator.geolocation.watchPosition((p) => { place = p.coords; }, () => { place = null; }, { maximumAge: 60_000 });
  }
  const where = page.position && place ? { latitude: place.latitude, longitude: place.longitude } : {};
  return { ...(page.place ? { location: page.place } : {}), ...where };
}

/** arrive shows an answer: vibration and words first, then its screen. @param {any} answer */
export function arrive(answer) {
  const at = worst(answer.screens);
  const id = answer.findings[at]?.scanId;
  app.current = answer;
  if (id) app.currents.set(id, answer);
  feel(look(answer.screens[at].headline)[1]);
  go('answer/' + (id || 'now'));
}

/** busy shows which file is being read, on whatever screen. @param {string} name @param {() => Promise<any>} f */
async function busy(name, f) {
  say(t('scan.reading', { name }));
  document.getElementById('app')?.setAttribute('aria-busy', 'true');
  try {
    return await f();
  } finally {
    document.getElementById('app')?.removeAttribute('aria-busy');
  }
}

/** judge judges one file. @param {File} file @param {boolean} photo taken now, by the phone's camera app */
async function judge(file, photo) {
  const reply = photo
    ? await app.engine.ask('still', { picture: file, name: file.name, context: context() })
    : await bytesOf(file).then((bytes) => app.engine.ask('file', { name: file.name, bytes, context: context() }, [bytes]));
  return reply.answer;
}

/** @param {File} file */
const bytesOf = (file) => file.arrayBuffer();

/** judgeAll judges files one after another. One answer has its screen; several are in the history. @param {File[]} files */
export async function judgeAll(files, photo = false) {
  let last = null;
  for (const file of files) {
    try {
      last = await busy(file.name, () => judge(file, photo));
    } catch (/** @type {any} */ err) {
      await app.again; // the reader may have ended of it, and starts anew for the next one
      await tell(t(titleOf(err)), h('p', {}, bdi(file.name)), h('p', {}, err?.code === 'internal' ? t('trouble.crashed') : explain(err)));
      last = null;
    }
  }
  if (files.length > 1) go('history');
  else if (last) arrive(last);
}

/** titleOf is the heading for a failed scan. @param {any} err */
export function titleOf(err) {
  return { not_stored: 'trouble.not_stored', full: 'trouble.full', document: 'trouble.document', internal: 'trouble.document' }[err?.code] ?? 'again';
}

/** openFiles lets a person choose documents. */
export const openFiles = async () => judgeAll(await pick(DOCUMENTS));

/** takePhoto opens the phone's own camera app. */
export const takePhoto = async () => judgeAll(await pick('image/*', true), true);

/** typeIn asks for a reference or a text. */
export async function typeIn() {
  const text = await ask(t('scan.type_title'), (close) => {
    const input = h('input.input.mono', { id: 'typed', autocomplete: 'off', autocapitalize: 'characters', spellcheck: 'false', dir: 'ltr', maxlength: 8192, enterkeyhint: 'go', 'aria-describedby': 'typed-hint' });
    return h('form.stack', { method: 'dialog', onsubmit: (/** @type {Event} */ e) => { e.preventDefault(); close(input.value); } },
      h('div.field', {}, h('label', { for: 'typed' }, t('scan.type_label')), input, h('p.hint', { id: 'typed-hint' }, t('scan.type_hint'))),
      h('div.buttons.buttons--end', {}, h('button.button', { type: 'button', onclick: () => close(null) }, t('cancel')), h('button.button.button--main', { type: 'submit' }, t('scan.type_check'))));
  });
  if (text?.trim()) await typed(text.trim(), false);
}

/** typed hands a text to the engine and shows the result. @param {string} text @param {boolean} wedge */
export async function typed(text, wedge) {
  let reply;
  try {
    reply = await app.engine.ask('typed', { text, wedge, context: context() });
  } catch (err) {
    await tell(t('scan.type_title'), h('p', {}, /** @type {any} */ (err).code === 'request' ? t('scan.type_bad') : explain(err)));
    return;
  }
  if (reply.answer) arrive(reply.answer);
  else if (reply.enrolment) enrolment(reply.enrolment);
  else await reference(reply);
}

/** enrolment goes on with a code that was read, whatever the way. @param {any} code */
export function enrolment(code) {
  app.enrolment = code;
  go('enrol/2');
}

/** reference tells that a reference proves nothing, and which scans there are. @param {any} reply */
async function reference(reply) {
  const list = reply.entries ?? [];
  const items = list.map((/** @type {any} */ e) => h('li', {}, h('a', { href: '#/details/' + e.scanId, onclick: () => closeDialog() }, words(e.headline)), ' ', h('span.muted', {}, clock(e.scannedAt))));
  await tell(t('scan.ref_title'), h('p', {}, tn('scan.ref_more', { reference: groups(reply.reference) })),
    h('p', {}, t(items.length > 0 ? 'scan.ref_known' : 'scan.ref_unknown')), items.length > 0 ? h('ul.stack.stack--tight', {}, items) : null);
}

function closeDialog() {
  /** @type {HTMLDialogElement} */ (document.getElementById('dialog')).close();
}

// Keyboard scanners type a whole text within a moment and end it with Enter. A person is slower.
const FAST = 60; // ms between two keys
let keys = '';
let before = 0;

/** listenForWedge takes what a keyboard scanner types, on every screen and outside of fields. */
export function listenForWedge() {
  document.addEventListener('keydown', (e) => {
    const field = /** @type {HTMLElement} */ (e.target).closest?.('input, textarea, select, dialog');
    if (field || e.ctrlKey || e.altKey || e.metaKey || !app.start) return;
    if (e.timeStamp - before > FAST) keys = '';
    before = e.timeStamp;
    if (e.key === 'Enter' && keys.length >= 12) {
      e.preventDefault();
      const text = keys;
      keys = '';
      void typed(text, true);
    } else if (e.key.length === 1) {
      keys += e.key;
    }
  });
}

/** takeShared judges the documents that another app has shared, once the person agrees: a form of any web page can share,
too. The service worker kept them. */
export async function takeShared() {
  const shared = await caches.open('tcode-shared');
  const files = [];
  let text = '';
  for (const request of await shared.keys()) {
    const kept = await shared.match(request);
    await shared.delete(request);
    if (!kept) continue;
    if (kept.headers.get('X-Text')) text = await kept.text();
    else files.push(new File([await kept.blob()], decodeURIComponent(kept.headers.get('X-Name') ?? ''), { type: kept.headers.get('Content-Type') ?? '' }));
  }
  go('scan', true);
  const agreed = (files.length > 0 || text) && await wanted(files.length > 0 ? files.map((f) => f.name) : [text]);
  if (agreed && files.length > 0) await judgeAll(files);
  else if (agreed) await typed(text, false);
  else if (files.length === 0 && !text) await tell(t('scan.open_file'), h('p', {}, t('trouble.shared_lost')));
}

/** wanted asks whether to check what was shared. @param {string[]} names */
const wanted = (names) => ask(t('shared.title'), (close) => [
  h('p', {}, t('shared.more')), h('ul', {}, names.map((name) => h('li', {}, bdi(name)))),
  h('div.buttons.buttons--end', {}, h('button.button', { onclick: () => close(false) }, t('cancel')),
    h('button.button.button--main', { onclick: () => close(true) }, t('scan.type_check'))),
]);
