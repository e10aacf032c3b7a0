// Shows answers by the templates of the page. Texts go into text nodes only.

const byId = (id) => document.getElementById(id);

/** clone copies a template and fills its slots. @param {string} id @param {Record<string, string>} values */
function clone(id, values = {}) {
  const part = byId(id).content.cloneNode(true);
  for (const slot of part.querySelectorAll('[data-slot]')) {
    const value = values[slot.dataset.slot];
    if (value !== undefined) slot.textContent = value;
  }
  return part;
}

/** moment writes a time as the other pages do: in UTC, with digits alone. @param {string} at */
export const moment = (at) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** day writes the day of a time. @param {string} at */
const day = (at) => moment(at).slice(0, 10);

/** lastDay writes when a document ends that is good before a time: what ends with a day is good on that day. @param {string} at */
export const lastDay = (at) => (Date.parse(at) % 86400000 ? moment(at) : day(new Date(Date.parse(at) - 1).toISOString()));

const label = (slot) => byId('labels').content.querySelector(`[data-slot=${slot}]`).textContent;

function row(list, name, value, ltr) {
  for (const [tag, text] of [['dt', name], ['dd', value]]) {
    const bdi = document.createElement('bdi');
    bdi.textContent = text;
    if (ltr && tag === 'dd') bdi.dir = 'ltr';
    const cell = document.createElement(tag);
    cell.append(bdi);
    list.append(cell);
  }
}

/**
 * @typedef {object} Answer
 * @property {string} key of the answer
 * @property {Record<string, string>} [values] of its slots
 * @property {string} [asOf] time of the status
 * @property {boolean} [old] the status is old
 * @property {string} [reference]
 * @property {{label: string, value: string, ltr?: boolean}[]} [facts] to be compared with the document
 */

/** facts lists the lines of a document, by the labels of the page. */
export function facts(fields, { document: type, issuer, issuedAt, expiresAt, reference }) {
  const rows = [...(fields ?? []).map((f) => ({ label: f.label || f.key, value: f.value }))];
  if (type) rows.push({ label: label('type'), value: type });
  if (issuer) rows.push({ label: label('issuer'), value: issuer });
  if (issuedAt) rows.push({ label: label('issued'), value: day(issuedAt), ltr: true });
  if (expiresAt) rows.push({ label: label('expires'), value: lastDay(expiresAt), ltr: true });
  if (reference) rows.push({ label: label('reference'), value: reference, ltr: true });
  return rows;
}

/** show writes one answer about a file. @param {HTMLElement} into @param {string} name @param {Answer} answer */
export function show(into, name, { key, values, asOf, old, reference, facts: rows }) {
  into.append(clone(`answer-${key}`, values));
  const read = clone('read', { name, asOf: asOf ? moment(asOf) : '' });
  const age = read.querySelector('[data-part=age]');
  age.classList.toggle('age--old', !!old);
  read.querySelector('time').dateTime = asOf ?? '';
  if (!asOf) age.remove();
  const details = read.querySelector('[data-part=details]');
  if (reference) details.href = `/d/${encodeURIComponent(reference)}${into.dataset.query}`;
  else details.remove();
  into.append(read);
  if (rows?.length) {
    const card = clone('facts');
    for (const f of rows) row(card.querySelector('dl'), f.label, f.value, f.ltr);
    into.append(card);
  }
}

/** reading says that a file is being read. */
export const reading = (into, name) => into.replaceChildren(clone('reading', { name }));
