// A second reader of trust documents, written from offline/trust/FORMAT.md alone.

import { base64, hex, need, refuse, same, sha256, unhex, utf8 } from './common.mjs';
import { publicKey } from './keys.mjs';
import { Lines, decimal, hash, openNote, optional, text, time, verifierKey, version } from './notes.mjs';
import { inflatePack, inflateShard, parseDelta, parsePack, shardHash } from './shards.mjs';

const LIMIT = { root: 65536, timestamp: 4096, bundle: 16777216, status: 65536, time: 4096 };
const ascending = (list) => list.every((x, i) => i === 0 || Buffer.compare(Buffer.from(list[i - 1]), Buffer.from(x)) < 0);

// head checks size and first line; section 2.
function head(bytes, type, root) {
  need(bytes.length <= LIMIT[type], 'too_large');
  const end = bytes.indexOf(10);
  const words = bytes.subarray(0, Math.max(end, 0)).toString('latin1').match(/^tcode-trust\/1 ([^ ]*) ([0-9a-f]{64})$/);
  need(words && words[1] === type, 'type_line');
  need(!root || words[2] === root, 'foreign_root');
  return words[2];
}

function dates(l) {
  const d = { version: version(...l.words('version', 1)), issued: time(...l.words('issued', 1)), expires: time(...l.words('expires', 1)) };
  need(d.expires > d.issued, 'syntax');
  return d;
}
const named = (l, name) => { const [v, h] = l.words(name, 2); return { version: version(v), hash: hash(h) }; };
const body = (all) => new Lines(all.slice(all.indexOf('\n') + 1));

// root reads a root that its own keys have signed.
export function root(bytes, fingerprint) {
  fingerprint = head(bytes, 'root', fingerprint);
  const { text: all } = openNote(bytes, []);
  const l = body(all);
  const r = { fingerprint, text: all, version: version(...l.words('version', 1)), expires: time(...l.words('expires', 1)), threshold: decimal(...l.words('threshold', 1), 1, 32), keys: [] };
  while (l.is('key')) r.keys.push(verifierKey(l.next('key')));
  r.online = verifierKey(l.next('online'));
  r.forget = l.is('forget') ? time(...l.words('forget', 1)) : null;
  l.end();
  need(r.keys.length >= 1 && r.keys.length <= 32 && r.threshold <= r.keys.length, 'syntax');
  need(ascending(r.keys.map((k) => k.text)), 'syntax');
  need(new Set([...r.keys, r.online].map((k) => k.public)).size === r.keys.length + 1, 'syntax');
  need(r.version !== 1 || hex(sha256(all.slice(all.indexOf('\n') + 1))) === fingerprint, 'fingerprint');
  signedBy(r, bytes);
  return r;
}

function signedBy(r, bytes) {
  need(openNote(bytes, r.keys).signed.length >= r.threshold, 'threshold');
}

// open checks a note that the online key must have signed.
function open(bytes, type, fingerprint, online) {
  head(bytes, type, fingerprint);
  const { text: all, signed } = openNote(bytes, [online]);
  need(signed.length === 1, 'foreign_key');
  return [body(all), all];
}

export function timestamp(bytes, fingerprint, online) {
  const [l, all] = open(bytes, 'timestamp', fingerprint, online);
  const t = { ...dates(l), text: all, bundle: named(l, 'bundle'), status: named(l, 'status') };
  l.end();
  return t;
}

export function status(bytes, fingerprint, online) {
  const [l] = open(bytes, 'status', fingerprint, online);
  const s = { ...dates(l), shards: decimal(...l.words('shards', 1), 0, 65536), packs: [] };
  for (let i = 0; i < Math.ceil(s.shards / 128); i++) {
    const [n, h] = l.words('pack', 2);
    need(n === String(i), 'syntax');
    s.packs.push(hash(h));
  }
  s.delta = named(l, 'delta');
  need(s.delta.version <= s.version, 'syntax');
  l.end();
  return s;
}

function key(l) {
  const [seq, state, from, until, since, survivors, algorithm, raw] = l.words('key', 8);
  const k = { seq: decimal(seq, 0, 255), state, from: optional(from, time), until: optional(until, time), since: optional(since, time), survivors: optional(survivors, hash) };
  need(['announced', 'signing', 'verifying', 'compromised'].includes(state), 'syntax');
  need(state !== 'announced' || k.from !== null, 'syntax');
  need(k.from === null || k.until === null || k.until > k.from, 'syntax');
  need((state === 'compromised') === (k.since !== null), 'syntax');
  need(state === 'compromised' || k.survivors === null, 'syntax');
  need(algorithm === 'Ed25519' || algorithm === 'ES256', 'syntax');
  try { k.public = publicKey(algorithm, base64(raw, 'syntax')); } catch { refuse('syntax'); }
  k.words = `${algorithm} ${raw}`;
  return k;
}

// pair cuts a line at its first space.
const pair = (s) => { const at = s.indexOf(' '); need(at > 0, 'syntax'); return [s.slice(0, at), s.slice(at + 1)]; };
const language = (s) => { need(s.length <= 35 && /^[a-z]{2,3}(-[A-Za-z0-9]{1,8})*$/.test(s), 'syntax'); return s; };

function type(l) {
  const t = { code: l.next('type'), names: {}, labels: {} };
  need(/^[0-9A-Z]{3}$/.test(t.code), 'syntax');
  const order = [];
  while (l.is('name')) {
    const [tag, name] = pair(l.next('name'));
    order.push(tag);
    t.names[language(tag)] = text(name);
  }
  need(order.length >= 1 && order.length <= 100 && ascending(order), 'syntax');
  const labels = [];
  while (l.is('label')) {
    const [field, rest] = pair(l.next('label'));
    const [tag, label] = pair(rest);
    need(/^[a-z0-9_]{1,16}$/.test(field), 'syntax');
    labels.push([field, language(tag)]);
    (t.labels[field] ??= {})[tag] = text(label);
  }
  need(ascending(labels.map(([field, tag]) => field + ' ' + tag)), 'syntax');
  need(Object.keys(t.labels).length <= 64 && Object.values(t.labels).every((x) => Object.keys(x).length <= 100), 'syntax');
  return t;
}

export function bundle(bytes, fingerprint, online) {
  const [l] = open(bytes, 'bundle', fingerprint, online);
  const b = { ...dates(l), tenants: [], types: [] };
  while (l.is('tenant')) {
    const [reference, rest] = pair(l.next('tenant'));
    const [state, name] = pair(rest);
    need(/^[0-9A-Z]{6}$/.test(reference) && (state === 'active' || state === 'suspended'), 'syntax');
    const t = { reference, state, name: text(name), keys: [] };
    while (l.is('key')) t.keys.push(key(l));
    need(t.keys.every((k, i) => i === 0 || t.keys[i - 1].seq < k.seq), 'syntax');
    b.tenants.push(t);
  }
  need(b.tenants.length <= 65536 && ascending(b.tenants.map((t) => t.reference)), 'syntax');
  while (l.is('type')) b.types.push(type(l));
  need(ascending(b.types.map((t) => t.code)), 'syntax');
  l.end();
  return b;
}

// timeNote is the gateway's time, in answer to the nonce.
export function timeNote(bytes, fingerprint, online, nonce) {
  const [l] = open(bytes, 'time', fingerprint, online);
  const t = { nonce: hash(...l.words('nonce', 1)), time: time(...l.words('time', 1)) };
  l.end();
  need(t.nonce === nonce, 'nonce');
  return t;
}

// pin begins a state with a chain of roots from version 1 on.
export function pin(roots, wanted) {
  need(roots.length <= 33, 'too_many_roots');
  const fingerprint = head(roots[0], 'root', null);
  need(!wanted || fingerprint === wanted, 'fingerprint');
  const first = root(roots[0], fingerprint);
  need(first.version === 1, 'root_chain');
  const s = { fingerprint, roots: [first], shards: [], contents: new Map(), floor: null, ahead: 0, timestamp: null };
  for (const raw of roots.slice(1)) follow(s, raw);
  return s;
}

export const present = (s) => s.roots[s.roots.length - 1];

// follow takes one root; section 5, 2.
function follow(s, raw) {
  const next = root(raw, s.fingerprint);
  const held = present(s);
  if (next.version <= held.version) return need(next.text === s.roots[next.version - 1].text, 'root_chain');
  need(next.version === held.version + 1, 'root_chain');
  signedBy(held, raw);
  if (next.online.text !== held.online.text) {
    s.forget ||= next.forget !== null;
    Object.assign(s, { timestamp: null, bundle: null, status: null, shards: [], floor: null, ahead: 0 });
  }
  s.roots.push(next);
}

// apply takes roots, then one complete set, or refuses and changes nothing.
export function apply(before, u) {
  const s = { ...before, roots: [...before.roots], forget: false, undone: [] };
  for (const raw of u.roots) {
    follow(s, raw);
    need(s.roots.length <= before.roots.length + 32, 'too_many_roots');
  }
  if (!u.timestamp) {
    need(!u.bundle && !u.status && u.packs.size === 0 && u.shards.size === 0, 'incomplete');
    s.undone = undone(before, s, u);
    return s;
  }
  const online = present(s).online;
  const t = timestamp(u.timestamp, s.fingerprint, online);
  if (s.timestamp) floor(t.version, s.timestamp.version, t.text === s.timestamp.text);
  const part = (name, read) => {
    const ref = t[name];
    const held = s[name];
    if (held) floor(ref.version, held.version, held.hash === ref.hash);
    if (!u[name]) return held && held.hash === ref.hash ? held : refuse('incomplete');
    need(hex(sha256(u[name])) === ref.hash, 'hash');
    const d = read(u[name], s.fingerprint, online);
    need(d.version === ref.version, 'version');
    return { ...d, hash: ref.hash };
  };
  const next = { timestamp: t, bundle: part('bundle', bundle) };
  next.status = part('status', status);
  next.shards = packs(s, next.status, u.packs);
  shards(s, next.shards, u.shards);
  Object.assign(s, next);
  s.undone = undone(before, s, u);
  if (t.version > s.ahead && (s.floor === null || s.floor < t.issued)) s.floor = t.issued;
  return s;
}

function floor(version, held, same) {
  need(version >= held, 'rollback');
  need(version > held || same, 'conflict');
}

function packs(s, st, came) {
  need(st.shards >= s.shards.length, 'rollback');
  need([...came.keys()].every((n) => n < st.packs.length), 'incomplete');
  return st.packs.flatMap((wanted, i) => {
    const size = Math.min(128, st.shards - 128 * i);
    const held = s.shards.slice(128 * i, 128 * i + 128);
    if (!came.has(i)) {
      need(held.length === size && hex(sha256('tcode-pack/1\n', ...held.map(unhex))) === wanted, 'incomplete');
      return held;
    }
    need(hex(sha256(came.get(i))) === wanted, 'hash');
    const p = parsePack(came.get(i));
    need(p.length === size, 'incomplete');
    return p;
  });
}

function shards(s, wanted, came) {
  for (const [n, raw] of [...came].sort(([a], [b]) => a - b)) {
    need(n < wanted.length, 'incomplete');
    let got;
    try { got = shardHash(inflateShard(raw)); } catch { refuse('hash'); }
    need(got === wanted[n], 'hash');
  }
  wanted.forEach((h, n) => need(s.shards[n] === h || came.has(n), 'incomplete'));
}

// undone are the marks of what was final and is not any more; section 5, 7.
function undone(before, s, u) {
  if (s.forget) return [];
  const mark = (line) => hex(sha256(`tcode-final/1 ${line}\n`));
  const compromised = (b) => (b?.tenants ?? []).flatMap((t) => t.keys.filter((k) => k.state === 'compromised').map((k) => mark(`key ${t.reference} ${k.seq} ${k.words}`)));
  const now = new Set(compromised(s.bundle));
  const marks = compromised(before.bundle).filter((m) => !now.has(m));
  const final = (v) => v === 1 || v === 3;
  if (s.status && s.status !== before.status) {
    for (const [n, held] of before.contents) {
      if (before.shards[n] !== undefined && shardHash(held) !== before.shards[n]) continue;
      if (!u.shards.has(n) && n < s.shards.length) continue;
      const next = u.shards.has(n) ? inflateShard(u.shards.get(n)) : [];
      held.forEach((v, entry) => { if (final(v) && !final(next[entry])) marks.push(mark(`entry ${n} ${entry}`)); });
    }
  }
  need(marks.length <= 65536 || !s.timestamp, 'undone');
  return marks.sort();
}

// proved lowers a floor that a proof of time contradicts; section 5, 6.
export function proved(before, now) {
  const s = { ...before };
  const most = now + 600_000;
  if (s.floor > most) s.floor = now;
  if (s.timestamp && s.timestamp.version > s.ahead && s.timestamp.issued > most) s.ahead = s.timestamp.version;
  return s;
}

// The vectors.

const bytes = (s) => (s === undefined ? undefined : Buffer.from(s));
const byNumber = (m) => new Map(Object.entries(m ?? {}).map(([n, digits]) => [Number(n), unhex(digits)]));
const iso = (ms) => new Date(ms).toISOString().replace('.000Z', 'Z');

// load is a state from its bytes; also for verdict vectors. Nothing is looked up: a
// whole set came to a device that had its roots.
export function load(held) {
  const [first, ...rest] = held.roots.map(bytes);
  const s = pin([first]);
  for (const raw of rest) follow(s, raw);
  s.ahead = held.ahead ?? 0;
  if (!held.timestamp) return s;
  const u = { roots: [], timestamp: bytes(held.timestamp), bundle: bytes(held.bundle), status: bytes(held.status), packs: new Map(held.packs?.map((p, i) => [i, unhex(p)])), shards: new Map() };
  const st = status(u.status, s.fingerprint, present(s).online);
  const names = packs(s, st, u.packs);
  const next = apply({ ...s, shards: names }, u);
  if (held.floor && Date.parse(held.floor) > (next.floor ?? -Infinity)) next.floor = Date.parse(held.floor);
  return next;
}

function update(v) {
  const u = v.update && { roots: (v.update.roots ?? []).map(bytes), timestamp: bytes(v.update.timestamp), bundle: bytes(v.update.bundle), status: bytes(v.update.status), packs: byNumber(v.update.packs), shards: byNumber(v.update.shards) };
  const before = v.held ? load(v.held) : pin(u.roots, v.pin);
  before.contents = new Map(Object.entries(v.held?.shards ?? {}).map(([n, digits]) => [Number(n), inflateShard(unhex(digits))]));
  const s = v.proof ? proved(before, Date.parse(v.proof)) : apply(before, v.held ? u : { ...u, roots: [] });
  const after = { root: present(s).version, timestamp: s.timestamp?.version ?? 0, bundle: s.bundle?.version ?? 0, status: s.status?.version ?? 0 };
  if (s.floor !== null) after.floor = iso(s.floor);
  same({ ...after, ahead: s.ahead, shards: s.shards, changed: present(s).online.text !== present(before).online.text, undone: s.undone?.length > 1000 ? [String(s.undone.length)] : s.undone ?? [], forget: s.forget ?? false }, v.after, 'after');
  return 'ok';
}

function note(v) {
  const raw = v.noteHex ? unhex(v.noteHex) : Buffer.from(v.note ?? '');
  if (v.type === 'root') return root(raw, v.root) && 'ok';
  return { timestamp, bundle, status, time: timeNote }[v.type](raw, v.root, verifierKey(v.online), v.nonce) && 'ok';
}

// trust is the class of a vector as this reader finds it.
export function trust(name, raw) {
  const v = JSON.parse(utf8(raw, 'vector'));
  return name.startsWith('document-') ? note(v) : update(v);
}

// objects is the class of a vector of the status list.
export function objects(name, raw) {
  const v = JSON.parse(utf8(raw, 'vector'));
  const b = unhex(v.raw);
  const set = {};
  let names = [];
  if (v.object === 'pack') { parsePack(b); names = [hex(sha256(b))]; }
  if (v.object === 'delta') {
    for (const [shard, entry, value] of parseDelta(b)) (set[shard] ??= {})[entry] = value;
    names = [hex(sha256(b))];
  }
  if (v.object.startsWith('shard')) {
    const all = v.object === 'shard' ? [inflateShard(b)] : inflatePack(b, v.most);
    names = all.map(shardHash);
    all.forEach((s, i) => s.forEach((value, entry) => { if (value) (set[i] ??= {})[entry] = value; }));
  }
  same(names, v.names, 'names');
  if (v.set) same(set, v.set, 'set');
  return 'ok';
}
