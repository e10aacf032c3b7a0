// A second reader of signed Trust documents, written from
// server/issue/trustdoc/FORMAT.md alone.

import { createPublicKey } from 'node:crypto';
import { hex, need, sha256, textVector, unhex, utf8 } from './common.mjs';
import { publicKey, verifies } from './keys.mjs';

// Text: the members in their order.
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

// RFC 8785, for values without numbers: it is defined by JavaScript's own strings,
// and sort() without a function is by UTF-16 code units.
function canonical(v) {
  if (typeof v !== 'object' || v === null) return JSON.stringify(v);
  return '{' + Object.keys(v).sort().map((k) => JSON.stringify(k) + ':' + canonical(v[k])).join(',') + '}';
}

// isTime: a day and a time of the calendar. Date carries 30 February over into
// March, which toISOString shows.
const isTime = (s) => !Number.isNaN(Date.parse(s)) && new Date(s).toISOString() === s.replace('Z', '.000Z');

function parse(bytes) {
  const text = utf8(bytes, 'text');
  let m;
  try { m = JSON.parse(text); } catch { need(false, 'text'); }
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

// Signature.
function signed(bytes, key, signature) {
  need(verifies(key, Buffer.concat([Buffer.from('TCode-Trust/1\n'), bytes]), signature), 'signature');
}

// document is the class of a vector as this reader finds it.
export function document(name, file) {
  const { headers: h, body } = textVector(file);
  parse(body);
  signed(body, publicKey(h.algorithm[0], unhex(h.key[0])), unhex(h.signature[0]));
  return 'ok';
}

// keyOf is the key of the reference data: PEM, as any library reads it.
function keyOf(k, algorithm) {
  const jwk = createPublicKey(k.publicKeyPem).export({ format: 'jwk' });
  const part = (s) => Buffer.from(s, 'base64url');
  return publicKey(algorithm, algorithm === 'Ed25519' ? part(jwk.x) : Buffer.concat([Buffer.from([4]), part(jwk.x), part(jwk.y)]));
}

// To check a record.
export function record(d, keys) {
  const s = d.signature;
  const bytes = Buffer.from(s.canonical);
  const m = parse(bytes);
  need(m.keyId === s.keyId, 'key');
  const key = keys.find((k) => k.keyId === s.keyId);
  need(key && key.tenantReference === m.issuer, 'key');
  need(s.algorithm === { EdDSA: 'Ed25519', ES256: 'ES256' }[key.alg], 'key');
  need(/^[A-Za-z0-9_-]{86}$/.test(s.value), 'signature');
  signed(bytes, keyOf(key, s.algorithm), Buffer.from(s.value, 'base64url'));
  need(hex(sha256(bytes)) === d.contentSha256, 'fingerprint');
  const says = { // the values of the text that the record repeats
    documentTitle: d.documentTitle ?? '', documentType: d.documentTypeCode, issuedAt: d.issuedAt, pdfSha256: d.pdfSha256 ?? '',
    recipientName: d.recipientName, reference: d.reference, replaces: d.replaces ?? '', stamp: d.stamp?.reference ?? '', test: d.test,
  };
  need(Object.entries(says).every(([k, v]) => m[k] === v), 'record');
  need(d.fields.length === Object.keys(m.fields).length && d.fields.every((f) => Object.hasOwn(m.fields, f.key) && m.fields[f.key] === f.value), 'record');
}
