// Trust and settings: what this phone believes, since when, where its scans lie, and how it scans.

import { app, ask, here, page, setPage, setTrust, show, status as statusNow, tell, working } from './app.js';
import { exportAll } from './history.js';
import { bdi, fill, h, hidden, icon, pick, save } from './dom.js';
import { release } from './release-info.js';
import { importFile } from './trustfile.js';
import { LANGUAGES, age, bytes, clock, current, day, load, number, t, tn, utc } from './text.js';

/** trust is the screen. */
export async function trust() {
  const still = here('trust');
  setTrust(await app.engine.ask('trust'));
  if (!still()) return;
  show({
    title: t('trust'), tab: 'trust', pad: true,
    body: h('div.stack', {}, app.update ? newVersion() : null, status(), root(), storage(), phone(), scanning(), program()),
  });
}

/** @param {string} title @param {...any} body */
const card = (title, ...body) => h('section.card', {}, h('h2', {}, title), body);
/** @param {any} label @param {any} value @param {any} [more] */
const row = (label, value, more) => h('div.row', {}, h('span', {}, label, more), h('b', {}, value));

/** newVersion waits for a tap. @returns {any} */
export const newVersion = () => h('div.notice.notice--info', {}, icon('refresh'), h('div', {}, h('strong', {}, t('trust.new')), t('trust.new_more'),
  h('div.buttons', {}, h('button.button', { onclick: () => app.update?.() }, t('trust.restart')))));

function status() {
  const s = app.trust, last = s.lastRefresh, now = statusNow();
  const buttons = h('div.buttons', {},
    s.gateway ? h('button.button.button--main', { onclick: (/** @type {Event} */ e) => working(e, async () => { await app.engine.ask('refresh'); await trust(); }) }, icon('refresh'), t('trust.refresh')) : null,
    s.enrolled ? null : h('a.button.button--main', { href: '#/enrol' }, icon('scan'), t('trust.enrol')),
    h('button.button', { onclick: (/** @type {Event} */ e) => working(e, openFile) }, t('trust.open')),
    s.enrolled && s.statusAsOf ? h('button.button', { onclick: (/** @type {Event} */ e) => working(e, exportFile) }, t('trust.export')) : null);
  if (!now) {
    return card(t('trust.status'), h('p.figure', {}, t('trust.none')), h('p.muted', {}, t('trust.none_more')), buttons);
  }
  const words = app.settings ?? {};
  return card(t('trust.status'),
    h('p.figure' + (now.fresh ? '' : '.is-look'), {}, t('trust.old', { age: age(now.ageMs) })),
    h('p.muted.small', {}, tn('trust.as_of', { time: utc(s.statusAsOf), version: bdi(String(s.version)), fresh: age(words.freshMs || 86_400_000, 1), usable: age(words.hardExpiryMs || 604_800_000, 1) })),
    now.usable ? null : h('div.notice.notice--look', {}, icon('clock'), h('div', {}, t('trust.unusable'))),
    s.clock?.suspect ? h('div.notice.notice--look', {}, icon('clock'), h('div', {}, h('strong', {}, t('trust.clock')), t('trust.clock_bad'))) : null,
    row(t('trust.issuers'), number(s.issuers)),
    last?.at ? row(t('trust.last'), t(last.error ? 'trust.last_bad' : 'trust.last_ok', { time: clock(last.at) })) : null, buttons);
}

async function openFile() {
  const [file] = await pick('');
  if (file && (await importFile(file))) await trust();
}

async function exportFile() {
  const file = await app.engine.ask('exportTrust');
  save(file.name, file.bytes, file.type);
  await tell(t('trust.export'), h('p', {}, tn('exported', { name: bdi(file.name) })));
}

function root() {
  const s = app.trust;
  if (!s.enrolled) return null;
  return card(t('trust.root'), h('span.hash', { dir: 'ltr' }, (s.fingerprint.match(/.{8}/g) ?? []).join(' ')),
    s.pinnedAt ? h('p.muted.small', {}, tn('trust.pinned', { date: day(s.pinnedAt) })) : null,
    h('div.buttons', {}, h('button.button.button--grave', { onclick: (/** @type {Event} */ e) => working(e, forget) }, t('trust.forget'))));
}

async function forget() {
  const yes = await ask(t('trust.forget_title'), (close) => {
    const input = h('input.input', { id: 'forget', autocomplete: 'off', autocapitalize: 'characters', dir: 'ltr' });
    return h('form.stack', { onsubmit: (/** @type {Event} */ e) => { e.preventDefault(); close(input.value.trim().toUpperCase() === 'FORGET'); } },
      h('p', {}, t('trust.forget_more')), h('div.field', {}, h('label', { for: 'forget' }, t('trust.forget_type')), input),
      h('div.buttons.buttons--end', {}, h('button.button', { type: 'button', onclick: () => close(false) }, t('cancel')), h('button.button.button--grave', { type: 'submit' }, t('trust.forget'))));
  });
  if (!yes) return;
  await app.engine.ask('forget', { confirm: 'forget' });
  await trust();
}

function storage() {
  const c = app.counts ?? { waiting: 0, dead: 0, queued: 0, inflight: 0, done: 0 };
  const s = app.start?.storage;
  const used = h('b', {}, '…'), free = h('b', {}, '…');
  void navigator.storage?.estimate?.().then((e) => { fill(used, bytes(e.usage ?? 0)); fill(free, bytes((e.quota ?? 0) - (e.usage ?? 0))); });
  const promised = app.persisted === true
    ? h('p.muted', {}, t('trust.storage_ok'))
    : h('div.notice.notice--look', {}, icon('store'), h('div', {}, h('strong', {}, t('trust.storage_bad')), t('trust.storage_bad_more', { n: number(c.waiting + c.dead) }),
      navigator.storage?.persist ? h('div.buttons', {}, h('button.button', { onclick: (/** @type {Event} */ e) => working(e, async () => { app.persisted = await navigator.storage.persist(); await trust(); }) }, t('trust.storage_ask'))) : null));
  const kept = s?.copies === 1 ? h('div.notice.notice--look', {}, icon('store'), h('div', {}, t('trust.one_copy'))) : null;
  const lost = s?.lost ? h('div.notice.notice--refuse', {}, icon('store'), h('div', {}, t('trust.damaged'))) : null;
  return card(t('trust.storage'), lost, promised, kept,
    row(t('trust.kept'), number(c.queued + c.inflight + c.done + c.dead)), h('div.row', {}, h('span', {}, t('trust.used')), used), h('div.row', {}, h('span', {}, t('trust.free')), free),
    h('div.buttons', {}, c.waiting > 0 ? h('button.button', { onclick: (/** @type {Event} */ e) => working(e, () => exportAll('queued')) }, icon('download'), t('trust.export_waiting')) : null,
      h('button.button', { onclick: (/** @type {Event} */ e) => working(e, () => exportAll('')) }, t('trust.export_all'))));
}

function phone() {
  const s = app.start;
  return card(t('trust.phone'),
    h('div.row', {}, h('span', {}, t('trust.name'), h('span.hint', {}, t('trust.name_hint'))), h('span', {}, h('b', {}, bdi(app.settings?.deviceName || s.deviceName || '–')), ' ',
      h('button.button.button--bare', { onclick: (/** @type {Event} */ e) => working(e, rename) }, t('trust.name_change'), hidden(' ' + t('trust.name'))))),
    row(t('trust.device'), h('span.mono.small', { dir: 'ltr' }, s.scannerId)), row(t('trust.key'), t('trust.key.' + (s.key === 'webcrypto' ? 'webcrypto' : 'sealed'))),
    row(t('trust.gateway'), app.trust.gateway ? h('bdi.small', { dir: 'ltr' }, app.trust.gateway) : t('trust.no_gateway')));
}

async function rename() {
  const name = await ask(t('enrol.name'), (close) => {
    const input = h('input.input', { id: 'name', maxlength: 64, value: app.settings?.deviceName ?? '', dir: 'auto', 'aria-describedby': 'name-hint' });
    return h('form.stack', { onsubmit: (/** @type {Event} */ e) => { e.preventDefault(); close(input.value.trim()); } },
      h('div.field', {}, h('label', { for: 'name' }, t('enrol.name')), input, h('p.hint', { id: 'name-hint' }, t('enrol.name_hint'))),
      h('div.buttons.buttons--end', {}, h('button.button', { type: 'button', onclick: () => close(null) }, t('cancel')), h('button.button.button--main', { type: 'submit' }, t('details.save'))));
  });
  if (name === null) return;
  app.settings = await app.engine.ask('settings', { set: { deviceName: name } });
  await trust();
}

function scanning() {
  const toggle = (/** @type {'sound'|'vibration'|'position'} */ name) => h('div.row', {}, h('label', { for: 'set-' + name }, t('trust.' + name)),
    h('input.switch', { type: 'checkbox', role: 'switch', id: 'set-' + name, checked: page[name], onchange: (/** @type {any} */ e) => setPage({ [name]: e.target.checked }) }));
  const place = h('input.input', { id: 'place', maxlength: 200, value: page.place, dir: 'auto', 'aria-describedby': 'place-hint', onchange: (/** @type {any} */ e) => setPage({ place: e.target.value.trim() }) });
  const select = h('select.select', { id: 'language', onchange: (/** @type {any} */ e) => void chooseLanguage(e.target.value) },
    Object.entries(LANGUAGES).map(([code, name]) => h('option', { value: code, lang: code, selected: code === current() }, name)));
  select.value = current();
  return card(t('trust.scanning'), toggle('sound'), toggle('vibration'), toggle('position'),
    h('div.field', {}, h('label', { for: 'place' }, t('trust.place')), place, h('p.hint', { id: 'place-hint' }, t('trust.place_hint'))),
    h('div.field', {}, h('label', { for: 'language' }, t('trust.language')), select));
}

/** @param {string} lang */
async function chooseLanguage(lang) {
  setPage({ language: lang });
  await load(lang);
  app.settings = await app.engine.ask('settings', { set: { language: lang } });
  await trust();
}

function program() {
  const hash = h('span.hash', { dir: 'ltr' }, t('trust.compute'));
  // The engine cannot be fetched where the page is left meanwhile, or has no copy and no network.
  void release.engineHash().then((sum) => fill(hash, 'sha256 ', (sum.match(/.{8}/g) ?? []).join(' ')), () => hash.remove());
  return card(t('trust.program'), row(t('trust.version'), h('span.mono', { dir: 'ltr' }, release.version)),
    h('p', {}, t('trust.engine')), hash, h('p.muted.small', {}, t('trust.compare')));
}
