// A device in Node against a living gateway: it enrols, proves the time, judges
// papers, sends scans and checks the receipts. It knows the formats from
// their documents alone. One line a step: "<step> ok", or the reason.
//
//   node live.mjs CASE.json
//
// CASE.json has the address of the gateway, papers (reference, payload's text, file,
// and the verdict that is expected), and records of Trust documents.

import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { check, marks } from './binding.mjs';
import { Refused, hex, need, same } from './common.mjs';
import { record } from './document.mjs';
import { decodeText } from './payload.mjs';
import { inflatePack, shardHash } from './shards.mjs';
import { proven, readBatch, readReply, scannerID, signBatch } from './sync.mjs';
import { apply, pin, present, status, timeNote, timestamp } from './trust.mjs';
import { judge } from './verdict.mjs';

const given = JSON.parse(readFileSync(process.argv[2]));
const get = (path) => fetch(given.gateway + path);
const bytesOf = async (answer) => Buffer.from(await answer.arrayBuffer());

async function object(path) {
  const answer = await get('/v1/reference-data/trust-store/' + path);
  need(answer.status === 200, `${answer.status} for ${path}`);
  return bytesOf(answer);
}

const device = { shards: new Map() };
const started = Date.now();
const boot = () => ({ id: 'this run', seconds: Math.floor((Date.now() - started) / 1000) });

// enrol pins the root and takes one complete set.
async function enrol() {
  const roots = [];
  for (;;) {
    const answer = await get(`/v1/reference-data/trust-store/root/${roots.length + 1}`);
    if (answer.status === 404) break;
    need(answer.status === 200, `root: ${answer.status}`);
    roots.push(await bytesOf(answer));
  }
  const s = pin(roots, given.fingerprint);
  const online = present(s).online;
  const u = { roots: [], timestamp: await object('timestamp'), packs: new Map(), shards: new Map() };
  const t = timestamp(u.timestamp, s.fingerprint, online);
  u.bundle = await object(t.bundle.hash);
  u.status = await object(t.status.hash);
  const st = status(u.status, s.fingerprint, online);
  for (const [n, name] of st.packs.entries()) {
    u.packs.set(n, await object(name));
    const all = inflatePack(await object(`packs/${name}`), Math.min(128, st.shards - 128 * n));
    for (const [i, shard] of all.entries()) {
      const number = 128 * n + i;
      device.shards.set(number, shard);
      const raw = await object(shardHash(shard)); // by its own name too
      u.shards.set(number, raw);
    }
  }
  await object(st.delta.hash);
  device.state = apply(s, u);
  need((await get('/v1/reference-data/trust-store/' + '0'.repeat(64))).status === 404, 'an object that is not there');
}

async function proveTime() {
  const nonce = hex(randomBytes(32));
  const asked = boot();
  const note = timeNote(await object(`time?nonce=${nonce}`), device.state.fingerprint, present(device.state).online, nonce);
  device.proof = { time: note.time + 1000, boot: asked };
}

// modules reads the symbol out of the hole of the paper's mark, as a scanner that
// sees it would.
function modules(file, reference) {
  const [m] = marks(file, reference);
  const side = Math.sqrt(m.length / 2);
  let s = '';
  for (let y = 0; y < side; y++) for (let x = 0; x < side; x++) s += (file[m.start + 4 * y * (side / 2) + (x >> 1)] >> (x % 2 ? 0 : 7)) & 1 ? '0' : '1';
  return [side, s];
}

function verdictOf(paper, file) {
  const core = decodeText(paper.text);
  const [side, drawn] = modules(readFileSync(paper.file), paper.reference);
  const fingerprint = core.subarray(core.length - 80, core.length - 64);
  const [binding] = check(file, paper.reference, fingerprint, side, drawn);
  return judge({
    state: device.state, shards: device.shards, survivors: [], remembered: [], payload: core, text: '', binding, bindingDetail: '',
    clock: { now: 0, boot: boot(), proof: device.proof }, policy: { fresh: 0, hard: 0, acceptTest: false, language: 'en' },
  });
}

function judgePapers() {
  for (const paper of given.papers) {
    const file = readFileSync(paper.file);
    const r = verdictOf(paper, file);
    same([r.verdict, r.binding, r.basis, r.clockSuspect], [paper.verdict, 'match', 'proven', true], paper.reference);
    file[100] ^= 1;
    same([verdictOf(paper, file).verdict, verdictOf(paper, Buffer.concat([readFileSync(paper.file), Buffer.from('x')])).binding], ['not_found', 'appended'], 'changed');
  }
}

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x, 'base64url');
const now = () => new Date().toISOString();

// post sends a batch: with the device's headers, unless others are given.
async function post(batch, headers = {}) {
  const body = JSON.stringify(batch);
  const signed = { 'TCode-Batch-Id': batch.batchId, 'TCode-Device-Key': raw.toString('base64'), 'TCode-Batch-Signature': signBatch(readBatch(Buffer.from(body)), privateKey), ...headers };
  for (const name of Object.keys(signed)) if (signed[name] === null) delete signed[name];
  const answer = await fetch(given.gateway + '/v1/tcode/verify/sync', { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...signed } });
  return { status: answer.status, id: answer.headers.get('TCode-Batch-Id'), bytes: await bytesOf(answer), request: readBatch(Buffer.from(body)) };
}

const batchOf = (items, more = {}) => ({ batchId: randomUUID(), scannerId: scannerID(raw), sentAt: now(), items, ...more });

// taken sends a batch and wants its receipt to prove all results.
async function taken(batch, results) {
  const answer = await post(batch);
  same([answer.status, answer.id], [200, batch.batchId], 'answer');
  const reply = readReply(answer.bytes);
  const p = proven(answer.request, reply, present(device.state).online);
  same(reply.results.map((r) => r.result), results, 'results');
  same(p.answered.length, results.length, 'answered');
  return { reply, p };
}

const scans = given.papers.map((paper, i) => ({
  scanId: randomUUID(), seq: i + 1, payload: decodeText(paper.text).toString('base64'), scannedAt: now(), offlineVerdict: paper.verdict, assurance: 'signature_and_status',
  binding: 'match', context: { location: 'Tor é', latitudeE6: -1, longitudeE6: 180000000, note: '\u{1F393}' },
}));
scans.push({ scanId: randomUUID(), seq: scans.length + 1, reference: given.papers[0].reference.toLowerCase(), scannedAt: now() });
scans.push({ scanId: randomUUID(), seq: scans.length + 1, payload: given.papers[0].text, scannedAt: now() });

const steps = {
  enrol,
  'proof of time': proveTime,
  verdicts: judgePapers,
  'signed batch': async () => {
    const { reply } = await taken(batchOf(scans), scans.map(() => 'accepted'));
    same(reply.results.map((r) => r.verdict), [...given.papers.map((p) => p.verdict), given.papers[0].verdict, given.papers[0].verdict], 'verdicts');
  },
  'same scans again': () => taken(batchOf(scans), scans.map(() => 'duplicate')),
  'another scan under an id': () => taken(batchOf([{ ...scans[0], seq: 0, context: { note: 'x' } }]), ['conflict']),
  'no payload': () => taken(batchOf([{ scanId: randomUUID(), payload: 'hello', scannedAt: now() }]), ['rejected']),
  'clock events': async () => {
    const events = [{ eventId: randomUUID(), kind: 'clock_was_ahead', at: now(), was: now(), scans: 2 }];
    const { p } = await taken(batchOf([], { clockEvents: events }), []);
    need(p.clock, 'the receipt says nothing of the clock events');
  },
  'unsigned under the name of a device': async () => {
    const answer = await post(batchOf(scans), { 'TCode-Device-Key': null, 'TCode-Batch-Signature': null });
    const reply = readReply(answer.bytes);
    same([answer.status, reply.receipt, reply.results.map((r) => r.result)], [200, '', scans.map(() => 'accepted')], 'answer');
  },
  'unsigned under another name': async () => {
    const answer = await post({ ...batchOf(scans), scannerId: 'gate4@' + randomUUID() }, { 'TCode-Device-Key': null, 'TCode-Batch-Signature': null });
    proven(answer.request, readReply(answer.bytes), present(device.state).online);
  },
  'signature of another batch': async () => {
    const other = signBatch(readBatch(Buffer.from(JSON.stringify(batchOf(scans)))), privateKey);
    const batch = batchOf(scans);
    const answer = await post(batch, { 'TCode-Batch-Signature': other });
    same([answer.status, answer.id], [401, batch.batchId], 'answer');
  },
  'a key without a signature': async () => same((await post(batchOf(scans), { 'TCode-Batch-Signature': null })).status, 401, 'status'),
  'another batch id in the header': async () => same((await post(batchOf(scans), { 'TCode-Batch-Id': 'other' })).status, 400, 'status'),
  'no batch id in the header': async () => same((await post(batchOf(scans), { 'TCode-Batch-Id': null })).status, 200, 'status'),
  'a bad body': async () => {
    const answer = await fetch(given.gateway + '/v1/tcode/verify/sync', { method: 'POST', body: JSON.stringify({ ...batchOf([]), items: [{}] }), headers: { 'Content-Type': 'application/json' } });
    same([answer.status, Object.keys((await answer.json()).errors)], [400, ['items[0].payload', 'items[0].scanId', 'items[0].scannedAt']], 'answer');
  },
  'Trust documents': async () => {
    const keys = JSON.parse(await bytesOf(await get('/v1/reference-data/public-keys')));
    for (const d of given.records) record(d, keys.items);
  },
};

for (const [name, step] of Object.entries(steps)) {
  try {
    await step();
    console.log(name, 'ok');
  } catch (e) {
    console.log(name, e instanceof Refused ? `refused: ${e.kind} ${e.member ?? ''}` : e.stack);
    process.exitCode = 1;
  }
}
