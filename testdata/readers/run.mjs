// Runs the readers of this folder, which were written from the format documents
// alone, over vectors. One line a vector: "<name> <class>", the class as the
// reader finds it itself.
//
//   node run.mjs AREA ../vectors/AREA [VECTOR]

import { readFileSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Refused } from './common.mjs';

const readers = {
  binding: ['binding.mjs', 'binding'],
  clock: ['verdict.mjs', 'clock'],
  document: ['document.mjs', 'document'],
  export: ['export.mjs', 'exported'],
  payload: ['payload.mjs', 'payload'],
  status: ['trust.mjs', 'objects'],
  sync: ['sync.mjs', 'sync'],
  trust: ['trust.mjs', 'trust'],
  verdict: ['verdict.mjs', 'verdict'],
};

// classes gives the class of each vector of a folder, in the order of their names, or
// of one.
export async function* classes(area, folder, only) {
  const [file, name] = readers[area];
  const read = (await import(`./${file}`))[name];
  for (const vector of only ? [only] : readdirSync(folder).sort()) {
    let found;
    try {
      found = read(vector, readFileSync(join(folder, vector)));
    } catch (err) {
      found = err instanceof Refused ? err.kind : `broken (${err.message})`;
    }
    yield [vector, found];
  }
}

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  for await (const [vector, found] of classes(...process.argv.slice(2))) console.log(vector, found);
}
