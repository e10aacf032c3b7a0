// A second check of a document's binding, written from offline/binding/FORMAT.md
// alone.

import { createCipheriv } from 'node:crypto';
import { hex, need, same, sha256, textVector, unhex } from './common.mjs';
import { parseReference } from './payload.mjs';

const number = '([0-9]{10})';
const MARK = new RegExp(`/TCode<</V (?:1/R/(TCR-[0-9A-HJKMNP-TV-Z]{16})/S ${number}/L ${number}/E ${number}`
  + `|2/R/(TCR-[0-9A-HJKMNP-TV-Z]{16})/S ${number}/L ${number}/E ${number}`
  + '/C/(?:(RC4)/K/((?:[0-9A-F]{2}){10,16})|(AES)/K/((?:[0-9A-F]{2}){16}|(?:[0-9A-F]{2}){32})))>>', 'g');

// marks are the different marks of a reference, in the order of the file.
export function marks(file, reference) {
  const found = new Map();
  for (const m of file.toString('latin1').matchAll(MARK)) {
    const [ref, ...places] = m[1] ? m.slice(1, 5) : m.slice(5, 9);
    const [start, length, end] = places.map(Number);
    if (ref === reference) found.set(m[0], { start, length, end, method: m[9] ?? m[11], key: m[10] ?? m[12] });
  }
  return [...found.values()];
}

// Section 4.
function fingerprint(file, reference, m) {
  if (m.start + m.length > m.end || m.length < 1 || m.end > file.length) return null;
  const u64 = (n) => { const b = Buffer.alloc(8); b.writeBigUInt64BE(BigInt(n)); return b; };
  return sha256('TCode/1', parseReference(reference), u64(m.start), u64(m.length),
    file.subarray(0, m.start), file.subarray(m.start + m.length, m.end)).subarray(0, 16);
}

// Section 3: 4 x 4 pixels a module, 0 dark.
function drawn(side, modules) {
  if (side < 10 || side > 144 || side % 2 !== 0) return null;
  const rows = [];
  for (let y = 0; y < side; y++) {
    const row = Buffer.alloc(side / 2);
    for (let x = 0; x < side; x++) if (modules[y * side + x] === '0') row[x >> 1] |= x % 2 ? 0x0f : 0xf0;
    rows.push(row, row, row, row);
  }
  return Buffer.concat(rows);
}

// Section 7. Node itself has no RC4.
function rc4(key, data) {
  const s = Array.from({ length: 256 }, (_, i) => i);
  for (let i = 0, j = 0; i < 256; i++) { j = (j + s[i] + key[i % key.length]) & 255; [s[i], s[j]] = [s[j], s[i]]; }
  let i = 0, j = 0;
  return Buffer.from(data.map((b) => {
    i = (i + 1) & 255; j = (j + s[i]) & 255; [s[i], s[j]] = [s[j], s[i]];
    return b ^ s[(s[i] + s[j]) & 255];
  }));
}
function hole(file, m, pixels) {
  if (!m.method || !pixels) return pixels;
  const key = unhex(m.key);
  if (m.method === 'RC4') return rc4(key, pixels);
  if (m.start < 16) return null;
  const c = createCipheriv(`aes-${8 * key.length}-cbc`, key, file.subarray(m.start - 16, m.start)); // pads by PKCS #7
  return Buffer.concat([c.update(pixels), c.final()]);
}

// check is section 5: state, case, and the number of bytes after it.
export function check(file, reference, wanted, side, modules) {
  const all = marks(file, reference);
  if (all.length === 0) return ['not_checked', 'no_mark', 0];
  if (all.length > 8) return ['mismatch', 'marks', 0];
  const pixels = drawn(side, modules);
  let repainted = false;
  for (const m of all) {
    if (fingerprint(file, reference, m)?.equals(wanted) !== true) continue;
    if (hole(file, m, pixels)?.equals(file.subarray(m.start, m.start + m.length)) !== true) { repainted = true; continue; }
    const rest = file.subarray(m.end);
    if (rest.length === 0) return ['match', 'match', 0];
    if (rest.includes('/ByteRange') && rest.includes('%%EOF')) return ['appended', 'signed', rest.length];
    return ['appended', rest.includes('/TCode<</V ') ? 'stamped' : 'appended', rest.length];
  }
  return ['mismatch', repainted ? 'repainted' : 'fingerprint', 0];
}

// binding is the class of a vector as this reader finds it.
export function binding(name, raw) {
  const { headers: h, bytes } = textVector(raw);
  need(hex(unhex(h.fingerprint[0])).length === 32, 'vector');
  const [state, word, follow] = check(bytes, h.reference[0], unhex(h.fingerprint[0]), Number(h.side[0]), h.modules[0]);
  same([word, String(follow)], [h.case[0], h.appended[0]], 'case and bytes');
  return state;
}
