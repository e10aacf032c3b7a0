// Draws the first page of each PDF that standard input names, a path a line, in
// the resolution given, and writes the picture beside it as .pdfjs.pgm (gray).
// It answers each path with a line: "ok", or the error.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createCanvas } from '@napi-rs/canvas';
import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';

const home = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
const scale = Number(process.argv[2]) / 72;
const maxPixels = 4e6;

function write(path, canvas) {
	const { width: w, height: h } = canvas;
	const { data } = canvas.getContext('2d').getImageData(0, 0, w, h);
	const gray = Buffer.alloc(w * h);
	for (let i = 0; i < gray.length; i++) {
		gray[i] = 0.299 * data[4 * i] + 0.587 * data[4 * i + 1] + 0.114 * data[4 * i + 2];
	}
	writeFileSync(path.replace(/pdf$/, 'pdfjs.pgm'), Buffer.concat([Buffer.from(`P5 ${w} ${h} 255\n`), gray]));
}

async function draw(path) {
	const task = getDocument({
		data: new Uint8Array(readFileSync(path)),
		verbosity: VerbosityLevel.ERRORS,
		standardFontDataUrl: join(home, 'standard_fonts/'),
		cMapUrl: join(home, 'cmaps/'),
		wasmUrl: join(home, 'wasm/'),
		iccUrl: join(home, 'iccs/'),
	});
	try {
		const page = await (await task.promise).getPage(1);
		const viewport = page.getViewport({ scale });
		const w = Math.round(viewport.width), h = Math.round(viewport.height);
		if (!(w >= 1 && h >= 1 && w * h <= maxPixels)) {
			throw new Error(`page of ${w} by ${h} pixels`);
		}
		const canvas = createCanvas(w, h);
		// A viewer keeps on the screen everything that it drew before an error.
		await page.render({ canvas, viewport }).promise.catch(() => {});
		write(path, canvas);
	} finally {
		await task.destroy();
	}
}

for (const path of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
	const said = await draw(path).then(() => 'ok', (e) => String(e.message ?? e).split('\n')[0]);
	console.log(said || 'unknown error');
}
