// Reads Data Matrix symbols with zxing-wasm. Each line of standard input names
// a gzipped PGM file; each line of standard output is JSON with the text that was
// read and its cost. The figures exclude reading and decompressing the file.
//
//   ls *.pgm.gz | node read.mjs [rgba]
//
// With rgba the reader gets the pixels of a canvas, and its default options.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { gunzipSync } from "node:zlib";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";

// The reader would fetch its wasm from the network by default: it lies in the package.
const require = createRequire(import.meta.url);
const wasm = await readFile(require.resolve("zxing-wasm/reader/zxing_reader.wasm"));
prepareZXingModule({ overrides: { wasmBinary: wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength) } });

// All that it can, but one symbol only, as for our reader. tryRotate, tryInvert
// and tryDownscale are on by default.
const rgba = process.argv[2] === "rgba";
const one = { formats: ["DataMatrix"], tryHarder: true, maxNumberOfSymbols: 1, textMode: "Plain" };
const options = rgba ? { formats: ["DataMatrix"], textMode: "Plain" } : one;

// canvas returns a PGM file's pixels as an ImageData.
function canvas(pgm) {
  const [head, w, h] = /^P5\s(\d+)\s(\d+)\s\d+\s/.exec(Buffer.from(pgm.subarray(0, 60)).toString("latin1"));
  const [width, height] = [Number(w), Number(h)];
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let i = 0; i < width * height; i++) data[4 * i] = data[4 * i + 1] = data[4 * i + 2] = pgm[head.length + i];
  return { data, width, height, colorSpace: "srgb" };
}

let warm = false;
for await (const file of createInterface({ input: process.stdin })) {
  const pgm = new Uint8Array(gunzipSync(await readFile(file)));
  const input = rgba ? canvas(pgm) : pgm;
  if (!warm) await readBarcodes(input, options);
  warm = true;
  const cpu = process.cpuUsage();
  const start = performance.now();
  const found = (await readBarcodes(input, options)).filter((b) => b.isValid);
  const WallMs = performance.now() - start;
  const used = process.cpuUsage(cpu);
  console.log(
    JSON.stringify({
      Read: found.length > 0,
      Text: found[0]?.text ?? "",
      Bytes: Buffer.from(found[0]?.bytes ?? []).toString("base64"),
      CPUms: (used.user + used.system) / 1000,
      WallMs,
    }),
  );
}
