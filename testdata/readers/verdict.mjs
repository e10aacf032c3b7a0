// A second implementation of the verdict, written from offline/FORMAT.md alone.

import { Refused, hex, same, sha256, unhex, utf8 } from './common.mjs';
import { escape } from './notes.mjs';
import { decodeText, parse, showReference, verifiesWith } from './payload.mjs';
import { shardHash } from './shards.mjs';
import { load } from './trust.mjs';

const MINUTE = 60_000, HOUR = 60 * MINUTE, DAY = 24 * HOUR, TOLERANCE = 10 * MINUTE;
const iso = (ms) => new Date(ms).toISOString().replace('.000Z', 'Z');
const at = (ms) => iso(ms).replace('T', ' ').slice(0, 16) + ' UTC';
const lastDay = (ms) => (ms % 86400000 ? at(ms) : iso(ms - 1).slice(0, 10));

// tell is section 2. set has the dates of a complete set, or is null.
export function tell(c, set, policy) {
  const fresh = policy.fresh > 0 && policy.fresh < DAY ? policy.fresh : DAY;
  const hard = policy.hard > 0 && policy.hard < 7 * DAY ? policy.hard : 7 * DAY;
  const { proof, boot } = c;
  const live = proof && boot.id !== '' && proof.boot.id === boot.id && boot.seconds >= proof.boot.seconds;
  const proven = live ? proof.time + (boot.seconds - proof.boot.seconds) * 1000 : null;
  let reading = 'fits';
  if (live) {
    if (c.now < proven - TOLERANCE) reading = 'behind_proof';
    if (c.now > proven + TOLERANCE) reading = 'ahead_of_proof';
  } else if (proof && c.now < proof.time) reading = 'below_proof';
  else if (set && set.floor !== null && c.now < set.floor) reading = 'below_document';
  else if (c.newestScan && c.now < c.newestScan - TOLERANCE) reading = 'below_scan';
  const t = { basis: live ? 'proven' : 'device_clock', reading, suspect: reading !== 'fits', stale: true, expired: false, age: null, dated: false, set: set !== null };
  t.now = live ? proven : c.now;
  if (!live && reading !== 'fits') t.now = Math.max(c.now, proof?.time ?? c.now, set?.floor ?? c.now);
  if (!set) return t;
  t.dated = !set.ahead && !(live && set.issued > t.now + TOLERANCE);
  t.since = Math.min(set.issued + hard, set.setExpires);
  if (!t.dated || (!live && reading !== 'fits')) return t;
  t.age = Math.max(t.now - set.issued, 0);
  t.expired = t.age >= hard || t.now >= set.setExpires;
  t.stale = t.expired || t.age > fresh || t.now >= set.expires;
  return t;
}

const NAMES = ['decode', 'header', 'issuer_known', 'issuer_active', 'key_known', 'key_window', 'key_not_compromised', 'signature', 'issued_not_in_future',
  'not_test', 'status_shard', 'status_entry', 'status_predates_stamp', 'not_expired', 'freshness', 'binding'];
const HEADER = { magic: 'not_tcode', version: 'version_unknown', algorithm: 'algorithm_unknown', flags: 'header_malformed', issuer: 'header_malformed' };

function span(ms) {
  const unit = (n, name) => `${n} ${name}${n === 1 ? '' : 's'}`;
  if (ms < MINUTE) return 'less than a minute';
  if (ms < HOUR) return unit(Math.floor(ms / MINUTE), 'minute');
  if (ms < 48 * HOUR) return unit(Math.floor(ms / HOUR), 'hour');
  return `${unit(Math.floor(ms / DAY), 'day')} and ${unit(Math.floor((ms % DAY) / HOUR), 'hour')}`;
}

// judge is sections 3 to 7.
export function judge(input) {
  const { state: s, policy } = input;
  const set = s?.timestamp ? { issued: s.timestamp.issued, expires: s.timestamp.expires, floor: s.floor, ahead: s.timestamp.version <= s.ahead,
    setExpires: Math.min(s.roots[s.roots.length - 1].expires, s.bundle.expires, s.status.expires) } : null;
  const t = tell(input.clock, set, policy);
  const checks = Object.fromEntries(NAMES.map((name) => [name, { name, status: 'skipped', code: 'not_reached' }]));
  const say = (name, status, code = 'ok', detail = '') => { checks[name] = { name, status, code, ...(detail && { detail: escape(detail) }) }; };
  const binding = ['match', 'appended', 'mismatch'].includes(input.binding) ? input.binding : 'not_checked';
  say('binding', { match: 'pass', appended: 'pass', mismatch: 'fail', not_checked: 'unknown' }[binding], `binding_${binding}`, input.bindingDetail);
  if (!set) say('freshness', 'unknown', 'no_trust_state');
  else if (!t.dated && (t.basis === 'proven' || !t.suspect)) say('freshness', 'unknown', 'status_ahead', `dated ${at(set.issued)}`);
  else if (t.age === null) say('freshness', 'unknown', 'clock_suspect', `status of ${at(set.issued)}`);
  else if (t.expired) say('freshness', 'fail', 'trust_expired', `since ${at(t.since)}`);
  else say('freshness', 'pass', t.stale ? 'stale' : 'ok', `${span(t.age)} old`);

  const w = { s, set, t, policy, say, checks, input };
  const stopped = follow(w);
  const passed = (name) => checks[name].status === 'pass';
  const code = (name) => checks[name].code;
  let verdict = 'valid', assurance = 'signature_and_status';
  if (stopped === 'not_found' || binding === 'mismatch') [verdict, assurance] = ['not_found', 'none'];
  else if (stopped) [verdict, assurance] = ['unverified', 'none'];
  else if (['revoked', 'replaced', 'revoked_remembered'].includes(code('status_entry'))) verdict = 'revoked';
  else if (!passed('not_expired')) verdict = 'expired';
  else if (code('status_entry') === 'suspended' || !passed('issuer_active')) verdict = 'suspended';
  else if (!['key_not_compromised', 'issued_not_in_future', 'not_test', 'freshness', 'status_shard', 'status_entry'].every(passed)) [verdict, assurance] = ['unverified', 'signature_only'];
  const r = result(w, verdict, assurance, binding);
  r.reason = reason(w, r);
  return r;
}

// follow answers the checks until one stops: "not_found", "unverified", or nothing.
function follow(w) {
  const { s, set, t, say, input } = w;
  let raw;
  try {
    raw = input.payload ?? decodeText(input.text);
  } catch (e) {
    say('decode', 'fail', 'text_malformed', e.kind);
    return 'not_found';
  }
  try {
    w.p = parse(raw);
  } catch (e) {
    if (!(e instanceof Refused)) throw e;
    if (HEADER[e.kind]) { say('decode', 'pass'); say('header', 'fail', HEADER[e.kind], e.kind); } else say('decode', 'fail', 'payload_malformed', e.kind);
    return 'not_found';
  }
  const p = w.p;
  const core = sha256(p.core);
  const issued = Date.parse(p.issuedAt);
  say('decode', 'pass');
  say('header', 'pass');
  if (!set) { say('issuer_known', 'unknown', 'no_trust_state', p.issuer); return 'unverified'; }
  const tenant = s.bundle.tenants.find((x) => x.reference === p.issuer);
  if (!tenant) { say('issuer_known', 'fail', 'issuer_unknown', p.issuer); return 'unverified'; }
  say('issuer_known', 'pass', 'ok', p.issuer);
  if (tenant.state === 'active') say('issuer_active', 'pass'); else say('issuer_active', 'fail', 'issuer_suspended');
  const key = tenant.keys.find((k) => k.seq === p.keySequence);
  if (!key) { say('key_known', 'fail', 'key_unknown', `key ${p.keySequence}`); return 'unverified'; }
  Object.assign(w, { tenant, key });
  say('key_known', 'pass', 'ok', `key ${p.keySequence}`);
  if (key.from !== null && issued < key.from) say('key_window', 'fail', 'issued_before_key', `key used from ${at(key.from)}`);
  else if (key.until !== null && issued >= key.until) say('key_window', 'fail', 'issued_after_key', `key used until ${at(key.until)}`);
  else say('key_window', 'pass');
  const since = key.since === null ? '' : `known to others since ${at(key.since)}`;
  if (key.state === 'compromised') say('key_not_compromised', 'fail', 'key_compromised', since); else say('key_not_compromised', 'pass');
  if (key.public.algorithm !== p.algorithm) { say('signature', 'fail', 'algorithm_mismatch', `${p.algorithm}, the key is ${key.public.algorithm}`); return 'not_found'; }
  if (!verifiesWith(p, key.public)) { say('signature', 'fail', 'signature_invalid'); return 'not_found'; }
  say('signature', 'pass');
  if (issued > t.now + TOLERANCE) say('issued_not_in_future', 'fail', 'issued_in_future', `issued ${at(issued)}, now ${at(t.now)}`);
  else say('issued_not_in_future', 'pass');
  if (w.checks.key_window.status !== 'pass') return 'not_found';

  if (key.state === 'compromised') {
    const list = key.survivors && input.survivors.find((l) => hex(sha256(unhex(l.join('')))) === key.survivors);
    if (!list) say('key_not_compromised', 'unknown', 'survivors_missing', since);
    else if (list.includes(hex(core.subarray(0, 16)))) say('key_not_compromised', 'pass', 'survivor', `${since}; the issuer vouches for this stamp`);
  }
  const mark = (line) => hex(sha256(`tcode-final/1 ${line}\n`));
  if (key.state !== 'compromised' && input.remembered.includes(mark(`key ${p.issuer} ${key.seq} ${key.words}`))) say('key_not_compromised', 'fail', 'compromised_remembered');
  if (!p.test) say('not_test', 'pass');
  else if (w.policy.acceptTest) say('not_test', 'pass', 'test_accepted');
  else say('not_test', 'fail', 'test_document');
  const entry = status(w, p);
  const where = `shard ${p.shard}, entry ${p.entry}`;
  if (entry === 1 || entry === 3) say('status_entry', 'fail', entry === 1 ? 'revoked' : 'replaced', where);
  else if ([hex(core), mark(`entry ${p.shard} ${p.entry}`)].some((m) => input.remembered.includes(m))) say('status_entry', 'fail', 'revoked_remembered', where);
  else if (entry === 2) say('status_entry', 'fail', 'suspended', where);
  else if (entry === null) say('status_entry', 'unknown', 'status_unknown', where);
  else say('status_entry', 'pass', 'ok', where);
  if (entry !== null) {
    if (issued > set.issued) say('status_predates_stamp', 'pass', 'status_predates_stamp', `issued ${at(issued)}, status of ${at(set.issued)}`);
    else say('status_predates_stamp', 'pass');
  }
  const expires = p.expiresAt && Date.parse(p.expiresAt);
  if (!expires) say('not_expired', 'pass', 'no_expiry');
  else if (expires > t.now) say('not_expired', 'pass', 'ok', `until ${lastDay(expires)}`);
  else say('not_expired', 'fail', 'document_expired', `since ${at(expires)}`);
  return '';
}

// status is the stamp's entry, or null where the signed shard does not say.
function status({ s, say, input }, p) {
  const wanted = s.shards[p.shard];
  const held = input.shards.get(p.shard);
  const detail = `shard ${p.shard}`;
  if (wanted === undefined) say('status_shard', 'unknown', 'shard_missing', `${detail} is not in status ${s.status.version}`);
  else if (!held) say('status_shard', 'unknown', 'shard_missing', `${detail} is not on this device`);
  else if (shardHash(held) !== wanted) say('status_shard', 'fail', 'shard_damaged', detail);
  else { say('status_shard', 'pass', 'ok', detail); return held[p.entry]; }
  return null;
}

// translate picks a text in the policy's language.
function translate(texts, tag) {
  for (; tag; tag = tag.includes('-') ? tag.slice(0, tag.lastIndexOf('-')) : '') if (Object.hasOwn(texts, tag)) return texts[tag];
  return texts.en ?? texts[Object.keys(texts).sort()[0]] ?? '';
}

function result(w, verdict, assurance, binding) {
  const { s, set, t, p, checks, tenant } = w;
  const authentic = checks.signature.status === 'pass';
  const kind = authentic && s.bundle.types.find((x) => x.code === p.documentType);
  const name = kind ? translate(kind.names, w.policy.language) : '';
  const r = { verdict, assurance, stale: t.stale, clockSuspect: t.suspect, basis: t.basis, test: p?.test ?? false, plain: authentic && p.plain };
  if (set) r.statusAsOf = iso(set.issued);
  r.trustVersion = set ? s.timestamp.version : 0;
  if (p) r.reference = showReference(p.reference);
  r.replaced = checks.status_entry.code === 'replaced';
  if (authentic && p.expiresAt) Object.assign(r, { expiresAt: p.expiresAt, expiresOn: iso(Date.parse(p.expiresAt) - 1).slice(0, 10) });
  if (p) {
    r.issuer = { code: p.issuer, ...(authentic && { name: tenant.name }) };
    r.documentType = { code: p.documentType, ...(name && { name }) };
    r.issuedAt = p.issuedAt;
  }
  if (authentic && p.fields.length > 0) {
    r.fields = p.fields.map(({ key, value }) => {
      const label = kind && kind.labels[key] ? translate(kind.labels[key], w.policy.language) : '';
      return { key, ...(label && { label }), value };
    });
  }
  return Object.assign(r, { binding, checks: NAMES.map((n) => checks[n]) });
}

// reason is section 7.
function reason(w, r) {
  const { checks, p, t, key } = w;
  const asOf = r.statusAsOf && at(Date.parse(r.statusAsOf));
  const call = ({ code, name }) => (name ? `${escape(name)} (${code})` : code);
  const what = p && `${call(r.documentType)} by ${call(r.issuer)}, issued ${r.issuedAt.slice(0, 10)}`;
  const is = (name, code) => checks[name].code === code;
  const failed = (name) => checks[name].status === 'fail';
  const until = r.expiresAt && lastDay(Date.parse(r.expiresAt));
  switch (r.verdict) {
    case 'not_found': {
      const damaged = (name) => `Not a TCode: the symbol's content is damaged or made up (${checks[name].detail}). Scan again; if it stays so, do not accept it.`;
      if (failed('decode')) return damaged('decode');
      if (is('header', 'not_tcode')) return 'Not a TCode: the symbol holds something else.';
      if (is('header', 'header_malformed')) return damaged('header');
      if (failed('header')) return `Not a TCode that this program knows (${checks.header.detail}): update the program, or check online.`;
      if (failed('signature')) return `Forged or altered: the signature is not that of issuer ${p.issuer}. Do not accept it.`;
      if (failed('key_window')) return `Forged: dated ${at(Date.parse(p.issuedAt))}, when the key of issuer ${p.issuer} that it names was not in use (${checks.key_window.detail}). Do not accept it.`;
      if (checks.signature.status === 'pass') return `Not genuine: the stamp is real (${what}), but this file is not the one it was put on, or was changed since. Do not accept it.`;
      return 'Not genuine: the stamp does not belong to this file, or the file was changed since. Do not accept it.';
    }
    case 'revoked':
      if (r.replaced) return `Replaced: the issuer put another document in the place of this ${what}. Ask for the new one.`;
      if (is('status_entry', 'revoked') && failed('not_expired')) return `Revoked as of ${asOf}; it was valid until ${until}. A genuine ${what}. Do not accept it.`;
      if (is('status_entry', 'revoked')) return `Revoked by its issuer as of ${asOf}: a genuine ${what}. Do not accept it.`;
      return `Revoked by its issuer, as this device has seen before: a genuine ${what}. Do not accept it.`;
    case 'expired': return `Expired: was valid until ${until}. A genuine ${what}.`;
    case 'suspended':
      if (is('status_entry', 'suspended')) return `Suspended by its issuer as of ${asOf}: a genuine ${what}. Do not rely on it now; ask the issuer.`;
      return `Its issuer is suspended as of ${asOf}: a genuine ${what}. Do not rely on it now.`;
    case 'valid': return valid(w, r, what, asOf);
  }
  if (r.assurance === 'none') {
    if (!w.set) return 'Cannot be checked: this device has no trust documents yet. Refresh or import them, then scan again.';
    const subject = is('key_known', 'key_unknown') ? `key ${p.keySequence} of issuer ${p.issuer}` : `issuer ${p.issuer}`;
    return `Cannot be checked: ${subject} is not in this device's trust documents of ${asOf}. Refresh them, then scan again.`;
  }
  const why = () => {
    if (is('freshness', 'clock_suspect')) return `status unknown since ${asOf}: this device's clock is behind what it has already seen. Refresh from the gateway, which proves the time, or set the clock, then scan again.`;
    if (is('freshness', 'status_ahead')) return `status unknown: the trust documents were dated ${asOf} by a clock that ran ahead, so nobody knows how old they are. Refresh them, then scan again.`;
    if (is('key_not_compromised', 'compromised_remembered')) return 'but the key is known to others, as this device has seen before. Ask the issuer.';
    if (is('key_not_compromised', 'key_compromised')) return `but the key is known to others since ${at(key.since)} and the issuer does not vouch for this stamp. Ask the issuer.`;
    if (is('key_not_compromised', 'survivors_missing')) return `but the key is known to others since ${at(key.since)} and the list of stamps the issuer vouches for is not on this device. Refresh, then scan again.`;
    if (failed('issued_not_in_future')) return `but it is dated ${at(Date.parse(p.issuedAt))} and this device's clock says ${at(t.now)}. Check the clock, then scan again.`;
    if (failed('not_test')) return 'but it is a test document and means nothing.';
    if (t.expired) return `status unknown since ${at(t.since)}: the trust documents of ${asOf} are too old. Refresh them, then scan again.`;
    return `status unknown since ${asOf}: its part of the status list is not on this device, or is damaged. Refresh, then scan again.`;
  };
  return `Genuine signature (${what}), ${why()}`;
}

function valid({ checks, t }, r, what, asOf) {
  let s = `Genuine and unchanged: ${what}.`;
  const detail = checks.binding.detail ? ` (${checks.binding.detail})` : '';
  if (r.binding === 'appended') s = `Genuine ${what}, but something was added to the file after it was stamped${detail}: look at what was added.`;
  if (r.binding === 'not_checked') s = `Genuine stamp: compare the document with ${what}${(r.fields ?? []).map((f) => `; ${escape(f.label ?? f.key)}: ${escape(f.value)}`).join('')}.`;
  s += ` Not revoked as of ${asOf}`;
  if (r.stale) s += `, ${span(t.age)} ago: refresh soon.`;
  else s += checks.status_predates_stamp.code === 'ok' ? '.' : '. The stamp is newer than this status; for a later one run "tcode-scan trust refresh".';
  return r.test ? `${s} A test document, accepted because tests are asked for.` : s;
}

// The vectors: section 9.

const boot = (b) => b ?? { id: '', seconds: 0 };
const clockOf = (v) => ({
  now: Date.parse(v.now), newestScan: v.newestScan && Date.parse(v.newestScan), boot: boot(v.boot),
  proof: v.proof && { time: Date.parse(v.proof.time), boot: boot(v.proof.boot) },
});

// clock is the class of a vector of time.
export function clock(name, raw) {
  const v = JSON.parse(utf8(raw, 'vector'));
  let set = null;
  if (v.issued) {
    const issued = Date.parse(v.issued);
    const given = v.floor ? Date.parse(v.floor) : null;
    const floor = v.ahead ? given : Math.max(issued, given ?? issued);
    set = { issued, expires: Date.parse(v.expires), setExpires: Date.parse(v.setExpires), floor, ahead: v.ahead === true };
  }
  const t = tell(clockOf(v), set, {});
  same({ basis: t.basis, reading: t.reading, suspect: t.suspect, now: iso(t.now), ageSeconds: t.age === null ? null : Math.floor(t.age / 1000), stale: t.stale, expired: t.expired }, v.want, 'time');
  return 'ok';
}

// verdict is the class of a vector of a verdict.
export function verdict(name, raw) {
  const v = JSON.parse(utf8(raw, 'vector'));
  const shards = new Map(Object.entries(v.shards ?? {}).map(([n, entries]) => {
    const shard = new Uint8Array(65536);
    for (const [entry, value] of Object.entries(entries)) shard[entry] = value;
    return [Number(n), shard];
  }));
  const got = judge({
    state: v.roots && load(v), shards, survivors: v.survivors ?? [], remembered: v.remembered ?? [], clock: clockOf(v),
    policy: { fresh: (v.freshSeconds ?? 0) * 1000, hard: (v.hardSeconds ?? 0) * 1000, acceptTest: v.acceptTest ?? false, language: v.language || 'en' },
    payload: v.payload ? unhex(v.payload) : null, text: v.text ?? '', binding: v.binding, bindingDetail: v.bindingDetail ?? '',
  });
  for (const i of [0, 1]) { // a parser has its own words
    const [ours, theirs] = [got.checks[i], v.want.checks[i]];
    if (ours.status !== 'fail' || theirs.status !== 'fail') continue;
    got.reason = got.reason.replace(`(${ours.detail})`, `(${theirs.detail})`);
    ours.detail = theirs.detail;
  }
  same(got, v.want, 'result');
  return 'ok';
}
