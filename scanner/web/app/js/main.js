// The start of the app: words, engine, routes, service worker, and documents from other apps.

import { answer } from './answer.js';
import { app, go, page, refreshTabs, say, setTrust, show } from './app.js';
import { camera } from './camera.js';
import { details } from './details.js';
import { h, icon } from './dom.js';
import { loadEngine } from './engine.js';
import { enrol, first, readText } from './enrol.js';
import { history, refreshHistory } from './history.js';
import { release } from './release-info.js';
import { refreshBadges, scan } from './scan.js';
import { judgeAll, listenForWedge, takeShared } from './submit.js';
import { current, load, t, wanted } from './text.js';
import { newVersion, trust } from './trust.js';

/** Screens by the first part of the route. @type {Record<string, (...parts: string[]) => any>} */
const SCREENS = { scan, answer, details, history, trust, enrol, first, shared: takeShared };

let drawing = 0;

/** route opens the screen of the address. A fragment with an enrolment code goes to step 2. */
async function route() {
  const fragment = location.hash.slice(1);
  if (!app.start) return; // begin comes back here
  if (fragment.startsWith('tcode-enrol=')) {
    window.history.replaceState(null, '', '#/enrol'); // a reload must not ask again
    return readText(new URL('../#' + fragment, location.href).href);
  }
  const [name, ...parts] = fragment.replace(/^\//, '').split('/').map(decodeURIComponent);
  if (!app.trust?.enrolled && !app.anyway && (name === '' || name === 'scan')) {
    camera.stop();
    return go('first', true);
  }
  const open = SCREENS[name] ?? SCREENS.scan;
  const mine = ++drawing;
  try {
    await open(...parts);
  } catch (err) {
    if (mine === drawing) trouble(err);
  }
}

/** trouble is the screen of a failure that stops the app, with a way on. @param {any} err */
function trouble(err) {
  camera.stop();
  const known = { in_use: 'in_use', not_stored: 'storage', damaged: 'damaged', unsupported: 'unsupported' };
  const key = known[/** @type {keyof known} */ (err?.code)] ?? 'engine';
  const more = key === 'damaged' ? err.message : t(`trouble.${key}_more`);
  const button = h('button.button.button--main', { onclick: () => void begin(key === 'in_use') }, t(key === 'in_use' ? 'trouble.use_here' : 'trouble.restart'));
  show({
    title: t('first'),
    body: [
      h('div.hero', { role: 'alert' }, icon(key === 'in_use' ? 'device' : 'store'), h('h2', {}, t('trouble.' + key)), h('p.muted', {}, more), button),
      err?.message && key !== 'in_use' ? h('details.app__body--pad', {}, h('summary', {}, t('details')), h('p.mono.small', { dir: 'ltr', lang: 'en' }, `${err.code ?? ''} ${err.message}`)) : null,
    ],
  });
}

/** begin starts an engine, or says why there is none. @param {boolean} [take] from another window of the app */
async function begin(take = false) {
  if (app.engine) await app.engine.end();
  app.start = null;
  const engine = app.engine = loadEngine();
  engine.addEventListener('end', (/** @type {any} */ e) => {
    if (app.engine !== engine) return;
    app.start = null;
    if (e.detail.code === 'internal' && engine.useful) app.again = begin(true); // one document costs itself; the lock on the stores may be free a moment later
    else trouble(e.detail);
  });
  engine.addEventListener('counts', (/** @type {any} */ e) => { app.counts = e.detail; refreshTabs(); refreshBadges(); });
  engine.addEventListener('trust', (/** @type {any} */ e) => { setTrust(e.detail); refreshBadges(); });
  engine.addEventListener('sync', (/** @type {any} */ e) => {
    app.sync = e.detail;
    refreshBadges();
    refreshHistory(e.detail.state !== 'sending');
  });
  try {
    const state = await engine.ask('start', { language: current(), version: release.version, take });
    Object.assign(app, { start: state, counts: state.counts, settings: state.settings });
    setTrust(state.trust);
  } catch (err) {
    return trouble(err);
  }
  await route();
  app.persisted = await navigator.storage?.persisted?.().catch(() => false) ?? false;
}

/** wake sends what waits when the network or the person is back. */
function wake() {
  if (app.start && !document.hidden) app.engine.ask('sync').catch(() => {}); // the event "sync" tells how it went
}

/** keep registers the service worker. A new version waits for a tap (app.update). */
async function keep() {
  const workers = navigator.serviceWorker;
  if (!workers) return;
  const registration = await workers.register(new URL('../sw.js', import.meta.url), { updateViaCache: 'none' });
  const offer = () => {
    const waiting = registration.waiting;
    // The first version passes through this state too, behind none.
    if (waiting?.state !== 'installed' || !registration.active || registration.active === waiting || !workers.controller) return;
    app.update = () => {
      const next = registration.waiting;
      if (!next) return location.reload(); // another window has started it
      workers.addEventListener('controllerchange', () => location.reload(), { once: true });
      void (app.engine ? app.engine.end() : Promise.resolve()).then(() => next.postMessage('take-over'));
    };
    say(t('trust.new'));
    refreshTabs();
    document.dispatchEvent(new Event('tcode-update'));
  };
  offer();
  registration.addEventListener('updatefound', () => registration.installing?.addEventListener('statechange', offer));
  const look = () => { if (!document.hidden && navigator.onLine) registration.update().catch(() => {}); };
  document.addEventListener('visibilitychange', look);
  setInterval(look, 3_600_000);
}

setInterval(refreshBadges, 60_000); // the status grows older while nothing else happens
addEventListener('hashchange', () => void route());
addEventListener('online', wake);
document.addEventListener('visibilitychange', wake);
document.addEventListener('tcode-update', () => {
  const body = document.querySelector('main .stack');
  if (location.hash === '#/trust' && body && !body.querySelector('.notice--info')) body.prepend(newVersion());
});
addEventListener('beforeinstallprompt', (e) => { e.preventDefault(); app.install = e; });
addEventListener('pagehide', () => { void app.engine?.ask('close').catch(() => {}); });
addEventListener('pageshow', (e) => { if (e.persisted) location.reload(); });
document.getElementById('skip')?.addEventListener('click', (e) => { e.preventDefault(); document.getElementById('main')?.focus(); });

// Documents that were opened with the app.
/** @type {any} */ (window).launchQueue?.setConsumer(async (/** @type {any} */ launch) => {
  if (!launch.files?.length) return;
  await started;
  await judgeAll(await Promise.all(launch.files.map((/** @type {any} */ f) => f.getFile())));
});

/** openEarly opens the camera while the engine loads, if the scan screen comes next, and if it ran before with a permission that lasts. */
function openEarly() {
  if (page.scanned && /^#?(\/(scan)?)?$/.test(location.hash)) camera.early().catch(() => {}); // the screen opens it again and tells why not
}

async function main() {
  openEarly();
  await load(wanted(page.language));
  const skip = document.getElementById('skip');
  if (skip) skip.textContent = t('skip');
  listenForWedge();
  await begin();
  await keep().catch(() => {}); // without it the app works as a page
}

const started = main();
