// Signed notes, and the words of their texts: offline/trust/FORMAT.md sections 1
// and 2.

import { base64, need, sha256, utf8 } from './common.mjs';
import { publicKey, verifies } from './keys.mjs';

const keyHash = (name, key) => sha256(name, '\n', key).subarray(0, 4);

// verifierKey reads name+hash+base64.
export function verifierKey(s, kind = 'syntax') {
  const [, name, hash, b64] = s.match(/^([A-Za-z0-9._/-]{1,64})\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/) ?? need(false, kind);
  const raw = base64(b64, kind);
  need(raw.length === 33 && raw[0] === 1 && keyHash(name, raw).toString('hex') === hash, kind);
  try {
    return { text: s, name, hash, public: raw.subarray(1).toString('hex'), key: publicKey('Ed25519', raw.subarray(1)) };
  } catch { return need(false, kind); }
}

// openNote returns the text and those of the keys that have signed it.
export function openNote(bytes, keys) {
  const note = utf8(bytes, 'syntax');
  need(!/[\x00-\x09\x0b-\x1f]/.test(note), 'syntax');
  const split = note.lastIndexOf('\n\n');
  need(split >= 0, 'syntax');
  const text = note.slice(0, split + 1);
  const block = note.slice(split + 2);
  need(block.endsWith('\n'), 'syntax');
  const lines = block.slice(0, -1).split('\n');
  need(lines.length <= 100, 'syntax');
  const signed = new Set();
  for (const line of lines) {
    const [, name, b64] = line.match(/^\u2014 ([^+\p{White_Space}]+) ([^ ]+)$/u) ?? need(false, 'syntax');
    const raw = base64(b64, 'syntax', false);
    need(raw.length >= 5, 'syntax');
    const key = keys.find((k) => k.name === name && k.hash === raw.subarray(0, 4).toString('hex'));
    if (!key || signed.has(key)) continue;
    need(verifies(key.key, Buffer.from(text), raw.subarray(4)), 'signature');
    signed.add(key);
  }
  return { text, signed: [...signed] };
}

// A Lines walks over the lines of a text.
export class Lines {
  constructor(text) { this.lines = text.split('\n').slice(0, -1); this.at = 0; }
  next(name) {
    const line = this.lines[this.at++];
    need(line !== undefined && line.startsWith(name + ' '), 'syntax');
    return line.slice(name.length + 1);
  }
  words(name, n) {
    const words = this.next(name).split(' ');
    need(words.length === n && words.every((w) => /^[\x21-\x7e]+$/.test(w)), 'syntax');
    return words;
  }
  is(name) { return this.at < this.lines.length && this.lines[this.at].startsWith(name + ' '); }
  end() { need(this.at === this.lines.length, 'syntax'); }
}

export function decimal(s, least, limit) {
  need(/^(0|[1-9][0-9]*)$/.test(s) && BigInt(s) >= BigInt(least) && BigInt(s) <= BigInt(limit), 'syntax');
  return Number(s);
}
export const version = (s) => decimal(s, 1, 2n ** 53n - 1n);
export function time(s) {
  need(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/.test(s), 'syntax');
  const ms = Date.parse(s);
  need(!Number.isNaN(ms) && new Date(ms).toISOString() === s.replace('Z', '.000Z') && s > '0001-01-01T00:00:00Z', 'syntax');
  return ms;
}
export const hash = (s) => { need(/^[0-9a-f]{64}$/.test(s), 'syntax'); return s; };
export const optional = (s, read) => (s === '-' ? null : read(s));

const ESCAPED = '\\u{0}-\\u{1f}\\u{7f}-\\u{9f}\\u{ad}\\u{61c}\\u{200b}-\\u{200f}\\u{2028}-\\u{202e}\\u{2060}-\\u{206f}\\u{feff}\\u{fff9}-\\u{fffb}\\u{e0000}-\\u{e007f}';
const MUST = new RegExp(`[${ESCAPED}]|\\\\|^ | $`, 'gu');

// escape writes a text on one line: section 2, "Texts".
export const escape = (s) => s.replace(MUST, (c) => (c === '\\' ? '\\\\' : `\\u{${c.codePointAt(0).toString(16)}}`));

export function text(s) {
  need(/^(?:[^\\]|\\\\|\\u\{[0-9a-f]{1,6}\})+$/u.test(s), 'syntax');
  const plain = s.replace(/\\(?:\\|u\{([0-9a-f]+)\})/g, (_, digits) => {
    if (!digits) return '\\';
    const point = parseInt(digits, 16);
    need(point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff), 'syntax');
    return String.fromCodePoint(point);
  });
  need(escape(plain) === s && Buffer.byteLength(plain) <= 1000, 'syntax');
  return plain;
}
