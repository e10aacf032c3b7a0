// A second reader of TCode payloads, written from offline/payload/FORMAT.md alone.

import { hex, need, number, refuse, same, textVector, unhex, utf8 } from './common.mjs';
import { publicKey, verifies } from './keys.mjs';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const EPOCH = 1577836800;
const MAX_LENGTH = 4481;
const digits = (n, count) => {
  let s = '';
  for (let i = 0; i < count; i++) { s = DIGITS[Number(n % 36n)] + s; n /= 36n; }
  return n === 0n ? s : null;
};
const words = Object.fromEntries([...DIGITS].map((c, i) => [c, BigInt(i)]));
const ofDigits = (s) => [...s].reduce((n, c) => n * 36n + words[c], 0n);
const bytesOf = (n, length) => unhex(n.toString(16).padStart(2 * length, '0'));
const instant = (seconds) => new Date((EPOCH + seconds) * 1000).toISOString().replace('.000Z', 'Z');

// Layout.
export function parse(raw) {
  need(raw.length <= MAX_LENGTH, 'too-long');
  let at = 0;
  const take = (n) => {
    need(raw.length - at >= n, 'truncated');
    at += n;
    return raw.subarray(at - n, at);
  };
  const p = {};
  need(take(1)[0] === 0xd7, 'magic');
  const second = take(1)[0];
  need(second >> 4 === 1, 'version');
  p.algorithm = { 1: 'Ed25519', 2: 'ES256' }[second & 15];
  need(p.algorithm, 'algorithm');
  const flags = take(1)[0];
  need((flags & ~0x87) === 0, 'flags');
  p.plain = (flags & 0x04) !== 0;
  p.test = (flags & 0x80) !== 0;
  p.issuer = digits(number(take(4)), 6) ?? refuse('issuer');
  p.keySequence = take(1)[0];
  p.reference = take(10);
  p.documentType = digits(number(take(2)), 3) ?? refuse('document-type');
  const issued = take(4).readUInt32BE();
  p.issuedAt = instant(issued);
  p.shard = take(2).readUInt16BE();
  p.entry = take(2).readUInt16BE();
  if (flags & 0x02) {
    const expiry = take(4).readUInt32BE();
    need(expiry > issued, 'expiry');
    p.expiresAt = instant(expiry);
  }
  p.fields = [];
  if (flags & 0x01) {
    const count = take(1)[0];
    need(count >= 1 && count <= 16, 'field-count');
    for (let i = 0; i < count; i++) {
      const n = take(1)[0];
      need(n >= 1 && n <= 16, 'field-key');
      const key = take(n).toString('latin1');
      need(/^[a-z0-9_]+$/.test(key), 'field-key');
      need(i === 0 || p.fields[i - 1].key < key, 'field-order');
      p.fields.push({ key, value: utf8(take(take(1)[0]), 'field-value') });
    }
  }
  p.fingerprint = take(16);
  p.core = raw.subarray(0, at);
  p.signature = take(64);
  need(at === raw.length, 'trailing');
  return p;
}

// encode writes a parsed payload.
function encode(p) {
  const time = (s) => bytesOf(BigInt(Date.parse(s) / 1000 - EPOCH), 4);
  const fields = p.fields.map((f) => [f.key, f.value].map((s) => Buffer.concat([Buffer.from([Buffer.byteLength(s)]), Buffer.from(s)]))).flat();
  const flags = (p.fields.length && 1) | (p.expiresAt ? 2 : 0) | (p.plain ? 4 : 0) | (p.test ? 128 : 0);
  return Buffer.concat([
    Buffer.from([0xd7, 0x10 | { Ed25519: 1, ES256: 2 }[p.algorithm], flags]), bytesOf(ofDigits(p.issuer), 4), Buffer.from([p.keySequence]), p.reference,
    bytesOf(ofDigits(p.documentType), 2), time(p.issuedAt), bytesOf(BigInt(p.shard), 2), bytesOf(BigInt(p.entry), 2),
    p.expiresAt ? time(p.expiresAt) : Buffer.alloc(0), p.fields.length ? Buffer.from([p.fields.length]) : Buffer.alloc(0), ...fields,
    p.fingerprint, p.signature,
  ]);
}

// Signature.
function cborBytes(b) {
  const n = b.length;
  const head = n < 24 ? [0x40 | n] : n < 256 ? [0x58, n] : [0x59, n >> 8, n & 255];
  return Buffer.concat([Buffer.from(head), b]);
}
const PROTECTED = { Ed25519: 'a10127', ES256: 'a10126' };
function toSign(p) {
  return Buffer.concat([
    Buffer.from('846a5369676e617475726531', 'hex'),
    cborBytes(Buffer.from(PROTECTED[p.algorithm], 'hex')),
    cborBytes(Buffer.from('TCode/1')),
    cborBytes(p.core),
  ]);
}
function coseSign1(p) {
  return Buffer.concat([
    Buffer.from('d284', 'hex'), cborBytes(Buffer.from(PROTECTED[p.algorithm], 'hex')), Buffer.from('a0', 'hex'),
    cborBytes(p.core), cborBytes(p.signature),
  ]);
}

// verifiesWith: the algorithm is that of the key's record.
export function verifiesWith(p, key) {
  if (p.algorithm !== key.algorithm) return false;
  return verifies(key, toSign(p), p.signature);
}

// Text form.
const CHARS = [0, 2, 4, 5, 7, 8, 10, 11, 13, 14];
function encodeText(raw) {
  let s = '';
  for (let i = 0; i < raw.length; i += 9) {
    const block = raw.subarray(i, i + 9);
    s += digits(number(block), CHARS[block.length]);
  }
  return s;
}
export function decodeText(s) {
  need(s.length <= 6971, 'too-long');
  const out = [];
  need(CHARS.includes(s.length % 14), 'text-length');
  for (let i = 0; i < s.length; i += 14) {
    const block = s.slice(i, i + 14);
    need(/^[0-9A-Z]+$/.test(block), 'text-char');
    const n = CHARS.indexOf(block.length);
    const value = [...block].reduce((v, c) => v * 36n + BigInt(DIGITS.indexOf(c)), 0n);
    need(value < 256n ** BigInt(n), 'text-value');
    out.push(Buffer.from(value.toString(16).padStart(2 * n, '0'), 'hex'));
  }
  return Buffer.concat(out);
}

// Codewords.
const SYMBOLS = [
  [10, 3], [12, 5], [14, 8], [16, 12], [18, 18], [20, 22], [22, 30], [24, 36], [26, 44], [32, 62], [36, 86], [40, 114],
  [44, 144], [48, 174], [52, 204], [64, 280], [72, 368], [80, 456], [88, 576], [96, 696], [104, 816], [120, 1050], [132, 1304],
];
function codewords(text) {
  need(text.length > 0, 'text-length');
  const full = Math.floor(text.length / 3);
  const left = text.length % 3;
  const [side, room] = SYMBOLS.find(([, n]) => n >= 1 + 2 * full + left) ?? refuse('too-long');
  need(/^[0-9A-Z]+$/.test(text), 'text-char');
  const c40 = (c) => DIGITS.indexOf(c) + 4;
  const ascii = (c) => c.charCodeAt(0) + 1;
  const out = [230];
  const pair = (a, b, c) => { const v = 1600 * a + 40 * b + c + 1; out.push(v >> 8, v & 255); };
  for (let i = 0; i < 3 * full; i += 3) pair(c40(text[i]), c40(text[i + 1]), c40(text[i + 2]));
  const last = [...text.slice(3 * full)];
  const free = room - out.length;
  if (free === 2 && left === 2) pair(c40(last[0]), c40(last[1]), 0);
  else if (free === 1 && left === 1) out.push(ascii(last[0]));
  else if (free > 0) out.push(254, ...last.map(ascii));
  if (out.length < room) out.push(129);
  while (out.length < room) {
    const v = 129 + ((149 * (out.length + 1)) % 253) + 1;
    out.push(v > 254 ? v - 254 : v);
  }
  return { side, data: Buffer.from(out) };
}

// Record reference.
const ALIKE = [...'АВЕКМНОРСТУХЅІЈавекмнорстухѕіјΑΒΕΖΗΙΚΜΝΟΡΤΥΧαεικορτχ'];
const LATIN = 'ABEKMHOPCTYXSIJABEKMHOPCTYXSIJABEZHIKMNOPTYXAEIKOPTX';
function latin(c) {
  const at = c.codePointAt(0);
  if (at >= 0xff01 && at <= 0xff5e) return String.fromCodePoint(at - 0xfee0);
  for (const zero of [0x660, 0x6f0, 0x966]) if (at >= zero && at < zero + 10) return String(at - zero);
  return LATIN[ALIKE.indexOf(c)] ?? c;
}
export function parseReference(input) {
  need(Buffer.byteLength(input) <= 1024, 'reference');
  const path = input.split(/[?#]/, 1)[0];
  const page = Math.max(path.lastIndexOf('/d/'), path.lastIndexOf('/D/'));
  const typed = page < 0 ? input : path.slice(page + 3);
  const s = [...typed.replaceAll(/^[\p{P}\p{S}\p{White_Space}\p{Cf}\u30fc]+|[\p{P}\p{S}\p{White_Space}\p{Cf}\u30fc]+$/gu, '')
    .replaceAll(/[\p{Pd}\u2043\u2212\u30fc\p{White_Space}\p{Cf}]/gu, '')].map(latin).join('').replaceAll(/[a-z]/g, (c) => c.toUpperCase());
  need(/^TCR[0-9A-TV-Z]{16}$/.test(s), 'reference');
  const value = [...s.slice(3)].reduce((v, c) => v * 32n + BigInt(CROCKFORD.indexOf({ I: '1', L: '1', O: '0' }[c] ?? c)), 0n);
  return Buffer.from(value.toString(16).padStart(20, '0'), 'hex');
}
export function showReference(raw) {
  let s = '';
  for (let v = number(raw), i = 0; i < 16; i++, v /= 32n) s = CROCKFORD[Number(v % 32n)] + s;
  return `TCR-${s}`;
}

// Each kind returns "ok" or "signature", or throws the reason for a refusal.
const kinds = {
  payload(h, raw) {
    const p = parse(raw);
    const [algorithm, key] = h.key[0].split(' ');
    const good = verifiesWith(p, publicKey(algorithm, unhex(key)));
    if (!good || h.expect[0] !== 'ok') return good ? 'ok' : 'signature';
    const headers = {
      algorithm: p.algorithm, test: p.test, plain: p.plain, issuer: p.issuer, 'key-sequence': p.keySequence,
      reference: showReference(p.reference), 'document-type': p.documentType, 'issued-at': p.issuedAt,
      'status-index': `${p.shard} ${p.entry}`, fingerprint: hex(p.fingerprint), text: encodeText(raw),
      'expires-at': p.expiresAt,
    };
    for (const [k, v] of Object.entries(headers)) same(v === undefined ? v : String(v), h[k]?.[0], k);
    same(hex(encode(p)), hex(raw), 'written again');
    const fields = [
      ...(h.field ?? []),
      ...(h['field-hex'] ?? []).map((f) => f.replace(/=.*/, '=') + unhex(f.replace(/.*=/, ''))),
    ];
    same(p.fields.map((f) => `${f.key}=${f.value}`), fields, 'fields');
    if (h.side[0] !== 'none') same(String(codewords(h.text[0]).side), h.side[0], 'side');
    return 'ok';
  },
  key(h, raw) {
    publicKey(h.algorithm[0], raw);
    return 'ok';
  },
  cose(h, raw) {
    same(hex(coseSign1(parse(unhex(h.payload[0])))), hex(raw), 'COSE_Sign1');
    return 'ok';
  },
  text(h, raw) {
    if (h['text-hex']) return decodeText(unhex(h['text-hex'][0]).toString('latin1')) && 'ok';
    same(hex(decodeText(h.text[0])), hex(raw), 'bytes');
    same(encodeText(raw), h.text[0], 'text');
    return 'ok';
  },
  codewords(h, raw) {
    const { side, data } = codewords(h.text[0]);
    same(String(side), h.side[0], 'side');
    same(hex(data), hex(raw), 'codewords');
    return 'ok';
  },
  reference(h, raw) {
    const r = parseReference(h.input[0]);
    same(hex(r), hex(raw), 'reference');
    same(showReference(r), h.shown[0], 'shown');
    return 'ok';
  },
};
Object.assign(kinds, { ed25519: kinds.payload, es256: kinds.payload, bad: kinds.payload, signature: kinds.payload });

// payload is the class of a vector as this reader finds it.
export function payload(name, file) {
  const { headers, bytes } = textVector(file);
  return kinds[name.split('-')[0]](headers, bytes);
}
