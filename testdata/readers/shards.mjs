// Shards, packs, deltas and survivor lists: offline/trust/FORMAT.md section 4.

import { inflateSync } from 'node:zlib';
import { hex, need, refuse, sha256 } from './common.mjs';

const SIZE = 16384;

// inflate reads one whole zlib stream of at most limit bytes.
function inflate(raw, limit) {
  let out;
  try { out = inflateSync(raw, { info: true, maxOutputLength: limit }); } catch (e) {
    refuse(e.code === 'ERR_BUFFER_TOO_LARGE' ? 'size' : 'deflate');
  }
  need(out.engine.bytesWritten === raw.length, 'deflate');
  return out.buffer;
}

// compact reads one shard: its entries, and the rest.
function compact(b) {
  need(b.length >= 2, 'compact');
  const count = b.readUInt16BE();
  const entries = new Uint8Array(4 * SIZE);
  if (count === 0xffff) {
    const dense = b.subarray(2, 2 + SIZE);
    need(dense.length === SIZE, 'compact');
    entries.forEach((_, i) => { entries[i] = (dense[i >> 2] >> (2 * (i % 4))) & 3; });
    need(entries.reduce((n, v) => n + (v ? 1 : 0), 0) > 4096, 'compact');
    return [entries, b.subarray(2 + SIZE)];
  }
  need(count <= 4096, 'compact');
  let at = 2;
  let next = 0;
  const listed = [];
  for (let i = 0; i < count; i++) {
    let gap = 0;
    for (let shift = 0; ; shift += 7) {
      need(at < b.length && shift < 21, 'compact');
      const c = b[at++];
      gap += (c & 127) * 2 ** shift;
      if (c < 128) { need(c !== 0 || shift === 0, 'compact'); break; }
    }
    need(next + gap < 65536, 'compact');
    listed.push(next + gap);
    next += gap + 1;
  }
  const packed = Math.ceil(count / 4);
  need(b.length >= at + packed, 'compact');
  listed.forEach((entry, i) => {
    entries[entry] = (b[at + (i >> 2)] >> (2 * (i % 4))) & 3;
    need(entries[entry] !== 0, 'compact');
  });
  need(count % 4 === 0 || b[at + packed - 1] >> (2 * (count % 4)) === 0, 'compact');
  return [entries, b.subarray(at + packed)];
}

// inflatePack reads one or more shards in transit.
export function inflatePack(raw, most) {
  need(raw.length <= most * 17408, 'size');
  let rest = inflate(raw, most * (2 + SIZE));
  const all = [];
  do {
    need(all.length < most, 'compact');
    let shard;
    [shard, rest] = compact(rest);
    all.push(shard);
  } while (rest.length > 0);
  return all;
}
export const inflateShard = (raw) => inflatePack(raw, 1)[0];

export function shardHash(entries) {
  const b = Buffer.alloc(SIZE);
  entries.forEach((v, i) => { b[i >> 2] |= v << (2 * (i % 4)); });
  return hex(sha256(b));
}

export function parsePack(b) {
  need(b.length <= 13 + 128 * 32, 'too_large');
  need(b.subarray(0, 13).toString('latin1') === 'tcode-pack/1\n' && b.length > 13 && (b.length - 13) % 32 === 0, 'syntax');
  return Array.from({ length: (b.length - 13) / 32 }, (_, i) => hex(b.subarray(13 + 32 * i, 45 + 32 * i)));
}

export function parseDelta(b) {
  need(b.length <= 14 + 4096 * 5, 'too_large');
  need(b.subarray(0, 14).toString('latin1') === 'tcode-delta/1\n' && (b.length - 14) % 5 === 0, 'syntax');
  const all = [];
  let before = -1;
  for (let at = 14; at < b.length; at += 5) {
    const place = b.readUInt32BE(at);
    need(place > before && b[at + 4] <= 3, 'syntax');
    before = place;
    all.push([place >>> 16, place & 0xffff, b[at + 4]]);
  }
  return all;
}

// survivors reads a survivor list.
export function survivors(b) {
  need(b.length % 16 === 0 && b.length <= 16 * 1048576, 'survivors');
  const marks = Array.from({ length: b.length / 16 }, (_, i) => hex(b.subarray(16 * i, 16 * i + 16)));
  need(marks.every((m, i) => i === 0 || marks[i - 1] < m), 'survivors');
  return marks;
}
