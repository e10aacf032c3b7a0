// A second reader of signed Trust documents, written from FORMAT.md alone, with
// nothing but Node's own modules.
//
//   node conformance.mjs vectors ../../../../testdata/vectors/document
//       one line for each vector of a folder: "<name> <class>", the class as it
//       finds it itself
//   node conformance.mjs records KEYS.json RECORDS.json
//       KEYS.json is the answer of GET /v1/reference-data/public-keys,
//       RECORDS.json a list of documents as the gateway's API gives them; one
//       line for each: "<reference> <class>"

import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

class Refused extends Error {
  constructor(kind) { super(kind); this.kind = kind; }
}
const need = (condition, kind) => { if (!condition) throw new Refused(kind); };

// FORMAT.md, Text: the members in their order.
const TEXTS = ['documentTitle', 'documentType', 'expiresAt', 'format', 'issuedAt', 'issuer', 'keyId', 'pdfSha256', 'recipientName',
  'reference', 'replaces', 'stamp'];
const MEMBERS = [...TEXTS, 'fields', 'test'].sort();
const REFERENCE = '[0-9A-HJKMNP-TV-Z]{16}'; // Crockford's base 32
const FORMS = {
  documentType: /^[0-9A-Z]{3}$/,
  expiresAt: /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z)?$/,
  format: /^TCode-Trust\/1$/,
  issuedAt: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/,
  issuer: /^[0-9A-Z]{6}$/,
  keyId: /^[0-9A-Z]{6}-(0|[1-9]\d{0,2})$/,
  pdfSha256: /^([0-9a-f]{64})?$/,
  recipientName: /./su,
  reference: new RegExp(`^TRF-${REFERENCE}$`),
  replaces: new RegExp(`^(TRF-${REFERENCE})?$`),
  stamp: new RegExp(`^(TCR-${REFERENCE})?$`),
};

// RFC 8785, for what has no numbers: JavaScript's own strings are what it is
// defined by, and sort() without a function is by UTF-16 code units.
function canonical(v) {
  if (typeof v !== 'object' || v === null) return JSON.stringify(v);
  return '{' + Object.keys(v).sort().map((k) => JSON.stringify(k) + ':' + canonical(v[k])).join(',') + '}';
}

// isTime: a day and a time of the calendar. Date carries 30 February over into
// March, which toISOString shows.
const isTime = (s) => !Number.isNaN(Date.parse(s)) && new Date(s).toISOString() === s.replace('Z', '.000Z');

function parse(bytes) {
  let text, m;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    m = JSON.parse(text);
  } catch {
    throw new Refused('text');
  }
  need(typeof m === 'object' && m !== null && !Array.isArray(m), 'text');
  need(Object.keys(m).sort().join() === MEMBERS.join(), 'text');
  need(TEXTS.every((k) => typeof m[k] === 'string') && typeof m.test === 'boolean', 'text');
  need(typeof m.fields === 'object' && m.fields !== null && !Array.isArray(m.fields), 'text');
  need(Object.values(m.fields).every((v) => typeof v === 'string'), 'text');
  need([...TEXTS.map((k) => m[k]), ...Object.entries(m.fields).flat()].every((s) => s.isWellFormed()), 'text');
  need(Object.entries(FORMS).every(([k, form]) => form.test(m[k])), 'text');
  need(isTime(m.issuedAt) && (m.expiresAt === '' || isTime(m.expiresAt) && m.expiresAt > m.issuedAt), 'text');
  need(m.keyId.startsWith(m.issuer + '-') && Number(m.keyId.slice(7)) < 256, 'text');
  need(Buffer.from(canonical(m)).equals(bytes), 'text'); // one text only
  return m;
}

// FORMAT.md, Signature.
const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
function signed(bytes, algorithm, key, signature) {
  need(signature.length === 64, 'signature');
  const message = Buffer.concat([Buffer.from('TCode-Trust/1\n'), bytes]);
  if (algorithm === 'Ed25519') {
    need(key.asymmetricKeyType === 'ed25519' && verify(null, message, key, signature), 'signature');
    return;
  }
  need(algorithm === 'ES256' && key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails.namedCurve === 'prime256v1', 'signature');
  need(BigInt('0x' + signature.subarray(32).toString('hex')) <= N / 2n, 'signature');
  need(verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, signature), 'signature');
}

const classOf = (check) => {
  try {
    check();
    return 'ok';
  } catch (e) {
    if (!(e instanceof Refused)) throw e;
    return e.kind;
  }
};

function rawKey(algorithm, bytes) {
  const b64 = (from, to) => bytes.subarray(from, to).toString('base64url');
  const jwk = algorithm === 'Ed25519' ? { kty: 'OKP', crv: 'Ed25519', x: b64(0) } : { kty: 'EC', crv: 'P-256', x: b64(1, 33), y: b64(33) };
  return createPublicKey({ key: jwk, format: 'jwk' });
}

function vectors(folder) {
  for (const name of readdirSync(folder).sort()) {
    const raw = readFileSync(join(folder, name));
    const end = raw.indexOf('\n\n');
    const header = Object.fromEntries(raw.subarray(0, end).toString().split('\n').map((line) => line.split(/: (.*)/s)));
    const body = raw.subarray(end + 2);
    console.log(name, classOf(() => {
      parse(body);
      signed(body, header.algorithm, rawKey(header.algorithm, Buffer.from(header.key, 'hex')), Buffer.from(header.signature, 'hex'));
    }));
  }
}

// FORMAT.md, To check a record.
function record(d, keys) {
  const s = d.signature;
  const bytes = Buffer.from(s.canonical);
  const m = parse(bytes);
  need(m.keyId === s.keyId, 'key');
  const key = keys.find((k) => k.keyId === s.keyId);
  need(key && key.tenantReference === m.issuer, 'key');
  need(s.algorithm === { EdDSA: 'Ed25519', ES256: 'ES256' }[key.alg], 'key');
  need(/^[A-Za-z0-9_-]{86}$/.test(s.value), 'signature');
  signed(bytes, s.algorithm, createPublicKey(key.publicKeyPem), Buffer.from(s.value, 'base64url'));
  need(createHash('sha256').update(bytes).digest('hex') === d.contentSha256, 'fingerprint');
  const says = { // what the record repeats of the text
    documentTitle: d.documentTitle ?? '', documentType: d.documentTypeCode, issuedAt: d.issuedAt, pdfSha256: d.pdfSha256 ?? '',
    recipientName: d.recipientName, reference: d.reference, replaces: d.replaces ?? '', stamp: d.stamp?.reference ?? '', test: d.test,
  };
  need(Object.entries(says).every(([k, v]) => m[k] === v), 'record');
  need(d.fields.length === Object.keys(m.fields).length && d.fields.every((f) => Object.hasOwn(m.fields, f.key) && m.fields[f.key] === f.value), 'record');
}

const [mode, ...args] = process.argv.slice(2);
if (mode === 'vectors') {
  vectors(args[0]);
} else {
  const [keys, records] = args.map((file) => JSON.parse(readFileSync(file)));
  for (const d of records) console.log(d.reference, classOf(() => record(d, keys.items)));
}
