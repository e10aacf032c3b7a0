// Shared by all readers here: refusals, digests, strict texts, and vector files.
// Nothing but Node's own modules.

import { createHash } from 'node:crypto';

// A Refused has the word of the document for the reason.
export class Refused extends Error {
  constructor(kind, member) { super(kind); this.kind = kind; this.member = member; }
}
export const refuse = (kind, member) => { throw new Refused(kind, member); };
export const need = (condition, kind, member) => { if (!condition) refuse(kind, member); };

export const sha256 = (...parts) => parts.reduce((h, p) => h.update(p), createHash('sha256')).digest();
export const hex = (b) => b.toString('hex');
export const unhex = (s) => Buffer.from(s, 'hex');
export const number = (bytes) => bytes.reduce((n, b) => n * 256n + BigInt(b), 0n);

// utf8 decodes strictly, and keeps a U+FEFF at the start.
export function utf8(bytes, kind) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse(kind);
  }
}

// base64 decodes standard Base64 with padding. In the strict form the bits that are
// left over are 0.
export function base64(s, kind, strict = true) {
  need(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(s), kind);
  const b = Buffer.from(s, 'base64');
  need(!strict || b.toString('base64') === s, kind);
  return b;
}

// same throws if a vector says another thing; the runner prints it as broken.
export const same = (got, want, what) => {
  if (JSON.stringify(got) !== JSON.stringify(want)) throw new Error(`${what}: ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
};

// textVector reads a vector with header lines: all values of each key, and the body.
export function textVector(raw) {
  const end = raw.indexOf('\n\n');
  const headers = {};
  for (const line of raw.subarray(0, end).toString().split('\n')) {
    const at = line.indexOf(': ');
    (headers[line.slice(0, at)] ??= []).push(line.slice(at + 2));
  }
  const body = raw.subarray(end + 2);
  return { headers, body, bytes: unhex(body.toString().replace(/\s/g, '')) };
}
