// Reads Data Matrix symbols with zxing-wasm and prints one line a file: the
// file's name, a tab, and a JSON array of the texts found.
//
//   node read.mjs page1.png page2.png ...
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";

// The reader would fetch its wasm from the network by default: the package contains it.
const require = createRequire(import.meta.url);
const wasm = await readFile(require.resolve("zxing-wasm/reader/zxing_reader.wasm"));
prepareZXingModule({ overrides: { wasmBinary: wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength) } });

for (const file of process.argv.slice(2)) {
  const found = await readBarcodes(new Uint8Array(await readFile(file)), { formats: ["DataMatrix"], tryHarder: true });
  console.log(`${file}\t${JSON.stringify(found.filter((b) => b.isValid).map((b) => b.text))}`);
}
