// Times our reader, built as WebAssembly, and zxing-wasm on the frames of a
// camera, turn by turn in one page of a browser. browser.mjs serves this file, the
// two programs and the frames (gzipped PGM) and takes the answers back:
//
//   GET /frames         JSON: number of frames
//   GET /frame/{i}      one frame
//   POST /answers       JSON: the answers in order, as frame.mjs writes them
import { prepareZXingModule, readBarcodes } from "/zxing-wasm/es/reader/index.js";

const options = { formats: ["DataMatrix"], tryHarder: true, maxNumberOfSymbols: 1, textMode: "Plain" };
const bytes = async (url) => (await fetch(url)).arrayBuffer();

async function inflated(url) {
  const plain = (await fetch(url)).body.pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}

async function run() {
  prepareZXingModule({ overrides: { wasmBinary: await bytes("/zxing-wasm/reader/zxing_reader.wasm") } });
  const go = new globalThis.Go();
  const { instance } = await WebAssembly.instantiate(await bytes("/frame.wasm"), go.importObject);
  go.run(instance);

  const answers = [];
  const count = await (await fetch("/frames")).json();
  let rounds = 3; // the first frame warms both up
  for (let i = 0; i < count; i++) {
    const pgm = await inflated(`/frame/${i}`);
    const [head, w, h] = /^P5\s(\d+)\s(\d+)\s\d+\s/.exec(new TextDecoder("latin1").decode(pgm.subarray(0, 60)));
    const answer = {};
    for (; rounds > 0; rounds--) {
      let start = performance.now();
      answer.Own = globalThis.tcodeRead(pgm.subarray(head.length), Number(w), Number(h));
      answer.OwnMs = performance.now() - start;
      start = performance.now();
      answer.Peer = (await readBarcodes(pgm, options)).find((b) => b.isValid)?.text ?? "";
      answer.PeerMs = performance.now() - start;
    }
    rounds = 1;
    answers.push(answer);
    document.title = `${i + 1} of ${count}`;
  }
  return { answers };
}

const told = await run().catch((err) => ({ error: String(err?.stack ?? err) }));
await fetch("/answers", { method: "POST", body: JSON.stringify(told) });
