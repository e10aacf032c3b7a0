// Which version this is. The engine's hash is computed from the bytes on this phone, not taken from a list.

import about from '../release.js';

export const release = {
  version: /** @type {string} */ (about.version),
  /** bytes of the whole app, as fetched @type {number} */
  bytes: about.bytes,
  /** engineHash returns the SHA-256 of the engine that this page loads, in hexadecimal. */
  async engineHash() {
    const answer = await fetch(new URL('../engine.wasm', import.meta.url));
    const sum = await crypto.subtle.digest('SHA-256', await answer.arrayBuffer());
    return Array.from(new Uint8Array(sum), (b) => b.toString(16).padStart(2, '0')).join('');
  },
};
