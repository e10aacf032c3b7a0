// The look and the words of an answer: one mark, one word, one sentence, from the engine's screen.

import { bdi } from './dom.js';
import { age, has, lastDay, t, tn } from './text.js';

/** Marks and tones by the engine's headlines. @type {Record<string, [mark: string, tone: string]>} */
const LOOKS = {
  valid: ['valid', 'accept'], stale: ['stale', 'look'], compare: ['compare', 'look'], contents: ['contents', 'look'],
  restamped: ['added', 'look'], added: ['added', 'look'], not_genuine: ['forged', 'refuse'], revoked: ['revoked', 'refuse'],
  replaced: ['replaced', 'refuse'], suspended: ['suspended', 'refuse'], expired: ['expired', 'refuse'],
  unverified: ['unverified', 'unknown'], no_tcode: ['none', 'unknown'],
};

/** look returns mark and tone. A headline that this page does not know is never green. @param {string} headline */
export const look = (headline) => LOOKS[headline] ?? LOOKS.unverified;

/** The headline of a bare verdict: the gateway's word, which knows no file. @type {Record<string, string>} */
const OF_VERDICT = { valid: 'valid', revoked: 'revoked', expired: 'expired', suspended: 'suspended', not_found: 'not_genuine' };

/** ofVerdict maps a word of the gateway to a headline. @param {string} verdict */
export const ofVerdict = (verdict) => OF_VERDICT[verdict] ?? 'unverified';

/** headline returns the small and the large part. The large one is the one to act on. @param {string} code @param {boolean} stale */
export function headline(code, stale = false) {
  const text = t(has('word.' + code) ? 'word.' + code : 'word.unverified');
  const [small, large] = text.includes('|') ? text.split('|') : ['', text];
  const amberAndOld = stale && code !== 'stale' && look(code)[1] === 'look';
  return { small, large: large + (amberAndOld ? t('word.and_stale') : '') };
}

/** words is the headline in one line. @param {string} code @param {boolean} stale */
export function words(code, stale = false) {
  const { small, large } = headline(code, stale);
  return small ? `${small} ${large}` : large;
}

/** len returns the class that fits the longest word to the width. @param {string} text */
export function len(text) {
  const longest = Math.max(...text.split(/\s+/).map((w) => [...w].length));
  return `len-${Math.min(16, Math.max(5, longest))}`;
}

/** advice returns the one sentence below the word, as texts and nodes. @param {any} screen */
export function advice(screen) {
  const v = screen.adviceValues ?? {};
  const key = has('advice.' + screen.advice) ? 'advice.' + screen.advice : 'advice.unverified';
  return tn(key, {
    issuer: bdi(v.issuer || screen.issuer?.name || screen.issuer?.code || ''), code: bdi(v.code ?? ''),
    age: age(v.ageMs ?? screen.status?.ageMs ?? 0, 1), date: v.at ? lastDay(v.at, 'long') : '',
  });
}

/** Order of gravity of a document's stamps: the worst one is the document's. */
const GRAVITY = ['refuse', 'unknown', 'look', 'accept'];

/** worst returns the index of the screen to show first. @param {any[]} screens */
export function worst(screens) {
  let at = 0;
  const rank = (/** @type {any} */ s) => GRAVITY.indexOf(look(s.headline)[1]);
  screens.forEach((s, i) => { if (rank(s) < rank(screens[at])) at = i; });
  return at;
}

/** failing is the short name of a failed check. @param {string} check */
export const failing = (check) => t(has('short.' + check) ? 'short.' + check : 'check.' + check);
