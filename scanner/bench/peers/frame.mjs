// Times our reader, built as WebAssembly, and zxing-wasm on the frames of a
// camera, turn by turn in one process. Each line of standard input names a
// gzipped PGM file; each line of standard output is JSON with both answers.
//
//   ls *.pgm.gz | node frame.mjs frame.wasm wasm_exec.js
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { gunzipSync } from "node:zlib";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";

const require = createRequire(import.meta.url);
const wasm = await readFile(require.resolve("zxing-wasm/reader/zxing_reader.wasm"));
prepareZXingModule({ overrides: { wasmBinary: wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength) } });
const options = { formats: ["DataMatrix"], tryHarder: true, maxNumberOfSymbols: 1, textMode: "Plain" };

const [program, exec] = process.argv.slice(2);
globalThis.require = require; // wasm_exec.js wants node's modules in global names
globalThis.fs = require("node:fs");
require(exec);
const go = new globalThis.Go();
const { instance } = await WebAssembly.instantiate(await readFile(program), go.importObject);
go.run(instance);

const own = (pgm, head, w, h) => globalThis.tcodeRead(pgm.subarray(head), w, h);
const peer = async (pgm) => (await readBarcodes(pgm, options)).find((b) => b.isValid)?.text ?? "";

let rounds = 3; // the first frame warms both up
for await (const file of createInterface({ input: process.stdin })) {
  const pgm = new Uint8Array(gunzipSync(await readFile(file)));
  const [head, w, h] = /^P5\s(\d+)\s(\d+)\s\d+\s/.exec(Buffer.from(pgm.subarray(0, 60)).toString("latin1"));
  const answer = {};
  for (; rounds > 0; rounds--) {
    let start = performance.now();
    answer.Own = own(pgm, head.length, Number(w), Number(h));
    answer.OwnMs = performance.now() - start;
    start = performance.now();
    answer.Peer = await peer(pgm);
    answer.PeerMs = performance.now() - start;
  }
  rounds = 1;
  console.log(JSON.stringify(answer));
}
process.exit(0); // our program waits for calls forever
