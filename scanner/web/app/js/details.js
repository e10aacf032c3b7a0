// The details of an answer: every check by name, in the fixed order, with the frozen code beside the plain words.

import { app, go, here, show, tell, working } from './app.js';
import { load } from './answer.js';
import { bdi, fill, h, hidden, icon, mark, save } from './dom.js';
import { age, clock, has, number, shortMoment, t, tn, utc } from './text.js';
import { failing, look, ofVerdict, words, worst } from './verdict.js';

const GROUPS = /** @type {[string, string[]][]} */ ([
  ['details.stamp', ['decode', 'header', 'issuer_known', 'issuer_active', 'key_known', 'key_window', 'key_not_compromised', 'signature', 'issued_not_in_future', 'not_test']],
  ['details.status', ['status_shard', 'status_entry', 'status_predates_stamp', 'not_expired', 'freshness']],
  ['details.document', ['binding']],
]);
const GLYPHS = { pass: 'check', fail: 'close', unknown: 'help', skipped: 'minus' };

/** details is the screen. @param {string} id of a scan, or "now" @param {string} index of the stamp in an answer that is not kept */
export async function details(id, index = '') {
  const still = here('details');
  const got = id === 'now' ? app.current && { answer: app.current } : await load(id);
  if (!still()) return;
  if (!got) return go('history', true);
  const list = got.answer?.screens ?? [];
  const own = got.answer?.findings.findIndex((/** @type {any} */ f) => f.scanId === id) ?? -1;
  const at = own >= 0 ? own : index ? Number(index) : list.length > 0 ? worst(list) : -1;
  const s = list[at], f = got.answer?.findings[at], e = got.entry;
  const code = s?.headline ?? e?.headline ?? 'unverified', [m, tone] = look(code);
  const title = words(code, s?.stale);
  const what = s?.issuer ? [bdi(s.document.name || s.document.code), ' · ', bdi(s.issuer.name || s.issuer.code)] : s?.failed?.[0] ? t('answer.failed', { check: failing(s.failed[0].check) }) : e?.reference ? bdi(e.reference) : '';
  show({
    title: t('details'), back: got.answer && id !== 'now' ? 'answer/' + id : id === 'now' ? 'answer/now' : 'history',
    bar: id === 'now' ? [] : [h('button.button.button--bare.button--square', { onclick: (/** @type {Event} */ ev) => working(ev, () => exportOne(got, id)) }, icon('download'), hidden(t('details.export')))],
    body: [
      h('div.mini.mini--' + tone, {}, mark(m), h('span', {}, h('b', {}, title), what)),
      h('div.app__body--pad.stack', {}, reason(s, m), both(got, s, e, title), s ? checks(f) : h('p.muted', {}, t('details.gone')), record(s, f, e), e ? remark(e, id) : null),
    ],
    foot: h('div.actions.actions--one', {}, h('a.button.button--main', { href: '#/scan' }, t('answer.next'))),
  });
}

/** reason opens with the failed check. @param {any} s @param {string} m */
function reason(s, m) {
  const failed = look(s?.headline ?? '')[1] === 'refuse' ? s?.failed?.[0] : null;
  if (!failed) return s?.reason ? h('details.card', {}, h('summary', {}, t('details.reason')), h('p', { lang: 'en', dir: 'ltr' }, s.reason)) : null;
  return h('div.notice.notice--refuse', {}, mark(m), h('div', {}, h('strong', {}, t('answer.failed', { check: failing(failed.check) })), h('span', { lang: 'en', dir: 'ltr' }, failed.detail || s.reason), h('br'), h('code', {}, failed.code)));
}

/** both puts the phone's answer and the gateway's beside each other. @param {any} got @param {any} s @param {any} e @param {string} title */
function both(got, s, e, title) {
  const at = got.answer?.at ?? e?.scannedAt;
  const phone = s?.status?.asOf ? t('details.at', { time: clock(at), age: age(s.status.ageMs, 1) }) : shortMoment(at);
  const gateway = got.gateway;
  return h('div.card', {}, h('h2', {}, t('details.both')), h('dl.facts', {},
    h('dt', {}, t('details.phone')), h('dd', {}, title, ' ', h('span.muted', {}, phone)),
    h('dt', {}, t('details.gateway')), h('dd', {}, gateway?.verdict ? [words(ofVerdict(gateway.verdict)), ' ', h('span.muted', {}, gateway.receivedAt ? t('details.received', { time: shortMoment(gateway.receivedAt) }) : '')] : h('span.muted', {}, t('details.no_gateway')),
      gateway?.findingText ? h('p.muted', { lang: 'en', dir: 'ltr' }, gateway.findingText) : null)));
}

/** @param {any} c */
const line = (c) => h('li.' + c.status, {}, icon(GLYPHS[/** @type {keyof GLYPHS} */ (c.status)] ?? 'help'), h('span', {}, has('check.' + c.name) ? t('check.' + c.name) : c.name), h('span.word', {}, t('checked.' + c.status)),
  h('span.why', {}, c.detail ? [h('bdi', { lang: 'en' }, c.detail), ' '] : null, h('code', {}, c.status === 'pass' || c.status === 'skipped' ? c.name : c.code)));

/** checks are three groups, or the failed and unreached ones first. @param {any} f */
function checks(f) {
  const all = f?.checks ?? [];
  const failed = all.some((/** @type {any} */ c) => c.status === 'fail');
  if (!failed) {
    return GROUPS.map(([title, names]) => {
      const of = all.filter((/** @type {any} */ c) => names.includes(c.name));
      return of.length > 0 ? h('div.card', {}, h('h2', {}, t(title)), h('ul.checks', {}, of.map(line))) : null;
    });
  }
  const passed = all.filter((/** @type {any} */ c) => c.status === 'pass'), rest = all.filter((/** @type {any} */ c) => c.status !== 'pass');
  return [
    h('div.card', {}, h('h2', {}, t('details.failed')), h('ul.checks', {}, rest.map(line))),
    passed.length > 0 ? h('details.card', {}, h('summary', {}, t('details.passed', { n: number(passed.length) })), h('ul.checks', {}, passed.map(line))) : null,
  ];
}

/** record are the numbers of the scan. @param {any} s @param {any} f @param {any} e */
function record(s, f, e) {
  const rows = /** @type {[string, any][]} */ ([]);
  const id = f?.scanId ?? e?.scanId;
  if (id) rows.push(['details.scan', h('span.mono.small', { dir: 'ltr' }, id)]);
  if (e) rows.push(['details.number', number(e.seq)]);
  if (e?.file || f?.file) rows.push(['source.file', bdi(e?.file ?? f.file)]);
  if (f?.page > 0 || f?.hidden) rows.push(['details.page', f.hidden ? t('details.hidden') : number(f.page)]);
  if (f?.trustVersion ?? e?.trustVersion) rows.push(['details.trust', h('span', { dir: 'ltr' }, String(f?.trustVersion ?? e.trustVersion))]);
  if (f?.symbol?.modules?.[0] > 0) rows.push(['details.read', t('details.modules', { rows: f.symbol.modules[0], cols: f.symbol.modules[1] })]);
  if (s?.status?.asOf) rows.push(['details.status', utc(s.status.asOf)]);
  if (e?.location) rows.push(['details.location', bdi(e.location)]);
  if (e?.note) rows.push(['details.note', bdi(e.note)]);
  if (app.start?.engine) rows.push(['details.engine', h('span.mono.small', { dir: 'ltr' }, `${app.start.engine.version ?? ''} ${app.start.engine.go ?? ''}`.trim())]);
  return h('div.card', {}, h('h2', {}, t('details.record')), h('dl.facts', {}, rows.map(([label, value]) => [h('dt', {}, t(label)), h('dd', {}, value)])));
}

/** remark is the person's own words, kept on this phone. @param {any} e @param {string} id */
function remark(e, id) {
  const input = h('textarea.input', { id: 'remark', maxlength: 500, value: e.remark ?? '', 'aria-describedby': 'remark-hint' });
  const said = h('span.muted', { role: 'status' });
  const button = h('button.button', { onclick: (/** @type {Event} */ ev) => working(ev, async () => {
    await app.engine.ask('annotate', { scanId: id, remark: input.value });
    fill(said, t('details.saved'));
  }) }, t('details.save'));
  const again = h('button.button', { onclick: (/** @type {Event} */ ev) => working(ev, async () => {
    const still = here('details');
    const reply = await app.engine.ask('rejudge', { scanId: id });
    app.currents.set(id, reply.answer);
    if (still()) go('answer/' + id);
  }) }, icon('refresh'), t('details.rejudge'));
  return h('div.card.stack', {}, h('div.field', {}, h('label', { for: 'remark' }, t('details.remark')), input, h('p.hint', { id: 'remark-hint' }, t('details.remark_hint'))), h('div.buttons', {}, button, again, said));
}

/** @param {any} got @param {string} id */
async function exportOne(got, id) {
  const name = `scan-${id}.json`;
  save(name, got.answer?.json ?? JSON.stringify(got.entry, null, 1), 'application/json');
  await tell(t('details.export'), h('p', {}, tn('exported', { name: bdi(name) })));
}
