// The page /verify: a file that a person drops, chooses or pastes is read here and judged, and the answer is shown. The
// file is not sent anywhere.
import { judge } from './engine.js';
import { byFingerprint } from './gateway.js';
import { facts, lastDay, reading, show } from './show.js';

const answers = document.getElementById('answers');
const drop = document.getElementById('drop');
const input = document.getElementById('file');
const { engine, root, language } = answers.dataset;
const maxFile = 25 << 20; // bytes, as the engine takes them
let turn = 0; // of the newest file: answers about older ones are not shown

// By the advice of a screen of the engine: the answer of this page. What is not here is unverified.
const keys = {
  rely: 'valid', refresh_first: 'stale', compare_lines: 'compare', compare_copy: 'contents', look_at_added: 'added',
  forged: 'forged', other_file: 'other_file', withdrawn: 'revoked', newer: 'replaced', suspended: 'suspended', ended: 'expired',
  too_old: 'too_old', unknown_issuer: 'unknown_issuer', no_tcode: 'no_tcode',
};

// ofScreen turns a screen of the engine into an answer.
function ofScreen(screen) {
  let key = keys[screen.advice] ?? 'unverified';
  if (key === 'added' && screen.headline === 'restamped') key = 'restamped';
  if (key === 'valid' && (screen.headline !== 'valid' || screen.stale)) key = 'stale';
  const issuer = screen.issuer?.name ?? '';
  const expiresAt = screen.expiresAt ?? '';
  const ended = screen.adviceValues?.at ?? expiresAt;
  return {
    key,
    values: { issuer, code: screen.adviceValues?.code ?? '', date: ended ? lastDay(ended) : '' },
    asOf: screen.status?.asOf, old: screen.status?.old, reference: screen.reference,
    facts: issuer ? facts(screen.fields, { document: screen.document?.name, issuer, issuedAt: screen.issuedAt, expiresAt, reference: screen.reference }) : [],
  };
}

// ofRecord turns the gateway's record of a file into an answer.
function ofRecord({ key, found }) {
  if (!found) return { key };
  const { issuerName: issuer, issuedAt, expiresAt, reference, documentTypeNames: names, documentType } = found;
  return {
    key, asOf: found.statusAsOf, reference,
    values: { issuer, date: expiresAt ? lastDay(expiresAt) : '' },
    facts: facts(found.fields, { document: names?.[language] ?? names?.en ?? documentType, issuer, issuedAt, expiresAt, reference }),
  };
}

// answersOf judges a file: by the engine, or by its fingerprint alone where there is no engine or no stamp.
async function answersOf(file) {
  if (file.size > maxFile) return [{ key: 'too_large' }];
  const bytes = await file.arrayBuffer();
  if (engine === 'true') {
    try {
      const { answer, failure, refreshed } = await judge(file.name, bytes.slice(0), { language, root });
      if (failure) return [{ key: failure.code === 'too_large' ? 'too_large' : 'unreadable' }];
      const all = answer.screens.map(ofScreen);
      if (!refreshed) for (const a of all) if (a.key === 'unknown_issuer') a.key = 'too_old';
      if (all.length !== 1 || all[0].key !== 'no_tcode') return all;
    } catch {
      // The engine does not run in this browser.
      return [ofRecord(await byFingerprint(bytes))];
    }
    const known = await byFingerprint(bytes);
    return [known.found ? ofRecord(known) : { key: 'no_tcode' }];
  }
  return [ofRecord(await byFingerprint(bytes))];
}

async function read(file) {
  const mine = ++turn;
  answers.setAttribute('aria-busy', 'true');
  reading(answers, file.name);
  let all;
  try {
    all = await answersOf(file);
  } catch {
    all = [{ key: 'unreadable' }]; // it is gone, or this address is not secure enough for a fingerprint
  }
  if (mine !== turn) return;
  answers.replaceChildren();
  for (const answer of all) show(answers, file.name, answer);
  answers.removeAttribute('aria-busy');
  answers.focus();
  answers.scrollIntoView({ block: 'nearest' });
}

const take = (files) => { if (files?.length) read(files[0]); };

input.addEventListener('change', () => take(input.files));
document.addEventListener('paste', (e) => take(e.clipboardData?.files));
document.addEventListener('dragover', (e) => {
  e.preventDefault(); // otherwise the browser opens the file
  drop.classList.add('drop--over');
});
document.addEventListener('dragleave', () => drop.classList.remove('drop--over'));
document.addEventListener('drop', (e) => {
  e.preventDefault();
  drop.classList.remove('drop--over');
  take(e.dataTransfer?.files);
});
