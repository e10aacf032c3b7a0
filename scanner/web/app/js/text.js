// The words of the app in the language of the person, with the forms of numbers, times and ages.
//
// Call load first. t gives a text; tn gives nodes, for texts with values that must be isolated.

import { h } from './dom.js';

/** Languages by their own names, in the order of the list in the settings. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español', ar: 'العربية' };

let words = /** @type {Record<string, string>} */ ({});
let language = 'en';

/** @returns {string} the language in use, a key of LANGUAGES */
export const current = () => language;

/** locale for Intl: Arabic keeps the digits of references and of printed documents. */
const locale = () => (language === 'ar' ? 'ar-u-nu-latn' : language === 'en' ? 'en-GB' : language);

/** wanted returns the language that a person chose, or that fits the browser best. @param {string} chosen */
export function wanted(chosen) {
  for (const tag of [chosen, ...navigator.languages]) {
    const short = (tag ?? '').toLowerCase().split('-')[0];
    if (short in LANGUAGES) return short;
  }
  return 'en';
}

/** load fetches the words of a language and turns the page to its direction. @param {string} lang */
export async function load(lang) {
  const answer = await fetch(new URL(`../text/${lang}.json`, import.meta.url));
  if (!answer.ok) throw new Error(`words of ${lang}: ${answer.status}`);
  words = await answer.json();
  language = lang;
  document.documentElement.lang = lang;
  document.documentElement.dir = lang === 'ar' ? 'rtl' : 'ltr';
}

/** t returns the text of a key with {name} replaced by values. @param {string} key @param {Record<string, string|number>} [values] */
export function t(key, values = {}) {
  return (words[key] ?? key).replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all));
}

/** has reports whether there is a text. @param {string} key */
export const has = (key) => key in words;

/** tn returns the same as a list of texts and nodes. @param {string} key @param {Record<string, import('./dom.js').Child>} values */
export function tn(key, values) {
  return (words[key] ?? key).split(/(\{\w+\})/).map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name && name in values ? values[name] : part;
  });
}

/** number writes a count. @param {number} n */
export const number = (n) => new Intl.NumberFormat(locale()).format(n);

const MINUTE = 60_000;
const UNITS = /** @type {[string, number][]} */ ([['day', 86_400_000], ['hour', 3_600_000], ['minute', MINUTE]]);

/** age writes a duration with its largest units, such as "3 days and 4 hours". @param {number} ms @param {number} [most] units at most */
export function age(ms, most = 2) {
  if (ms < MINUTE) return t('age.moment');
  let rest = ms;
  const parts = [];
  for (const [unit, size] of UNITS) {
    const n = Math.floor(rest / size);
    if (n === 0) {
      if (parts.length > 0) break;
      continue;
    }
    if (unit === 'minute' && parts.length > 0 && ms >= 86_400_000) break;
    parts.push(new Intl.NumberFormat(locale(), { style: 'unit', unit, unitDisplay: 'long' }).format(n));
    rest -= n * size;
    if (parts.length === most) break;
  }
  return new Intl.ListFormat(locale(), { type: 'conjunction' }).format(parts);
}

/** shortAge writes the largest unit, shortly, such as "30 min". @param {number} ms */
export function shortAge(ms) {
  if (ms < MINUTE) return t('age.moment_short');
  const [unit, size] = largest(ms);
  return new Intl.NumberFormat(locale(), { style: 'unit', unit, unitDisplay: unit === 'day' ? 'long' : 'short' }).format(Math.floor(ms / size));
}

/** ago writes how long something is past with its largest unit, such as "3 days ago" or "now". @param {number} ms */
export function ago(ms) {
  const [unit, size] = largest(ms);
  return new Intl.RelativeTimeFormat(locale(), { numeric: ms < MINUTE ? 'auto' : 'always' })
    .format(ms < MINUTE ? 0 : -Math.floor(ms / size), /** @type {any} */ (ms < MINUTE ? 'second' : unit));
}

/** @param {number} ms */
const largest = (ms) => UNITS.find(([, size]) => ms >= size) ?? UNITS[2];

/** bytes writes a size. @param {number} n */
export function bytes(n) {
  const [unit, size] = n >= 1e9 ? ['gigabyte', 1e9] : n >= 1e6 ? ['megabyte', 1e6] : ['kilobyte', 1e3];
  return new Intl.NumberFormat(locale(), { style: 'unit', unit, maximumFractionDigits: n / size < 10 ? 1 : 0 }).format(n / size);
}

/** @param {Date} d @param {Intl.DateTimeFormatOptions} options */
const write = (d, options) => new Intl.DateTimeFormat(locale(), options).format(d);

/** utcText writes a moment with its date, time and UTC. Arabic has digits alone, which keep their order. @param {string} iso */
export function utcText(iso) {
  const d = new Date(iso);
  if (language === 'ar') return d.toISOString().slice(0, 16).replace('T', ' ') + ' UTC';
  return write(d, { day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' }) + ' UTC';
}

/** utc is utcText as an element for machines and people. @param {string} iso */
export const utc = (iso) => h('time', { datetime: iso, dir: language === 'ar' ? 'ltr' : null }, utcText(iso));

/** day writes a date in UTC. @param {string} iso @param {'short'|'long'} [month] */
export function day(iso, month = 'short') {
  const d = new Date(iso);
  const text = language === 'ar' ? d.toISOString().slice(0, 10) : write(d, { day: 'numeric', month, year: 'numeric', timeZone: 'UTC' });
  return h('time', { datetime: iso, dir: language === 'ar' ? 'ltr' : null }, text);
}

/** lastDay writes when something ends that is good before a time: what ends with a day in UTC is good on that day. @param {string} iso @param {'short'|'long'} [month] */
export function lastDay(iso, month) {
  const end = Date.parse(iso);
  return end % 86400000 ? utc(iso) : day(new Date(end - 1).toISOString(), month);
}

/** clock writes the time of day on this phone. @param {string|Date} when */
export const clock = (when) => write(new Date(when), { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });

/** localDay writes a day on this phone without its year. @param {Date} d */
export const localDay = (d) => write(d, { day: 'numeric', month: 'long' });

/** shortMoment writes a day and time on this phone. @param {string} iso */
export const shortMoment = (iso) => write(new Date(iso), { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
