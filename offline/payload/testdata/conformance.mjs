// A second reader of TCode payloads, written from FORMAT.md alone, with
// nothing but Node's own modules. It runs every vector of a folder and prints
// one line for each: "<name> <class>", the class as it finds it itself.
//
//   node conformance.mjs ../../../testdata/vectors/payload

import { createPublicKey, verify } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

class Refused extends Error {
  constructor(kind) { super(kind); this.kind = kind; }
}
const refuse = (kind) => { throw new Refused(kind); };
const need = (condition, kind) => { if (!condition) refuse(kind); };

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const EPOCH = 1577836800;
const MAX_LENGTH = 4481;
const number = (bytes) => bytes.reduce((n, b) => n * 256n + BigInt(b), 0n);
const digits = (n, count) => {
  let s = '';
  for (let i = 0; i < count; i++) { s = DIGITS[Number(n % 36n)] + s; n /= 36n; }
  return n === 0n ? s : null;
};
const instant = (seconds) => new Date((EPOCH + seconds) * 1000).toISOString().replace('.000Z', 'Z');

// FORMAT.md, Layout.
function parse(raw) {
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
      let value;
      const bytes = take(take(1)[0]);
      try {
        value = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      } catch { refuse('field-value'); }
      p.fields.push({ key, value });
    }
  }
  p.fingerprint = take(16);
  p.core = raw.subarray(0, at);
  p.signature = take(64);
  need(at === raw.length, 'trailing');
  return p;
}

// FORMAT.md, Signature.
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

// FORMAT.md, Public keys.
const ED_P = 2n ** 255n - 19n;
const P256_N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const power = (b, e, m) => {
  let r = 1n;
  for (b %= m; e > 0n; e >>= 1n) { if (e & 1n) r = (r * b) % m; b = (b * b) % m; }
  return r;
};
const ORDER8 = 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
function publicKey(algorithm, raw) {
  if (algorithm === 'Ed25519') {
    need(raw.length === 32, 'public-key');
    const y = number(Buffer.from(raw).reverse()) & (2n ** 255n - 1n);
    need(y < ED_P, 'public-key');
    need(![0n, 1n, ED_P - 1n, ORDER8, ED_P - ORDER8].includes(y), 'public-key');
    const d = ((ED_P - 121665n) * power(121666n, ED_P - 2n, ED_P)) % ED_P;
    const square = ((y * y - 1n + ED_P) * power(d * y * y + 1n, ED_P - 2n, ED_P)) % ED_P;
    need(power(square, (ED_P - 1n) / 2n, ED_P) === 1n, 'public-key');
    return createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') } });
  }
  need(raw.length === 65 && raw[0] === 4, 'public-key');
  try {
    const [x, y] = [raw.subarray(1, 33), raw.subarray(33)].map((b) => b.toString('base64url'));
    return createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
  } catch { return refuse('public-key'); }
}
function verifies(p, algorithm, key) {
  if (p.algorithm !== algorithm) return false;
  if (algorithm === 'Ed25519') return verify(null, toSign(p), key, p.signature);
  if (number(p.signature.subarray(32)) > P256_N / 2n) return false;
  return verify('sha256', toSign(p), { key, dsaEncoding: 'ieee-p1363' }, p.signature);
}

// FORMAT.md, Text form.
const CHARS = [0, 2, 4, 5, 7, 8, 10, 11, 13, 14];
function encodeText(raw) {
  let s = '';
  for (let i = 0; i < raw.length; i += 9) {
    const block = raw.subarray(i, i + 9);
    s += digits(number(block), CHARS[block.length]);
  }
  return s;
}
function decodeText(s) {
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

// FORMAT.md, Codewords.
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

// FORMAT.md, Record reference.
function parseReference(input) {
  need(Buffer.byteLength(input) <= 64, 'reference');
  const s = input.toUpperCase().replaceAll(/[- ]/g, '');
  need(/^TCR[0-9A-TV-Z]{16}$/.test(s), 'reference');
  const value = [...s.slice(3)].reduce((v, c) => v * 32n + BigInt(CROCKFORD.indexOf({ I: '1', L: '1', O: '0' }[c] ?? c)), 0n);
  return Buffer.from(value.toString(16).padStart(20, '0'), 'hex');
}
function showReference(raw) {
  let s = '';
  for (let v = number(raw), i = 0; i < 16; i++, v /= 32n) s = CROCKFORD[Number(v % 32n)] + s;
  return `TCR-${s}`;
}

const same = (got, want, what) => { if (String(got) !== String(want)) throw new Error(`${what}: ${got}, want ${want}`); };
const hex = (b) => b.toString('hex');

// Each kind returns "ok" or "signature", or throws what it refuses.
const kinds = {
  payload(h, raw) {
    const p = parse(raw);
    const [algorithm, key] = h.key[0].split(' ');
    const good = verifies(p, algorithm, publicKey(algorithm, Buffer.from(key, 'hex')));
    if (!good || h.expect[0] !== 'ok') return good ? 'ok' : 'signature';
    const headers = {
      algorithm: p.algorithm, test: p.test, plain: p.plain, issuer: p.issuer, 'key-sequence': p.keySequence,
      reference: showReference(p.reference), 'document-type': p.documentType, 'issued-at': p.issuedAt,
      'status-index': `${p.shard} ${p.entry}`, fingerprint: hex(p.fingerprint), text: encodeText(raw),
      'expires-at': p.expiresAt,
    };
    for (const [k, v] of Object.entries(headers)) same(v, h[k]?.[0], k);
    const fields = [
      ...(h.field ?? []),
      ...(h['field-hex'] ?? []).map((f) => f.replace(/=.*/, '=') + Buffer.from(f.replace(/.*=/, ''), 'hex')),
    ];
    same(JSON.stringify(p.fields.map((f) => `${f.key}=${f.value}`)), JSON.stringify(fields), 'fields');
    if (h.side[0] !== 'none') same(codewords(h.text[0]).side, h.side[0], 'side');
    return 'ok';
  },
  key(h, raw) {
    publicKey(h.algorithm[0], raw);
    return 'ok';
  },
  cose(h, raw) {
    same(hex(coseSign1(parse(Buffer.from(h.payload[0], 'hex')))), hex(raw), 'COSE_Sign1');
    return 'ok';
  },
  text(h, raw) {
    if (h['text-hex']) return decodeText(Buffer.from(h['text-hex'][0], 'hex').toString('latin1')) && 'ok';
    same(hex(decodeText(h.text[0])), hex(raw), 'bytes');
    same(encodeText(raw), h.text[0], 'text');
    return 'ok';
  },
  codewords(h, raw) {
    const { side, data } = codewords(h.text[0]);
    same(side, h.side[0], 'side');
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

const folder = process.argv[2];
for (const name of readdirSync(folder).sort()) {
  const file = readFileSync(join(folder, name), 'utf8');
  const split = file.indexOf('\n\n');
  const headers = {};
  for (const line of file.slice(0, split).split('\n')) {
    const at = line.indexOf(': ');
    (headers[line.slice(0, at)] ??= []).push(line.slice(at + 2));
  }
  const body = Buffer.from(file.slice(split).replaceAll('\n', ''), 'hex');
  let found;
  try {
    found = kinds[name.split('-')[0]](headers, body);
  } catch (err) {
    found = err instanceof Refused ? err.kind : `broken (${err.message})`;
  }
  console.log(`${name} ${found}`);
}
