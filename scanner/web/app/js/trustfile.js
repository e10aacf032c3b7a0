// Trust documents that come by file. The first file on a phone names a root, which a person must compare.

import { app, ask } from './app.js';
import { h } from './dom.js';
import { t } from './text.js';

/** fingerprintBox shows a fingerprint in groups of four, as on the sheet. @param {string} fingerprint */
export const fingerprintBox = (fingerprint) => h('p.print-16', { dir: 'ltr' }, (fingerprint.match(/.{4}/g) ?? []).map((g) => h('span', {}, g)));

/** importFile takes a trust file, and reports whether it did: false if the person refused its root. @param {File} file */
export async function importFile(file) {
  try {
    await app.engine.ask('importTrust', { bytes: await file.arrayBuffer() });
    return true;
  } catch (err) {
    const e = /** @type {any} */ (err);
    if (e.code !== 'fingerprint_needed') throw err;
    const fingerprint = e.more.fingerprint;
    const yes = await ask(t('first.import_title'), (close) => [
      h('p', {}, t('enrol.same')), h('div.card', {}, fingerprintBox(fingerprint)), h('p.muted', {}, t('enrol.warn')),
      h('div.buttons.buttons--end', {}, h('button.button.button--grave', { onclick: () => close(false) }, t('enrol.no')), h('button.button.button--main', { onclick: () => close(true) }, t('enrol.yes'))),
    ]);
    if (!yes) return false;
    await app.engine.ask('importTrust', { bytes: await file.arrayBuffer(), fingerprint });
    return true;
  }
}
