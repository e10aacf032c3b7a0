// Elements without markup: every text becomes a text node, so that no signed value can become an element.

const SVG = 'http://www.w3.org/2000/svg';

/** @typedef {Node | string | number | null | undefined | false | Child[]} Child */

/**
 * h makes an element: h('p.muted.small', {id: 'x', onclick: f}, 'text', other).
 * A member of attributes that begins with "on" is a listener, `true` is an empty attribute, and null, undefined and false are none.
 * @param {string} what tag and classes @param {Record<string, any>} [attributes] @param {...Child} children
 * @returns {any}
 */
export function h(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split('.');
  const e = document.createElement(tag);
  if (classes.length > 0) e.className = classes.join(' ');
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) e.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked') e[name] = value;
    else e.setAttribute(name, value === true ? '' : String(value));
  }
  append(e, children);
  return e;
}

/** @param {Node} parent @param {Child[]} children */
function append(parent, children) {
  for (const c of children) {
    if (Array.isArray(c)) append(parent, c);
    else if (c !== null && c !== undefined && c !== false) parent.appendChild(c instanceof Node ? c : document.createTextNode(String(c)));
  }
}

/** fill replaces the children of e. @param {Element} e @param {...Child} children */
export function fill(e, ...children) {
  e.replaceChildren();
  append(e, children);
  return e;
}

/** use draws a symbol of index.html. @param {string} id @param {string} classes */
function use(id, classes) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('class', classes);
  svg.setAttribute('aria-hidden', 'true');
  const ref = document.createElementNS(SVG, 'use');
  ref.setAttribute('href', '#' + id);
  svg.append(ref);
  return svg;
}

/** icon draws an icon. Those that point along the line turn with the writing. @param {string} name */
export const icon = (name) => use('i-' + name, ['back', 'next', 'send'].includes(name) ? 'icon icon--turns' : 'icon');

/** mark draws the mark of a verdict. @param {string} name @param {string} [tone] accept, look, refuse, unknown: its colour in a text */
export const mark = (name, tone = '') => use('v-' + name, tone ? `mark is-${tone}` : 'mark');

/** shape draws svg elements by their attributes. @param {string} tag @param {Record<string, string|number>} attributes @param {Element[]} inner */
export function shape(tag, attributes, inner = []) {
  const e = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, String(value));
  e.append(...inner);
  return e;
}

/** bdi isolates a text from outside. @param {Child} text */
export const bdi = (text) => h('bdi', {}, text);

/** groups shows a reference in groups of four to read aloud; copying gives none of the gaps. @param {string} reference */
export function groups(reference) {
  const m = /^(TCR-|TRF-)(.+)$/.exec(reference);
  const rest = m ? m[2] : reference;
  const parts = rest.match(/.{1,4}/g) ?? [];
  if (m) parts[0] = m[1] + (parts[0] ?? '');
  return h('bdi.ref', { dir: 'ltr' }, parts.map((p) => h('span', {}, p)));
}

/** hidden is text for screen readers alone. @param {Child} text */
export const hidden = (text) => h('span.vh', {}, text);

/** save hands a file to the person. @param {string} name @param {BlobPart} bytes @param {string} type */
export function save(name, bytes, type) {
  const url = URL.createObjectURL(new Blob([bytes], { type }));
  const a = h('a', { href: url, download: name });
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** pick asks for files. @param {string} accept @param {boolean} camera the phone's own camera app @returns {Promise<File[]>} */
export function pick(accept, camera = false) {
  return new Promise((resolve) => {
    const input = h('input', { type: 'file', accept, capture: camera ? 'environment' : null });
    input.addEventListener('change', () => resolve([...input.files]));
    input.addEventListener('cancel', () => resolve([]));
    input.click();
  });
}
