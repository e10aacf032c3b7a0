// The placement editor. The form works without this script; here the box is moved and resized
// by pointer and keys, the form is sent after each change, and the parts of the page that
// answer it ([data-part]) are replaced. All lengths are mm on the page that is shown.

const form = document.getElementById('desk');
const verdict = document.getElementById('verdict');
const fractions = name => {
  const i = ['top-left', 'top', 'top-right', 'left', 'center', 'right', 'bottom-left', 'bottom', 'bottom-right'].indexOf(name);
  return i < 0 ? [1, 1] : [i % 3 / 2, Math.floor(i / 3) / 2];
};
const handle = 3; // mm
const least = 4; // mm, of a box
const wait = 350; // ms after the last change

let box, frame, proven, zoom = 1, timer, asking, leaving = false;

const stage = () => document.getElementById('stage');
const sheet = () => stage().querySelector('svg.sheet');
const page = () => { const v = sheet().viewBox.baseVal; return { w: v.width, h: v.height }; };
const round = v => Math.round(v * 100) / 100;
const value = name => form.elements[name]?.value ?? '';
const svg = (name, attributes) => {
  const e = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  return e;
};

// adopt takes the box of a new drawing.
function adopt(focus) {
  box = document.getElementById('box');
  if (!box) { frame = proven = undefined; return; }
  frame = { x: +box.dataset.x, y: +box.dataset.y, w: +box.dataset.w, h: +box.dataset.h };
  proven = { ...frame, at: value('at') };
  box.setAttribute('tabindex', '0');
  box.setAttribute('role', 'application');
  box.append(...['nw', 'ne', 'sw', 'se'].map(corner => svg('rect', { class: 'sheet-handle' + (corner === 'ne' || corner === 'sw' ? ' sheet-handle--turn' : ''), width: handle, height: handle, 'data-corner': corner })));
  draw();
  if (focus) box.focus({ preventScroll: true });
}

// draw moves the box, and what was proven with it, to the frame.
function draw() {
  const r = box.querySelector('.sheet-box');
  for (const [k, v] of [['x', frame.x], ['y', frame.y], ['width', frame.w], ['height', frame.h]]) r.setAttribute(k, round(v));
  for (const h of box.querySelectorAll('.sheet-handle')) {
    h.setAttribute('x', frame.x - handle / 2 + (h.dataset.corner.endsWith('e') ? frame.w : 0));
    h.setAttribute('y', frame.y - handle / 2 + (h.dataset.corner.startsWith('s') ? frame.h : 0));
  }
  box.setAttribute('aria-label', `${box.dataset.label}. x ${frame.x.toFixed(1)} mm, y ${frame.y.toFixed(1)} mm, ${frame.w.toFixed(1)} mm`);
  const moved = Math.abs(frame.x - proven.x) + Math.abs(frame.y - proven.y) + Math.abs(frame.w - proven.w) > 0.001;
  sheet().querySelector('[data-part=drawn]').setAttribute('opacity', moved ? '.25' : '1');
}

// place puts the frame into the page and the fields, and asks soon.
function place(next) {
  const p = page();
  next.w = Math.min(Math.max(next.w, least), p.w);
  next.h = Math.min(Math.max(next.h, least), p.h);
  const resized = Math.abs(next.w - frame.w) > 0.001 || Math.abs(next.h - frame.h) > 0.001;
  next.x = Math.min(Math.max(next.x, 0), p.w - next.w);
  next.y = Math.min(Math.max(next.y, 0), p.h - next.h);
  frame = { x: Math.round(next.x * 10) / 10, y: Math.round(next.y * 10) / 10, w: Math.round(next.w * 10) / 10, h: Math.round(next.h * 10) / 10 };
  if (resized) {
    form.elements.size.value = round(frame.w);
    form.elements.height.value = Math.abs(frame.h - frame.w) > 0.01 ? round(frame.h) : '';
  }
  point();
  draw();
  soon();
}

// point writes the anchor's point of the frame into the fields.
function point() {
  const [fx, fy] = fractions(value('anchor'));
  form.elements.at.value = 'point';
  form.elements.x.value = round(frame.x + fx * frame.w);
  form.elements.y.value = round(frame.y + fy * frame.h);
}

// resized returns the frame, larger by mm, with one corner in its place.
function resized(f, by, corner = 'se') {
  const ratio = f.h / f.w, w = Math.max(f.w + by, least), h = w * ratio;
  return { x: corner.endsWith('w') ? f.x + f.w - w : f.x, y: corner.startsWith('n') ? f.y + f.h - h : f.y, w, h };
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(() => ask(), wait);
}

// ask sends the form and shows the answer.
async function ask(does = 'look') {
  clearTimeout(timer);
  asking?.abort();
  const mine = asking = new AbortController();
  verdict.setAttribute('aria-busy', 'true');
  const body = new URLSearchParams(new FormData(form));
  body.set('do', does);
  try {
    const r = await fetch(form.getAttribute('action'), { method: 'POST', body, signal: mine.signal, redirect: 'follow' });
    if (!r.ok || r.redirected) throw new Error(r.status);
    show(new DOMParser().parseFromString(await r.text(), 'text/html'), does);
  } catch (e) {
    if (e.name === 'AbortError') return;
    if (!leaving) form.requestSubmit(form.querySelector('button[value=look]')); // the whole page says what is wrong
  }
  if (asking === mine) verdict.removeAttribute('aria-busy');
}

// show replaces the parts of the page that differ in the answer.
function show(answer, does) {
  const here = document.activeElement, had = here === box;
  const theirs = answer.getElementById('stage');
  const whole = theirs.dataset.page !== stage().dataset.page || !box || !answer.getElementById('box');
  if (whole) {
    stage().replaceChildren(...theirs.childNodes);
    stage().dataset.page = theirs.dataset.page;
  }
  for (const part of document.querySelectorAll('[data-part]')) {
    const other = answer.querySelector(`[data-part="${CSS.escape(part.dataset.part)}"]`);
    if (!other || other.innerHTML === part.innerHTML) continue;
    const inside = part.contains(here) && here.name === 'do' ? here.value : '';
    part.replaceChildren(...other.cloneNode(true).childNodes);
    if (part.dataset.part.startsWith('err-')) mark(part);
    if (inside) (part.querySelector(`button[value="${inside}"]`) ?? document.getElementById('box') ?? form.elements.x).focus({ preventScroll: true });
  }
  fields(answer, does);
  if (whole) {
    adopt(false);
    zoomed();
    if (does.startsWith('page')) (stage().querySelector('[value^=page]') ?? stage().querySelector('button')).focus({ preventScroll: true });
    return;
  }
  const now = answer.getElementById('box');
  box.remove();
  sheet().append(now);
  adopt(had);
}

// mark tells the input of a part with problems that it has some.
function mark(part) {
  const input = document.getElementById(part.dataset.part.slice('err-'.length));
  if (part.childElementCount > 0) input?.setAttribute('aria-invalid', 'true');
  else input?.removeAttribute('aria-invalid');
}

// fields takes over the values that the gateway computed.
function fields(answer, does) {
  const theirs = answer.getElementById('desk').elements;
  form.elements.page.value = theirs.page.value;
  const all = does === 'nearest' || value('at') === 'margins';
  for (const name of ['x', 'y', 'size', 'height']) {
    form.elements[name].placeholder = theirs[name].placeholder;
    if (all && form.elements[name] !== document.activeElement) form.elements[name].value = theirs[name].value;
  }
  if (does === 'nearest') {
    form.elements.at.value = theirs.at.value;
    form.elements.anchor.value = theirs.anchor.value;
  }
}

// Pointer.
form.addEventListener('pointerdown', event => {
  const on = event.target.closest('#box');
  if (!on || event.button !== 0) return;
  event.preventDefault();
  box.focus({ preventScroll: true });
  const corner = event.target.dataset.corner, from = { ...frame };
  const scale = page().w / sheet().getBoundingClientRect().width;
  const start = { x: event.clientX, y: event.clientY };
  const target = box;
  target.setPointerCapture(event.pointerId);
  const move = e => {
    const dx = (e.clientX - start.x) * scale, dy = (e.clientY - start.y) * scale;
    if (!corner) { place({ ...from, x: from.x + dx, y: from.y + dy }); return; }
    const right = corner.endsWith('e') ? dx : -dx, down = corner.startsWith('s') ? dy : -dy;
    place(resized(from, Math.abs(right) > Math.abs(down) ? right : down, corner));
  };
  const end = () => {
    target.removeEventListener('pointermove', move);
    target.removeEventListener('pointerup', end);
    target.removeEventListener('pointercancel', end);
  };
  target.addEventListener('pointermove', move);
  target.addEventListener('pointerup', end);
  target.addEventListener('pointercancel', end);
});

// Keys.
form.addEventListener('keydown', event => {
  if (!box || document.activeElement !== box) return;
  const step = event.shiftKey ? 0.1 : event.ctrlKey || event.metaKey ? 10 : 1;
  const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (arrow && event.altKey) place(resized(frame, step * (arrow[0] || -arrow[1])));
  else if (arrow) place({ ...frame, x: frame.x + arrow[0] * step, y: frame.y + arrow[1] * step });
  else if (event.key === '+' || event.key === '=') place(resized(frame, 1));
  else if (event.key === '-' || event.key === '_' || event.key === '−') place(resized(frame, -1));
  else if (event.key === 'Escape') {
    place({ ...proven });
    form.elements.at.value = proven.at;
  }
  else return;
  event.preventDefault();
});

// Fields.
form.addEventListener('input', event => {
  const name = event.target.name;
  if (name === 'anchor') form.elements.at.value = 'margins';
  if (name === 'x' || name === 'y') form.elements.at.value = 'point';
  if (event.target.dataset.load !== undefined) { form.requestSubmit(form.querySelector('[data-loads]') ?? form.querySelector('button[value=look]')); return; }
  if (['name', 'externalId', 'templateName', 'templateDescription', 'documentTypeCode', 'test'].includes(name)) return;
  soon();
});
form.addEventListener('click', event => {
  const button = event.target.closest('button');
  if (button?.matches('[data-live]')) {
    event.preventDefault();
    ask(button.value);
  } else if (button?.dataset.by !== undefined) {
    const by = +button.dataset.by;
    zoom = by === 0 ? whole() : Math.min(4, Math.max(0.25, zoom * (by > 0 ? 1.25 : 0.8)));
    zoomed();
  }
});

// Zoom: 1 is as wide as the stage.
function whole() {
  const { w, h } = page(), room = stage().querySelector('.stage__page').clientWidth - 32;
  return Math.min(1, (innerHeight - 300) / (Math.min(room, 528) * h / w));
}
function zoomed() {
  const bar = stage().querySelector('[data-zoom]');
  bar.hidden = false;
  const room = Math.min(stage().querySelector('.stage__page').clientWidth - 32, 528);
  sheet().style.maxWidth = 'none';
  sheet().style.width = `${Math.round(room * zoom)}px`;
  bar.querySelector('[data-percent]').textContent = `${Math.round(zoom * 100)} %`;
}

// A form that leaves the page is sent once, and says that work is done.
form.addEventListener('submit', event => {
  if (leaving) { event.preventDefault(); return; }
  leaving = true;
  clearTimeout(timer);
  asking?.abort();
  form.querySelector('progress[data-working]').hidden = false;
});
addEventListener('pageshow', () => {
  leaving = false;
  form.querySelector('progress[data-working]').hidden = true;
});
addEventListener('resize', zoomed);

zoom = whole();
adopt(false);
zoomed();
