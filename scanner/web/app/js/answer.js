// The answer: one shape, one word, one sentence, then the age of the status, then the facts.

import { app, go, here, say, show, tell, working } from './app.js';
import { bdi, fill, groups, h, icon, mark, pick } from './dom.js';
import { age, clock, day, lastDay, number, t, tn, utc } from './text.js';
import { advice, failing, headline, len, look, ofVerdict, words, worst } from './verdict.js';
import { importFile } from './trustfile.js';

const DAY = 86_400_000;

/** answer is the screen of one answer: a scan's id, or "now" for one that is not kept. @param {string} id */
export async function answer(id) {
  const still = here('answer');
  const got = id === 'now' ? app.current && { answer: app.current } : await load(id);
  if (!still()) return;
  if (!got) return go('history', true);
  if (!got.answer) return go('details/' + id, true);
  const list = got.answer.screens;
  const own = got.answer.findings.findIndex((/** @type {any} */ f) => f.scanId === id);
  draw(got, id, own >= 0 && list.length > 1 ? own : worst(list));
}

/** load takes an answer of this session, or the one that the engine has kept. @param {string} id */
export async function load(id) {
  const entry = await app.engine.ask('entry', { scanId: id }).catch(() => null);
  const kept = app.currents.get(id) ?? entry?.answer;
  return kept || entry ? { answer: kept, entry: entry?.entry, gateway: entry?.gateway } : null;
}

/** @param {any} got @param {string} id @param {number} at */
function draw(got, id, at) {
  const a = got.answer, s = a.screens[at], f = a.findings[at];
  if (s.headline === 'no_tcode') return none(a, f);
  const [m, tone] = look(s.headline), { small, large } = headline(s.headline, s.stale);
  const said = h('p.verdict__advice', {}, advice(s));
  const verdict = h('div.verdict.verdict--' + tone, {},
    h('p.verdict__from', {}, h('span', {}, icon(a.source === 'file' ? 'file' : a.source === 'typed' ? 'keyboard' : 'camera'), a.source === 'file' ? bdi(f.file) : t('source.' + a.source)), h('bdi', { dir: 'ltr' }, clock(a.at))),
    mark(m),
    h('h2.verdict__word.' + len(large), {}, small ? h('small', {}, small) : null, small ? ' ' : null, large),
    said);
  const kept = h('div');
  const main = show({
    title: t('answer'), hideTitle: true,
    body: [several(got, at, id), verdict, ageLine(s, got), h('div.result-facts', {}, notices(a, s, f), todo(s), facts(s, f), kept)],
    foot: h('div.actions', {}, h('a.button', { href: '#/details/' + (f.scanId || 'now') + (f.scanId ? '' : '/' + at) }, t('answer.details')),
      h('a.button.button--main', { href: '#/scan' }, t(tone === 'unknown' ? 'answer.scan_again' : 'answer.next'))),
    onleave: () => app.engine.removeEventListener('judged', later),
  });
  state(kept, got, f);
  say(t('answer.spoken', { word: words(s.headline, s.stale), advice: said.textContent }));
  // The gateway's word comes beside the answer, not in its place.
  async function later(/** @type {any} */ e) {
    if (e.detail.scanId !== f.scanId || !main.isConnected) return;
    state(kept, await load(f.scanId), f);
  }
  app.engine.addEventListener('judged', later);
}

/** several are buttons for the stamps of one document. @param {any} got @param {number} at @param {string} id */
function several(got, at, id) {
  const list = got.answer.screens;
  if (list.length < 2) return null;
  return h('div.chips', { role: 'group', 'aria-label': t('answer') }, list.map((/** @type {any} */ s, /** @type {number} */ i) => {
    const [m, tone] = look(s.headline);
    return h('button.chip', { type: 'button', 'aria-pressed': String(i === at), onclick: () => draw(got, id, i) }, mark(m, tone), t('answer.of', { n: number(i + 1), all: number(list.length) }));
  }));
}

/** ageLine says how old the status is; it stays while one scrolls. @param {any} s @param {any} got */
export function ageLine(s, got) {
  const line = (/** @type {boolean} */ old, /** @type {any} */ title, /** @type {any[]} */ ...more) => h('div.age' + (old ? '.age--old' : ''), {}, icon('clock'), h('p', {}, h('b', {}, title), h('span.small', {}, more)));
  if (!s.status?.asOf) return line(true, t('status.none'), t('status.none_more'));
  const { asOf, ageMs, old } = s.status;
  const words = age(ageMs), tooOld = s.advice === 'too_old';
  const title = tooOld ? t('status.too_old', { age: words }) : t(s.headline === 'not_genuine' ? 'status.keys' : 'status.age', { age: words });
  const more = tooOld ? t('status.limit', { age: age(app.settings?.hardExpiryMs || 7 * DAY, 1) }) : t(got.gateway ? 'status.online' : 'status.offline');
  return line(old || tooOld, title, tn('status.as_of', { time: utc(asOf) }), ' · ', more, s.clockSuspect ? ' · ' + t('status.clock') : null);
}

/** notices say why the answer is not plain. @param {any} a @param {any} s @param {any} f */
function notices(a, s, f) {
  const [m] = look(s.headline), out = [];
  const notice = (/** @type {string} */ kind, /** @type {any} */ sign, /** @type {string} */ title, /** @type {any[]} */ ...more) => h('div.notice.notice--' + kind, {}, sign, h('div', {}, h('strong', {}, title), more));
  if (f.test) out.push(notice('look', mark('contents'), t('answer.test')));
  if (s.headline === 'not_genuine') {
    for (const c of s.failed ?? []) out.push(notice('refuse', mark(m), t('answer.failed', { check: failing(c.check) }), bdi(c.detail || s.reason)));
  }
  const added = f.checks?.find((/** @type {any} */ c) => c.name === 'binding' && c.code === 'binding_appended');
  if (added?.detail) out.push(notice('look', mark('added'), t('answer.added'), bdi(added.detail)));
  if (s.cautions?.length > 0) out.push(notice('look', mark('contents'), t('answer.why'), h('ul', {}, s.cautions.map((/** @type {any} */ c) => h('li', {}, bdi(c.text))))));
  if (s.file) out.push(notice('look', icon('file'), t('answer.why'), bdi(s.file)));
  if (a.undrawn?.includes('pages')) out.push(notice('info', icon('file'), t('answer.undrawn'), t('answer.undrawn_more')));
  if (s.headline === 'not_genuine') out.push(h('p', {}, t('answer.report')));
  if (s.advice === 'unverified') out.push(notice('info', icon('help'), t('answer.why'), bdi(s.reason)));
  return out;
}

/** todo are the steps out of an answer that is none yet. @param {any} s */
function todo(s) {
  const refresh = h('button.button.button--main', { onclick: refreshed }, icon('refresh'), t('answer.refresh'));
  const open = h('button.button', { onclick: openTrust }, icon('file'), t('answer.open_trust'));
  if (s.headline === 'stale' || s.stale && s.headline !== 'unverified') return refresh;
  if (s.headline !== 'unverified') return null;
  const steps = s.advice === 'unknown_issuer' && s.status?.asOf
    ? [h('li', {}, h('span', {}, t('answer.may_be_new')), refresh), h('li', {}, h('span', {}, tn('answer.ask_whom', { code: bdi(s.adviceValues?.code ?? '') })))]
    : [h('li', {}, h('span', {}, t('answer.connect')), refresh), h('li', {}, h('span', {}, t('answer.bring')), open), h('li', {}, h('span', {}, t('answer.then_scan')))];
  const genuine = s.issuer && s.status?.asOf ? h('p', {}, h('b', {}, t('answer.known')), ' ', tn('answer.known_genuine', { time: day(s.status.asOf) })) : null;
  return [h('div.card', {}, h('h3', {}, t('answer.todo')), h('ol.steps', {}, steps)), genuine];
}

/** refreshed fetches trust documents and judges the scan again. @param {Event} event */
const refreshed = (event) => working(event, async () => {
  const still = here('answer'), id = location.hash.split('/')[2];
  await app.engine.ask('refresh');
  if (!id || id === 'now') return tell(t('trust.refreshed'), h('p', {}, t('answer.then_scan')));
  const again = await app.engine.ask('rejudge', { scanId: id });
  app.currents.set(id, again.answer);
  if (still()) await answer(id);
});

/** @param {Event} event */
const openTrust = (event) => working(event, async () => {
  const [file] = await pick('.export,application/octet-stream,*/*');
  if (file && (await importFile(file))) await tell(t('first.import_ok'), h('p', {}, t('answer.then_scan')));
});

/** facts are what the issuer signed: lines to compare, or a list. Without a good signature there are none. @param {any} s @param {any} f */
function facts(s, f) {
  if (!s.issuer) return null;
  const lines = /** @type {[string, any, any?][]} */ ([]);
  const named = (/** @type {any} */ n) => [bdi(n.name || n.code), n.name && !s.compare ? [' ', h('span.muted', {}, bdi(n.code))] : null];
  if (s.compare) lines.push([t('answer.issuer'), named(s.issuer)], [t('answer.document'), named(s.document)]);
  else lines.push([t('answer.document'), named(s.document)], [t('answer.issuer'), named(s.issuer)]);
  for (const field of s.fields ?? []) lines.push([field.label || field.key, bdi(field.value)]);
  if (s.issuedAt) lines.push([t('answer.issued'), day(s.issuedAt)]);
  if (s.expiresAt) lines.push([t('answer.expires'), lastDay(s.expiresAt)]);
  lines.push([t('answer.reference'), groups(s.reference)]);
  if (!s.compare) return h('dl.facts', {}, lines.map(([label, value]) => [h('dt', {}, bdi(label)), h('dd', {}, value)]));
  return [h('h3', {}, t('answer.must')), h('ol.compare', {}, lines.map(([label, value]) => h('li', {}, h('span', {}, bdi(label)), h('b', {}, value))))];
}

/** state says whether the scan is sent, and shows the gateway's later word beside it. @param {Element} place @param {any} got @param {any} f */
function state(place, got, f) {
  const kept = !f.scanId ? 'not_kept' : got?.entry?.state === 'done' ? 'sent' : got?.entry?.state === 'dead' ? 'dead' : 'kept';
  fill(place, got ? gatewayNotice(got.gateway, f.verdict) : null, got?.answer?.again ? h('p.saved', {}, icon('refresh'), t('answer.again')) : null,
    h('p.saved', {}, icon(kept === 'sent' ? 'check' : kept === 'kept' ? 'send' : 'close'), t('answer.' + kept)));
}

/** gatewayNotice is the gateway's word where it differs. @param {any} gateway @param {string} verdict */
export function gatewayNotice(gateway, verdict) {
  if (!gateway?.verdict || gateway.verdict === verdict && !gateway.finding) return null;
  // The gateway sees no document: its best word is that of a symbol alone.
  const code = gateway.verdict === 'valid' ? 'compare' : ofVerdict(gateway.verdict), [m, tone] = look(code);
  return h('div.notice.notice--' + (tone === 'unknown' ? 'info' : tone), {}, mark(m), h('div', {}, h('strong', {}, t('answer.later', { word: words(code) })),
    gateway.verdict === 'valid' ? [t('answer.later_symbol'), ' '] : null, gateway.receivedAt ? tn('answer.later_more', { time: utc(gateway.receivedAt) }) : null, gateway.findingText ? [' ', bdi(gateway.findingText)] : null));
}

/** none is the screen of a document without a stamp. @param {any} a @param {any} f */
function none(a, f) {
  const name = a.source === 'file' || a.source === 'photo' && f.file ? f.file : '';
  const why = [f.reason, f.advice].filter(Boolean).join('. ');
  show({
    title: name || t('source.' + a.source), back: 'scan',
    body: [
      h('div.hero', {}, mark('none', 'unknown'), h('h2', {}, t('word.no_tcode')), h('p', {}, t('advice.no_tcode'))),
      h('div.app__body--pad.stack', {},
        a.undrawn?.includes('pages') ? h('div.notice.notice--info', {}, icon('file'), h('div', {}, h('strong', {}, t('answer.undrawn')), t('answer.undrawn_more'))) : null,
        h('div.card', {}, h('h3', {}, t('answer.todo')), h('ol.steps', {}, h('li', {}, h('span', {}, t('answer.closer'))), h('li', {}, h('span', {}, t('answer.ask_file'))))),
        why ? h('details.card', {}, h('summary', {}, t('answer.why')), h('p', { lang: 'en', dir: 'ltr' }, why)) : null),
    ],
    foot: h('div.actions.actions--one', {}, h('a.button.button--main', { href: '#/scan' }, t('answer.scan_again'))),
  });
  say(t('answer.spoken', { word: t('word.no_tcode'), advice: t('advice.no_tcode') }));
}
