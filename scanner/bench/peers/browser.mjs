// Times our reader, built as WebAssembly, and zxing-wasm on the frames of a
// camera, turn by turn in one page of a headless browser. Input and output are
// those of frame.mjs.
//
//   ls *.pgm.gz | node browser.mjs chromium frame.wasm wasm_exec.js
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";

const here = import.meta.dirname;
const limitMs = 300_000;
const [browser, program, glue] = process.argv.slice(2);
const frames = [];
for await (const file of createInterface({ input: process.stdin })) if (file) frames.push(file);

const types = { html: "text/html", mjs: "text/javascript", js: "text/javascript", wasm: "application/wasm", gz: "application/octet-stream" };
const fixed = { "/": join(here, "frame.html"), "/frame-browser.mjs": join(here, "frame-browser.mjs"), "/frame.wasm": program, "/wasm_exec.js": glue };

// fileOf says which file an address stands for.
function fileOf(url) {
  if (fixed[url]) return fixed[url];
  if (url.startsWith("/frame/")) return frames[Number(url.slice("/frame/".length))];
  const path = normalize(url);
  return path.startsWith("/zxing-wasm/") ? join(here, "node_modules", "zxing-wasm", "dist", path.slice("/zxing-wasm".length)) : undefined;
}

let told;
const answers = new Promise((resolve) => { told = resolve; });
const server = createServer(async (req, res) => {
  if (req.method === "POST") {
    let body = "";
    for await (const part of req) body += part;
    res.writeHead(204).end();
    told(JSON.parse(body));
    return;
  }
  if (req.url === "/frames") return res.end(JSON.stringify(frames.length));
  try {
    const file = fileOf(req.url);
    res.setHeader("Content-Type", types[file.split(".").pop()] ?? "application/octet-stream");
    res.end(await readFile(file));
  } catch {
    res.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));

// The frames are our own and nothing else is loaded: the browser's sandbox, which
// a super-user cannot start, has nothing to keep out.
const profile = await mkdtemp(join(tmpdir(), "tcode-bench-browser-"));
const page = spawn(browser, [
  "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
  "--disable-background-networking", `--user-data-dir=${profile}`, `http://127.0.0.1:${server.address().port}/`,
], { stdio: "ignore" });
const ended = new Promise((resolve) => page.on("exit", () => resolve({ error: "the browser ended early" })));
page.on("error", (err) => told({ error: String(err) }));
const late = new Promise((resolve) => setTimeout(resolve, limitMs, { error: `no answer in ${limitMs} ms` }));

const got = await Promise.race([answers, ended, late]);
page.kill();
await ended;
await rm(profile, { recursive: true, force: true, maxRetries: 5 });
if (got.error) {
  console.error(`browser.mjs: ${got.error}`);
  process.exit(1);
}
for (const answer of got.answers) console.log(JSON.stringify(answer));
process.exit(0);
