// Stamps files with pdf-lib in one warm process. The arguments are a PNG, a
// folder for the results and how many times to go over the files, whose names
// come on standard input. The first time each file has an answer: "ok NAME" or
// "no NAME REASON".
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { PDFDocument } from "pdf-lib";

const [symbol, dir, passes] = process.argv.slice(2);
const names = readFileSync(0, "utf8").split("\n").filter(Boolean);
const png = readFileSync(symbol);
const mm = 72 / 25.4;

async function stamp(name) {
  const doc = await PDFDocument.load(readFileSync(name), { updateMetadata: false });
  const page = doc.getPages().at(-1);
  const { x, y, width } = page.getCropBox();
  const side = (15 * mm * 44) / 40;
  page.drawImage(await doc.embedPng(png), { x: x + width - 10 * mm - side, y: y + 10 * mm, width: side, height: side });
  return doc.save();
}

console.warn = () => {};
for (let pass = 0; pass < Number(passes); pass++) {
  for (const name of names) {
    try {
      const out = await stamp(name);
      if (pass > 0) continue;
      writeFileSync(join(dir, basename(name)), out);
      console.log("ok", basename(name));
    } catch (err) {
      if (pass === 0) console.log("no", basename(name), String(err?.message ?? err).replaceAll("\n", " "));
    }
  }
}
