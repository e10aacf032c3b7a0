// The history: every scan with its verdict, what waits and what the gateway did not take, and a way out.

import { app, go, here, show, tell, working } from './app.js';
import { gatewayNotice } from './answer.js';
import { bdi, fill, h, hidden, icon, mark, save } from './dom.js';
import { ago, clock, has, localDay, number, shortMoment, t, tn } from './text.js';
import { look, words } from './verdict.js';

const PAGE = 50; // entries at a time

/** Filters by name: what the engine is asked, and how many there are. @type {Record<string, {ask: any, icon?: string, mark?: [string, string], count: (c: any) => number}>} */
const FILTERS = {
  all: { ask: {}, count: (c) => c.queued + c.inflight + c.done + c.dead },
  waiting: { ask: { state: 'queued' }, icon: 'send', count: (c) => c.waiting },
  dead: { ask: { state: 'dead' }, icon: 'close', count: (c) => c.dead },
  not_found: { ask: { verdict: 'not_found' }, mark: ['forged', 'refuse'], count: (c) => c.verdicts?.not_found ?? 0 },
  revoked: { ask: { verdict: 'revoked' }, mark: ['revoked', 'refuse'], count: (c) => c.verdicts?.revoked ?? 0 },
  suspended: { ask: { verdict: 'suspended' }, mark: ['suspended', 'refuse'], count: (c) => c.verdicts?.suspended ?? 0 },
  expired: { ask: { verdict: 'expired' }, mark: ['expired', 'refuse'], count: (c) => c.verdicts?.expired ?? 0 },
  valid: { ask: { verdict: 'valid' }, mark: ['valid', 'accept'], count: (c) => c.verdicts?.valid ?? 0 },
  unverified: { ask: { verdict: 'unverified' }, mark: ['unverified', 'unknown'], count: (c) => c.verdicts?.unverified ?? 0 },
};

/** @param {string} f */
const filterName = (f) => (has('history.' + f) ? t('history.' + f) : t('word.' + (f === 'not_found' ? 'not_genuine' : f)));

/** history is the screen. @param {string} filter @param {string} search */
export async function history(filter = 'all', search = '') {
  if (!(filter in FILTERS)) filter = 'all';
  const still = here('history');
  const counts = app.counts ?? await app.engine.ask('counts');
  const reply = await app.engine.ask('history', { ...FILTERS[filter].ask, search, limit: PAGE });
  if (!still()) return;
  const total = FILTERS.all.count(counts);
  if (total === 0) return empty();
  const list = h('div.history', { 'aria-label': t('history.list'), role: 'group' });
  const more = h('div.app__body--pad.stack');
  const found = filter === 'all' && !search ? null : h('div.list-found', {}, h('p', { role: 'status' }, foundWords(filter, search, reply)),
    h('a.button', { href: '#/history' }, t('history.show_all', { n: number(total) })));
  const field = h('input.input', { id: 'q', type: 'search', value: search, 'aria-label': t('history.search_label'), enterkeyhint: 'search', dir: 'auto' });
  const searching = search !== '' || wantsSearch;
  wantsSearch = false;
  const bar = searching
    ? [h('form.search', { role: 'search', onsubmit: (/** @type {Event} */ e) => { e.preventDefault(); open(filter, field.value); } }, field, h('button.button.button--bare', { type: 'button', onclick: () => open(filter, '') }, t('done')))]
    : [h('button.button.button--bare.button--square', { onclick: () => { wantsSearch = true; void history(filter, ''); } }, icon('search'), hidden(t('history.search'))),
      h('button.button.button--bare.button--square', { onclick: (/** @type {Event} */ e) => working(e, () => exportAll('')) }, icon('download'), hidden(t('history.export')))];
  show({
    title: t('history'), tab: 'history', hideTitle: searching, bar,
    body: [syncLine(counts), counts.lost > 0 ? h('div.app__body--pad', {}, h('div.notice.notice--refuse', {}, icon('store'), h('div', {}, t('history.lost', { n: number(counts.lost) })))) : null, chips(filter, search, counts), found, list, more],
  });
  if (searching && !search) field.focus();
  draw(list, more, reply, filter, search, { day: '' });
}

let wantsSearch = false;

/** @param {string} filter @param {string} search */
const open = (filter, search) => {
  const route = `history/${filter}${search ? '/' + encodeURIComponent(search.trim()) : ''}`;
  if (location.hash === '#/' + route) void history(filter, search);
  else go(route);
};

/** @param {string} filter @param {string} search @param {any} reply */
function foundWords(filter, search, reply) {
  const n = number(reply.entries.length) + (reply.more ? '+' : '');
  const key = search && filter !== 'all' ? 'history.found_both' : search ? 'history.found' : 'history.found_filter';
  return tn(key, { n, search: bdi(search), filter: filterName(filter) });
}

/** syncLine says what waits and when the gateway last answered, by its answers alone. @param {any} counts */
export function syncLine(counts) {
  const { waiting, dead } = counts, s = app.sync;
  const title = dead > 0 ? t('history.counts', { waiting: number(waiting), dead: number(dead) }) : waiting > 0 ? t('history.counts_waiting', { waiting: number(waiting) }) : t('history.counts_none');
  const at = counts.sentAt;
  const last = at ? t('history.last', { time: shortMoment(at), ago: ago(Date.now() - Date.parse(at)) }) : t('history.never');
  const now = !app.trust?.gateway ? t('history.no_gateway') : s?.state === 'sending' ? t('history.sending') : s?.error?.code === 'offline' ? t('history.silent') : s?.error ? t('history.refused', { message: s.error.message }) : '';
  const send = app.trust?.gateway ? h('button.button.button--main', { onclick: (/** @type {Event} */ e) => working(e, async () => {
    await app.engine.ask('sendNow');
    await again();
  }) }, t('history.send')) : null;
  return h('div.sync', {}, h('p', {}, h('b', {}, title), h('br'), last, now ? [h('br'), now] : null), send);
}

/** refreshHistory draws the line about sending anew, and the list too when sending has ended, unless a person reads below or types. @param {boolean} ended */
export function refreshHistory(ended) {
  const line = document.querySelector('main .sync');
  if (!line || !app.counts) return;
  const away = document.getElementById('main')?.scrollTop || document.querySelector('.search input');
  if (ended && !away) void again();
  else line.replaceWith(syncLine(app.counts));
}

/** again draws the screen anew after a change. */
async function again() {
  app.counts = await app.engine.ask('counts');
  const [, filter, search] = location.hash.slice(2).split('/');
  await history(filter, decodeURIComponent(search ?? ''));
}

/** @param {string} filter @param {string} search @param {any} counts */
const chips = (filter, search, counts) => h('div.chips', { role: 'group', 'aria-label': t('history.filter'), tabindex: '0' },
  Object.entries(FILTERS).filter(([name, f]) => name === 'all' || name === filter || f.count(counts) > 0).map(([name, f]) => h('button.chip', { type: 'button', 'aria-pressed': String(name === filter), onclick: () => open(name, search) },
    f.icon ? icon(f.icon) : f.mark ? mark(f.mark[0], f.mark[1]) : null, filterName(name), ' ', number(f.count(counts)))));

/** draw adds entries below the day that they are of. @param {Element} list @param {Element} more @param {any} reply @param {string} filter @param {string} search @param {{day: string}} last */
function draw(list, more, reply, filter, search, last) {
  let ul = /** @type {any} */ (list.lastElementChild);
  for (const e of reply.entries.filter((/** @type {any} */ x) => x.scanId)) {
    const d = dayOf(new Date(e.scannedAt));
    if (d !== last.day) {
      last.day = d;
      ul = h('ul.list');
      list.append(h('h2.list-day', {}, d), ul);
    }
    ul.append(item(e));
  }
  const before = reply.entries.at(-1)?.seq;
  fill(more, reply.entries.length === 0 ? h('p.muted', {}, t('history.none')) : null,
    reply.more ? h('button.button', { onclick: (/** @type {Event} */ ev) => working(ev, async () => draw(list, more, await app.engine.ask('history', { ...FILTERS[filter].ask, search, limit: PAGE, before }), filter, search, last)) }, t('history.more')) : null);
}

/** @param {Date} d */
function dayOf(d) {
  const start = (/** @type {Date} */ x) => new Date(x.getFullYear(), x.getMonth(), x.getDate()).getTime();
  const days = Math.round((start(new Date()) - start(d)) / 86_400_000);
  return days === 0 ? t('history.today', { date: localDay(d) }) : days === 1 ? t('history.yesterday', { date: localDay(d) }) : localDay(d);
}

const STATES = { queued: 'send', inflight: 'send', done: 'check', dead: 'close' };

/** item is one scan, with its reason and a way out where there is one. @param {any} e */
function item(e) {
  const code = e.headline ?? 'unverified', [m, tone] = look(code);
  const sub = [e.documentName, e.file || e.reference || t('history.untitled')].filter(Boolean);
  const link = h('a.item', { href: '#/answer/' + e.scanId }, mark(m, tone),
    h('span', {}, h('b', {}, words(code, e.stale)), h('span.item__sub', {}, bdi(sub.join(' · ')))),
    h('span.item__end', {}, h('bdi', { dir: 'ltr' }, clock(e.scannedAt)), h('span' + (e.state === 'dead' ? '.is-refuse' : ''), {}, icon(STATES[/** @type {keyof STATES} */ (e.state)] ?? 'help'), t('history.state.' + e.state))));
  const later = e.gatewayVerdict ? gatewayNotice({ verdict: e.gatewayVerdict, finding: e.finding }, e.offlineVerdict) : null;
  const notes = [e.damaged ? t('history.damaged') : '', e.clockWasAhead ? t('history.ahead') : ''].filter(Boolean).map((x) => h('p', {}, x));
  const dead = e.state === 'dead' ? [
    h('p', {}, h('b', {}, t('history.not_taken')), ' ', h('bdi', { lang: 'en' }, sentence(e.message || e.code || '')), ' ', t('history.stays')),
    h('div.buttons', {},
      h('button.button', { onclick: (/** @type {Event} */ ev) => working(ev, async () => { await app.engine.ask('sendNow', { scanId: e.scanId }); await again(); }) }, t('history.resend')),
      h('button.button', { onclick: (/** @type {Event} */ ev) => working(ev, () => exportAll('dead')) }, t('history.export_one'))),
  ] : null;
  const box = later || dead || notes.length > 0 ? h('div.item-more', {}, later, notes, dead) : null;
  return h('li', {}, link, box);
}

/** sentence ends a message with a full stop. @param {string} s */
const sentence = (s) => (/[.!?]$/.test(s) ? s : s + '.');

/** exportAll saves scans as a file, also those that wait. @param {string} state empty: all */
export async function exportAll(state) {
  const file = await app.engine.ask('exportHistory', { format: 'jsonl', state });
  save(file.name, file.bytes, file.type);
  await tell(t('history.export'), h('p', {}, tn('exported', { name: bdi(file.name) })));
}

function empty() {
  show({
    title: t('history'), tab: 'history',
    body: h('div.hero', {}, icon('history'), h('h2', {}, t('history.empty')), h('p.muted', {}, t('history.empty_more')), h('a.button.button--main', { href: '#/scan' }, t('history.first'))),
  });
}
