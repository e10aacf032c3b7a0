// A second reader of export files, written from offline/trustbook/FORMAT.md and
// offline/trust/FORMAT.md alone.

import { hex, need, refuse, same, sha256, textVector } from './common.mjs';
import { inflatePack, shardHash, survivors } from './shards.mjs';
import { apply, bundle, pin, present, status } from './trust.mjs';

const MOST = { root: 65536, timestamp: 4096, bundle: 16777216, status: 65536, pack: 2228224, survivors: 16777216 };
const HEAD = 'tcode-trust-export/1\n';

// parts cuts a file into its entries.
export function parts(file) {
  need(file.length <= 256 * 1048576 && file.subarray(0, HEAD.length).toString('latin1') === HEAD, 'export');
  const set = { root: [], pack: [], survivors: [] };
  for (let at = HEAD.length; ;) {
    const end = file.indexOf(10, at);
    need(end >= 0 && end - at < 128, 'export');
    const line = file.subarray(at, end).toString('latin1');
    if (line === 'end') {
      need(end + 1 === file.length, 'export');
      break;
    }
    const [, kind, name, digits] = line.match(/^([a-z]+) ([^ ]*) ([0-9]+)$/) ?? refuse('export');
    const size = Number(digits);
    need(Object.hasOwn(MOST, kind) && size <= MOST[kind], 'export');
    const data = file.subarray(end + 1, end + 1 + size);
    need(file[end + 1 + size] === 10, 'export');
    at = end + size + 2;
    if (kind === 'root' || kind === 'pack') need(name === String(set[kind].length + (kind === 'root' ? 1 : 0)), 'export');
    if (Array.isArray(set[kind])) { set[kind].push(data); continue; }
    need(set[kind] === undefined && name === '-', 'export');
    set[kind] = data;
  }
  need(set.root.length > 0 && set.timestamp && set.bundle && set.status, 'export');
  return set;
}

// imported is the state of a device that held nothing. kept has its roots, also if
// the rest is refused.
export function imported(file, wanted, kept = {}) {
  const set = parts(file);
  let s = pin(set.root.slice(0, 33), wanted);
  s = apply(s, { roots: set.root.slice(33), packs: new Map(), shards: new Map() });
  kept.roots = s.roots.length;
  const online = present(s).online;
  const st = status(set.status, s.fingerprint, online);
  need(set.pack.length === st.packs.length, 'export');
  const u = { roots: [], timestamp: set.timestamp, bundle: set.bundle, status: set.status, packs: new Map(), shards: new Map() };
  s.shards = []; // the shards of the file, already checked by hash
  set.pack.forEach((raw, n) => {
    let hashes;
    try { hashes = inflatePack(raw, Math.min(128, st.shards - 128 * n)).map(shardHash); } catch { refuse('hash'); }
    const p = Buffer.concat([Buffer.from('tcode-pack/1\n'), Buffer.from(hashes.join(''), 'hex')]);
    need(hex(sha256(p)) === st.packs[n], 'hash');
    s.shards.push(...hashes);
  });
  const after = apply(s, u);
  const named = bundle(set.bundle, s.fingerprint, online).tenants.flatMap((t) => t.keys).map((k) => k.survivors);
  for (const raw of set.survivors) if (named.includes(hex(sha256(raw)))) survivors(raw);
  return after;
}

// exported is the class of a vector as this reader finds it.
export function exported(name, raw) {
  const { headers: h, bytes } = textVector(raw);
  const kept = { roots: 0 };
  try {
    imported(bytes, h.pin?.[0], kept);
  } finally {
    same(String(kept.roots), h.roots[0], 'roots');
  }
  return 'ok';
}
