// A second sync client's arithmetic, written from sync/wire/FORMAT.md alone: requests,
// their digests and signatures, and receipts.

import { sign } from 'node:crypto';
import { Refused, base64, hex, need, refuse, same, sha256, unhex, utf8 } from './common.mjs';
import { Num, Obj, parseJSON } from './json.mjs';
import { publicKey, verifies } from './keys.mjs';
import { openNote, verifierKey } from './notes.mjs';

// Section 1.
const u32 = (n) => { const b = Buffer.alloc(4); b.writeUInt32BE(n); return b; };
const i32 = (n) => { const b = Buffer.alloc(4); b.writeInt32BE(n); return b; };
const u64 = (n) => { const b = Buffer.alloc(8); b.writeBigUInt64BE(BigInt(n)); return b; };
const ms = (t) => { const b = Buffer.alloc(8); b.writeBigInt64BE(t === null ? -(2n ** 63n) : BigInt(t)); return b; };
const str = (s) => { const b = Buffer.from(s); return Buffer.concat([u32(b.length), b]); };
const dom = (s) => Buffer.concat([Buffer.from(s), Buffer.alloc(16 - s.length)]);

const WORDS = {
  offlineVerdict: ['not_found', 'revoked', 'expired', 'suspended', 'unverified', 'valid'],
  assurance: ['none', 'signature_only', 'signature_and_status'],
  binding: ['match', 'appended', 'mismatch', 'not_checked'],
  kind: ['clock_was_ahead', 'clock_confirmed'],
};
const RESULTS = ['accepted', 'duplicate', 'conflict', 'rejected', 'retry'];
const HELD = RESULTS.slice(0, 3);
const MAX = 2n ** 53n - 1n;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

// A Members reads the members of an object; null counts as absent.
class Members {
  constructor(v, path, known, kind = 'invalid') {
    this.path = path;
    this.kind = kind;
    need(v instanceof Obj, kind, path || '$body');
    this.all = v.members;
    for (const name of this.all.keys()) {
      if (!known.includes(name)) need(!known.some((k) => k.toLowerCase() === name.toLowerCase()), kind, this.at(name));
    }
  }
  at(name) { return this.path ? `${this.path}.${name}` : name; }
  need(condition, name) { need(condition, this.kind, this.at(name)); }
  get(name) { return this.all.get(name) ?? null; }
  string(name, most = 1000, required = false) {
    const s = this.get(name) ?? '';
    this.need(typeof s === 'string' && [...s].length <= most && !s.includes('\0') && !(required && s === ''), name);
    return s;
  }
  word(name) {
    const s = this.string(name, 64);
    this.need(s === '' || WORDS[name].includes(s), name);
    return s;
  }
  integer(name, least = 0n, most = MAX) {
    const n = this.get(name);
    if (n === null) return null;
    this.need(n instanceof Num && /^(0|-?[1-9][0-9]*)$/.test(n.text) && BigInt(n.text) >= least && BigInt(n.text) <= most, name);
    return Number(n.text);
  }
  time(name, required = true) {
    const s = this.string(name, 64, required);
    if (s === '') return null;
    const t = instant(s);
    this.need(t !== null, name);
    return t;
  }
  list(name, most) {
    const l = this.get(name) ?? [];
    this.need(Array.isArray(l), name);
    need(l.length <= most, this.kind === 'invalid' ? 'too_large' : this.kind, this.at(name));
    return l;
  }
}

// instant is RFC 3339 as milliseconds, finer parts dropped.
function instant(s) {
  const m = s.match(/^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/);
  if (!m) return null;
  const whole = Date.parse(m[1] + 'Z');
  if (Number.isNaN(whole) || new Date(whole).toISOString() !== m[1] + '.000Z') return null;
  const zone = m[3] ? (m[3] === '+' ? 1 : -1) * (Number(m[4]) * 60 + Number(m[5])) * 60_000 : 0;
  const t = whole - zone + Number((m[2] ?? '').padEnd(3, '0').slice(0, 3));
  const year = new Date(t).getUTCFullYear();
  return year >= 1970 && year <= 9999 ? t : null;
}

function readItem(v, path) {
  need(!(v instanceof Obj) || v.size <= 8192, 'too_large', path);
  const m = new Members(v, path, ['scanId', 'seq', 'payload', 'reference', 'scannedAt', 'offlineVerdict', 'assurance', 'binding', 'trustVersion', 'context']);
  const it = { scanId: m.string('scanId', 36, true) };
  m.need(UUID.test(it.scanId), 'scanId');
  it.seq = m.integer('seq') ?? 0;
  it.trustVersion = m.integer('trustVersion') ?? 0;
  it.payload = m.string('payload', 8192);
  it.reference = m.string('reference', 64);
  m.need((it.payload === '') !== (it.reference === ''), 'payload');
  it.scannedAt = m.time('scannedAt');
  for (const name of ['offlineVerdict', 'assurance', 'binding']) it[name] = m.word(name);
  const context = m.get('context') ?? new Obj();
  const c = new Members(context, m.at('context'), ['location', 'latitudeE6', 'longitudeE6', 'note']);
  Object.assign(it, { location: c.string('location', 200), note: c.string('note', 500) });
  it.latitude = c.integer('latitudeE6', -90_000_000n, 90_000_000n);
  it.longitude = c.integer('longitudeE6', -180_000_000n, 180_000_000n);
  c.need((it.latitude === null) === (it.longitude === null), 'latitudeE6');
  return it;
}

function readEvent(v, path) {
  const m = new Members(v, path, ['eventId', 'kind', 'at', 'was', 'trustVersion', 'scans', 'afterSeq']);
  const e = { eventId: m.string('eventId', 36, true), kind: m.word('kind') };
  m.need(UUID.test(e.eventId), 'eventId');
  m.need(e.kind !== '', 'kind');
  Object.assign(e, { at: m.time('at'), was: m.time('was', false) });
  for (const name of ['trustVersion', 'scans', 'afterSeq']) e[name] = m.integer(name) ?? 0;
  return e;
}

// distinct refuses a second id of a batch.
function distinct(list, name, member) {
  const ids = list.map((x) => x[member]);
  ids.forEach((id, i) => need(ids.indexOf(id) === i, 'invalid', `${name}[${i}].${member}`));
}

// readBatch is the request in a body; sections 5, 6 and 9.
export function readBatch(bytes) {
  need(bytes.length <= 1048576, 'too_large', '$body');
  const m = new Members(parseJSON(bytes), '', ['batchId', 'scannerId', 'sentAt', 'items', 'clockEvents']);
  const b = { batchId: m.string('batchId', 64, true), scannerId: m.string('scannerId', 64, true) };
  m.need(/^[A-Za-z0-9._-]+$/.test(b.batchId), 'batchId');
  m.need(/^[A-Za-z0-9._:@-]+$/.test(b.scannerId), 'scannerId');
  b.sentAt = m.time('sentAt');
  b.events = m.list('clockEvents', 50).map((v, i) => readEvent(v, `clockEvents[${i}]`));
  distinct(b.events, 'clockEvents', 'eventId');
  const items = m.list('items', 500);
  m.need(items.length > 0 || b.events.length > 0, 'items');
  b.items = items.map((v, i) => readItem(v, `items[${i}]`));
  distinct(b.items, 'items', 'scanId');
  return b;
}

// Section 2.
export const itemDigest = (it) => sha256(dom('TCode-Scan/1\n'), str(it.scanId), u64(it.seq), str(it.payload), str(it.reference), ms(it.scannedAt),
  str(it.offlineVerdict), str(it.assurance), str(it.binding), u64(it.trustVersion), str(it.location),
  it.latitude === null ? Buffer.from([0]) : Buffer.concat([Buffer.from([1]), i32(it.latitude), i32(it.longitude)]), str(it.note));

// Section 3.
export const batchDigest = (b, items = b.items) => sha256(dom('TCode-Batch/1\n'), str(b.scannerId), u32(items.length), ...items.map(itemDigest));

// Section 9.
const eventDigest = (e) => sha256(dom('TCode-Event/1\n'), str(e.eventId), str(e.kind), ms(e.at), ms(e.was), u64(e.trustVersion), u64(e.scans), u64(e.afterSeq));
const clockDigest = (b) => sha256(dom('TCode-Clock/1\n'), str(b.scannerId), u32(b.events.length), ...b.events.map(eventDigest));

// Section 4.
const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';
export function scannerID(raw) {
  let bits = '';
  for (const b of sha256(raw).subarray(0, 16)) bits += b.toString(2).padStart(8, '0');
  return 'dev_' + bits.match(/.{1,5}/g).map((five) => BASE32[parseInt(five.padEnd(5, '0'), 2)]).join('');
}
const toSign = (b) => Buffer.concat([dom('TCode-Signed/1\n'), str(b.batchId), ms(b.sentAt), batchDigest(b), ...(b.events.length > 0 ? [clockDigest(b)] : [])]);

// signBatch is the signature of a device, with its key as Node holds it.
export const signBatch = (b, key) => sign(null, toSign(b), key).toString('base64');

function checkBatch(b, deviceKey, signature) {
  if (deviceKey === undefined && signature === undefined) return 'unsigned';
  need(/^[A-Za-z0-9+/]{43}=$/.test(deviceKey ?? '') && /^[A-Za-z0-9+/]{86}==$/.test(signature ?? ''), 'signature');
  const raw = base64(deviceKey, 'signature');
  need(scannerID(raw) === b.scannerId, 'signature');
  need(verifies(publicKey('Ed25519', raw), toSign(b), base64(signature, 'signature')), 'signature');
  return 'signed';
}

// readReply is the reply in an answer's body.
export function readReply(bytes) {
  const top = new Members(parseJSON(bytes, 'reply'), '', ['data'], 'reply');
  const m = new Members(top.get('data'), 'data', ['batchId', 'receivedAt', 'receipt', 'results'], 'reply');
  const r = { batchId: m.string('batchId', 64, true), receivedAt: m.time('receivedAt'), receipt: m.string('receipt', 4096) };
  need(Array.isArray(m.get('results')), 'reply');
  r.results = m.list('results', 500).map((v, i) => {
    const x = new Members(v, `data.results[${i}]`, ['scanId', 'result', 'code', 'message', 'verdict', 'verdictAtScan', 'changed', 'reference', 'status'], 'reply');
    const one = { scanId: x.string('scanId', 64, true), result: x.string('result', 64, true) };
    need(RESULTS.includes(one.result), 'reply');
    for (const name of ['code', 'message', 'verdict', 'verdictAtScan', 'reference', 'status']) one[name] = x.string(name);
    return one;
  });
  need(new Set(r.results.map((x) => x.scanId)).size === r.results.length, 'reply');
  return r;
}

const RECEIPT = new RegExp('^tcode-receipt/1\nscanner [A-Za-z0-9._:@-]{1,64}\nbatch [A-Za-z0-9._-]{1,64} [0-9a-f]{64}\nitems (0|[1-9]\\d*)\n'
  + 'last-seq (0|[1-9]\\d*)\nresults (0|[1-9]\\d*) [0-9a-f]{64}\n(clock ([1-9]\\d*) [0-9a-f]{64}\n)?time (\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z)\n$');

// proven checks section 5: the receipt is signed, and of this request and this reply.
export function proven(b, reply, online) {
  need(reply.receipt !== '', 'none');
  let text;
  try {
    const note = openNote(Buffer.from(reply.receipt), [online]);
    need(note.signed.length === 1, 'receipt');
    text = note.text;
  } catch { refuse('receipt'); }
  const m = text.match(RECEIPT) ?? refuse('receipt');
  need(Number(m[1]) <= Number(m[3]) && (Number(m[3]) > 0 || m[4]) && instant(m[6]) !== null, 'receipt');
  const of = new Map(reply.results.map((r) => [r.scanId, r]));
  const answered = b.items.filter((it) => of.has(it.scanId));
  const held = b.items.filter((it) => HELD.includes(of.get(it.scanId)?.result));
  const answers = sha256('TCode-Results/1\n', str(b.scannerId), ...answered.flatMap((it) => {
    const r = of.get(it.scanId);
    return [str(it.scanId), itemDigest(it), str(r.result), str(r.code), str(r.verdict), str(r.verdictAtScan)];
  }));
  const clock = m[4] ? `clock ${b.events.length} ${hex(clockDigest(b))}\n` : '';
  const want = `tcode-receipt/1\nscanner ${b.scannerId}\nbatch ${b.batchId} ${hex(batchDigest(b, held))}\nitems ${held.length}\n`
    + `last-seq ${Math.max(0, ...held.map((it) => it.seq))}\nresults ${answered.length} ${hex(answers)}\n${clock}time ${m[6]}\n`;
  need(text === want, 'mismatch');
  return { held, answered, time: m[6], clock: clock !== '' };
}

// sync is the class of a vector as this reader finds it.
export function sync(name, raw) {
  const v = JSON.parse(utf8(raw, 'vector'));
  if (name.startsWith('receipt-')) {
    const reply = readReply(Buffer.from(v.reply));
    proven(readBatch(Buffer.from(v.body)), reply, verifierKey(v.online));
    return 'ok';
  }
  let b;
  try {
    b = readBatch(v.bodyHex ? unhex(v.bodyHex) : Buffer.from(v.body));
  } catch (e) {
    if (e instanceof Refused) same(e.member, v.member, 'member');
    throw e;
  }
  const found = checkBatch(b, v.deviceKey, v.signature);
  same([b.scannerId, hex(batchDigest(b)), b.items.map((it) => hex(itemDigest(it))), b.events.length ? hex(clockDigest(b)) : undefined],
    [v.scannerId, v.digest, v.items ?? [], v.clock], 'digests');
  return found;
}
