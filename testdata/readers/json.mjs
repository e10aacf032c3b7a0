// JSON as sync/wire/FORMAT.md section 6 reads it: RFC 8259 in UTF-8, no member twice,
// no lone surrogates, and the source of numbers kept.

import { need, refuse, utf8 } from './common.mjs';

const STRING = /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SPACE = /[ \t\n\r]*/y;

// A Num is a number as it was written.
export class Num { constructor(text) { this.text = text; } }

// An Obj is an object: members by name, and the number of source bytes of each value.
export class Obj { constructor() { this.members = new Map(); this.path = ''; } }

export function parseJSON(bytes, kind = 'invalid') {
  const src = utf8Of(bytes, kind);
  let at = 0;
  const bad = () => refuse(kind, '$body');
  const match = (re) => {
    re.lastIndex = at;
    const m = re.exec(src);
    if (!m) bad();
    at = re.lastIndex;
    return m[0];
  };
  const peek = () => { match(SPACE); return src[at]; };
  const string = () => {
    const s = JSON.parse(match(STRING));
    need(s.isWellFormed(), kind, '$body');
    return s;
  };
  const list = (end, item) => {
    at++;
    if (peek() === end) { at++; return; }
    for (;;) {
      item();
      const c = peek();
      at++;
      if (c === end) return;
      if (c !== ',') bad();
    }
  };
  const value = (path) => {
    const c = peek();
    const from = at;
    let v;
    if (c === '{') {
      v = new Obj();
      list('}', () => {
        peek();
        const name = string();
        const inner = path ? `${path}.${name}` : name;
        need(!v.members.has(name), kind, inner);
        if (peek() !== ':') bad();
        at++;
        v.members.set(name, value(inner));
      });
      v.size = Buffer.byteLength(src.slice(from, at));
    } else if (c === '[') {
      v = [];
      list(']', () => v.push(value(`${path}[${v.length}]`)));
    } else if (c === '"') v = string();
    else if (c === '-' || (c >= '0' && c <= '9')) v = new Num(match(NUMBER));
    else {
      const word = ['true', 'false', 'null'].find((w) => src.startsWith(w, at)) ?? bad();
      at += word.length;
      v = { true: true, false: false, null: null }[word];
    }
    return v;
  };
  const v = value('');
  peek();
  if (at !== src.length) bad();
  return v;
}

function utf8Of(bytes, kind) {
  try { return utf8(bytes, kind); } catch { return refuse(kind, '$body'); }
}
