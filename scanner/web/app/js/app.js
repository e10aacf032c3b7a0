// The common part of all screens: the engine, the last known state, the page's own settings, and the frame of a screen.

import { fill, h, hidden, icon } from './dom.js';
import { EngineError } from './engine.js';
import { number, t } from './text.js';

/**
 * The state that screens show. counts, trust and sync are the last ones that the engine told.
 * current is the answer on screen that is not in the history, such as one without a stamp.
 * again is the start of an engine after one that ended of a document; lost says that it ended of a picture of the camera.
 * @type {{engine: any, again: Promise<void>|null, lost: boolean, start: any, counts: any, trust: any, sync: any, settings: any, persisted: boolean|null, update: (() => void)|null,
 *   install: any, current: any, currents: Map<string, any>, enrolment: any, series: boolean, anyway: boolean, trustAt: {clock: number, steady: number}}}
 */
export const app = {
  engine: null, again: null, lost: false, start: null, counts: null, trust: null, sync: null, settings: null,
  persisted: null, update: null, install: null, current: null, currents: new Map(), enrolment: null, series: false, anyway: false, trustAt: { clock: 0, steady: 0 },
};

const SETTINGS = 'tcode-page';

/** Settings of this page: needed before the engine is there, and of no use elsewhere. */
export const page = Object.assign({ language: '', sound: false, vibration: true, position: false, place: '', camera: '', zoom: 1, scanned: false }, stored());

function stored() {
  try {
    return JSON.parse(localStorage.getItem(SETTINGS) ?? '{}');
  } catch {
    return {}; // storage refused
  }
}

/** setPage changes settings of this page. @param {Partial<typeof page>} change */
export function setPage(change) {
  Object.assign(page, change);
  try {
    localStorage.setItem(SETTINGS, JSON.stringify(page));
  } catch {
    // they last until the page is closed
  }
}

/** go opens a screen. @param {string} route without the leading "#/" */
export function go(route, replace = false) {
  if (replace) location.replace('#/' + route);
  else location.hash = '/' + route;
}

/** here returns a function that reports whether the person is still at the same address, one of that screen. Screens that wait ask it before they draw; an action that draws its screen anew has waited too. @param {string} screen */
export function here(screen) {
  const at = location.hash;
  const own = at.slice(2).split('/')[0] === screen;
  return () => own && location.hash === at;
}

const DAY = 86_400_000;

/** setTrust keeps what the engine told about the trust documents, and when. @param {any} trust */
export function setTrust(trust) {
  app.trust = trust;
  app.trustAt = { clock: Date.now(), steady: performance.now() };
}

/** status is the age of the trust documents now: the engine's figure, and the time since. Null: there are none. */
export function status() {
  const t = app.trust;
  if (!t?.enrolled || !t.statusAsOf) return null;
  const since = Math.max(0, Date.now() - app.trustAt.clock, performance.now() - app.trustAt.steady);
  const ageMs = t.statusAgeMs + since;
  return { ageMs, fresh: t.fresh && ageMs <= (app.settings?.freshMs || DAY), usable: t.usable && ageMs <= (app.settings?.hardExpiryMs || 7 * DAY) };
}

let leave = /** @type {(() => void) | null} */ (null);

/**
 * show draws a screen in place of the last one, and puts the focus on its title, so that screen readers begin there.
 * @param {{title: string, bar?: any[], body: any, foot?: any, tab?: string, classes?: string, pad?: boolean, hideTitle?: boolean, back?: string, onleave?: () => void, view?: any}} s
 */
export function show(s) {
  leave?.();
  leave = s.onleave ?? null;
  hush();
  const root = /** @type {HTMLElement} */ (document.getElementById('app'));
  root.className = 'app' + (s.classes ? ' ' + s.classes : '');
  root.removeAttribute('aria-busy');
  const title = h(s.hideTitle ? 'h1.vh' : 'h1', { tabindex: '-1', id: 'title' }, s.title);
  const back = s.back === undefined ? null : h('a.button.button--bare.button--square', { href: '#/' + s.back }, icon('back'), hidden(t('back')));
  const header = s.hideTitle && !s.bar ? null : h(s.classes?.includes('scan') ? 'header.scan__top' : 'header.app__bar', {}, back, title, s.bar ?? []);
  const main = s.view
    ? h('main.view', { id: 'main' }, s.view)
    : h('main.app__body' + (s.pad ? '.app__body--pad' : ''), { id: 'main', tabindex: '0', 'aria-labelledby': 'title' }, header ? null : title, s.body);
  fill(root, header, main, s.foot || s.tab ? h('footer.app__foot', {}, s.foot, s.tab ? tabs(s.tab) : null) : null);
  document.title = `${s.title} – TCode`;
  title.focus({ preventScroll: true });
  return main;
}

/** tabs are the three sections, at the thumb. @param {string} current */
function tabs(current) {
  const waiting = app.counts ? app.counts.waiting + app.counts.dead : 0;
  const tab = (name, icn, more) => h('a', { href: '#/' + name, 'aria-current': name === current ? 'page' : null, id: 'tab-' + name }, icon(icn), t('tab.' + name), more);
  const badge = waiting > 0 ? h('b', {}, number(waiting), hidden(' ' + t('tab.waiting'))) : null;
  return h('nav.tabs', { 'aria-label': t('sections') }, tab('scan', 'scan'), tab('history', 'history', badge), tab('trust', 'shield', app.update ? h('b', {}, '!', hidden(' ' + t('trust.new'))) : null));
}

/** refreshTabs draws the number of waiting scans again. */
export function refreshTabs() {
  const nav = document.querySelector('nav.tabs');
  const current = nav?.querySelector('[aria-current]')?.id.slice(4);
  if (nav && current) nav.replaceWith(tabs(current));
}

let clearing = 0;
/** say speaks to screen readers. @param {string} text */
export function say(text) {
  const live = /** @type {HTMLElement} */ (document.getElementById('live'));
  live.textContent = '';
  clearTimeout(clearing);
  clearing = setTimeout(() => { live.textContent = text; }, 50);
}

/** hush takes back what was said: the words of one answer must not stay beside the next document. */
function hush() {
  clearTimeout(clearing);
  /** @type {HTMLElement} */ (document.getElementById('live')).textContent = '';
}

let unanswered = (/** @type {any} */ _value) => {};

/** ask shows a dialog and resolves with what close was called with; the Escape key and a press outside give null.
 * @param {string} title @param {(close: (value: any) => void) => any} body @returns {Promise<any>} */
export function ask(title, body) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById('dialog'));
  return new Promise((resolve) => {
    unanswered(null); // one question at a time
    const finish = unanswered = (/** @type {any} */ value) => {
      unanswered = () => {};
      dialog.removeEventListener('close', closed);
      if (dialog.open) dialog.close();
      fill(dialog);
      resolve(value);
    };
    // The event comes later than the close. By then another question may be open, which it does not mean.
    const closed = () => { if (!dialog.open) finish(null); };
    fill(dialog, h('h2', { id: 'dialog-title' }, title), body(finish));
    dialog.addEventListener('close', closed);
    dialog.showModal();
  });
}

/** tell shows a text that a person closes. @param {string} title @param {...any} body */
export const tell = (title, ...body) => ask(title, (close) => [
  body, h('div.buttons.buttons--end', {}, h('button.button.button--main', { onclick: () => close(true) }, t('close'))),
]);

/** explain gives the words for a failure. @param {any} err */
export function explain(err) {
  if (!(err instanceof EngineError)) return t('trouble.other', { message: String(err?.message ?? err) });
  if (err.code === 'not_stored' || err.code === 'full') return t(`trouble.${err.code}_more`);
  const known = ['offline', 'gateway', 'no_gateway', 'not_enrolled', 'syncing', 'busy', 'too_large', 'fingerprint', 'other_root', 'refused'];
  if (err.code === 'document') return [err.message, err.advice].filter(Boolean).join('. ');
  const key = known.includes(err.code) ? err.code : 'other';
  return t('trouble.' + key, { message: err.message });
}

/** working disables a button while f runs, and tells a failure. @param {Event} event @param {() => Promise<any>} f */
export async function working(event, f) {
  const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
  button.disabled = true;
  try {
    await f();
  } catch (err) {
    await tell(t('again'), h('p', {}, explain(err)));
  } finally {
    button.disabled = false;
  }
}
