// The scan screen: camera, frame, one hint at a time, and the other ways to a document.

import { app, explain, page, say, setPage, show, status, tell } from './app.js';
import { camera } from './camera.js';
import { fill, h, hidden, icon, mark, shape } from './dom.js';
import { feel } from './feedback.js';
import { arrive, context, enrolment, openFiles, takePhoto, titleOf, typeIn } from './submit.js';
import { clock, number, shortAge, t } from './text.js';
import { look, words, worst } from './verdict.js';

const HINTS = { closer: 'scan', hold_still: 'check', more_light: 'light', whole_stamp: 'scan', damaged: 'file', not_a_tcode: 'help' };
const CORNERS = 'M40 130V100a12 12 0 0 1 12-12h30M278 88h30a12 12 0 0 1 12 12v30M320 328v30a12 12 0 0 1-12 12h-30M82 370H52a12 12 0 0 1-12-12v-30';
const GREEN = 2000; // ms for which a series shows a plain green answer
const LOST = 3000; // ms for which the screen says that the reader failed on a picture
const SAME = 5000; // ms after an answer in which the same symbol gives no second one

/** badges say before any scan how old the status is and how much waits. */
export function badges() {
  const { counts, sync } = app, now = status();
  const silent = sync?.error?.code === 'offline';
  let text = t('scan.no_trust'), look = true, name = 'shield';
  if (now) {
    look = !now.fresh;
    const age = shortAge(now.ageMs);
    name = look ? 'clock' : silent ? 'offline' : 'online';
    text = !now.usable ? t('scan.unverified') : silent && !look ? t('scan.offline', { age }) : t('scan.status', { age });
  }
  const dead = counts?.dead ?? 0, waiting = counts?.waiting ?? 0;
  const queue = dead > 0 ? t('scan.dead', { n: number(dead) }) : waiting > 0 ? t('scan.waiting', { n: number(waiting) }) : t('scan.sent');
  return [
    h('a.badge' + (look ? '.badge--look' : ''), { href: '#/trust' }, icon(name), text),
    h('a.badge' + (dead > 0 ? '.badge--look' : ''), { href: '#/history' }, icon('send'), queue),
  ];
}

let current = /** @type {object | null} */ (null); // the view that was made last

/**
 * view is a camera picture with its frame and hint, for scans and for enrolment.
 * @param {{enrol?: boolean, onreply: (reply: any) => void, onfail: (err: any) => void, series: () => boolean}} o
 */
export function view(o) {
  const video = h('video', { playsinline: true, muted: true, autoplay: true, 'aria-label': t('scan.picture') });
  video.muted = true;
  const found = shape('polygon', { class: 'found', points: '' });
  const overlay = shape('svg', { class: 'overlay', preserveAspectRatio: 'xMidYMid slice', 'aria-hidden': 'true' }, [found]);
  const frame = shape('svg', { class: 'frame', viewBox: '0 0 360 440', 'aria-hidden': 'true' }, [
    shape('path', { d: CORNERS, class: 'frame__under' }), shape('path', { d: CORNERS, class: 'frame__over' })]);
  const hint = h('p.view__hint', { role: 'status' }, t('scan.starting'));
  const tools = h('div.view__tools', { role: 'group', 'aria-label': t('scan.tools') });
  const mine = current = {};
  let running = true, inFlight = false, shown = '', wait = 0;

  /** @param {string} key @param {string} [icn] */
  const tell = (key, icn) => {
    if (key === shown || Date.now() < wait) return;
    shown = key;
    wait = Date.now() + 500; // so that hints can be read
    fill(hint, icn ? icon(icn) : null, t(key));
  };

  if (app.lost) {
    app.lost = false;
    tell('trouble.frame', 'help');
    wait = Date.now() + LOST;
  }

  const draw = (/** @type {any} */ seen) => {
    overlay.setAttribute('viewBox', `0 0 ${video.videoWidth} ${video.videoHeight}`);
    found.setAttribute('points', seen ? seen.corners.map((/** @type {number[]} */ c) => c.join(',')).join(' ') : '');
  };

  const look = async () => {
    if (!running) return;
    if (!inFlight && video.videoWidth > 0 && app.start) {
      inFlight = true;
      try {
        const bitmap = await createImageBitmap(video);
        const reply = await app.engine.ask('frame', { frame: bitmap, series: o.series(), context: o.enrol ? {} : context() }, [bitmap]);
        if (!running) return;
        draw(reply.seen);
        if (reply.answer || reply.repeat || reply.enrolment) tell(o.enrol ? 'enrol.found' : 'hint.hold_still', 'check');
        else if (reply.hint && !(o.enrol && reply.hint === 'not_a_tcode')) tell('hint.' + reply.hint, HINTS[reply.hint]);
        else if (reply.seen) tell('hint.hold_still', 'check');
        else tell(o.enrol ? 'enrol.look' : app.series ? 'scan.next' : 'scan.look', 'scan');
        o.onreply(reply);
      } catch (err) {
        if (running && /** @type {any} */ (err).code !== 'busy') o.onfail(err);
      } finally {
        inFlight = false;
      }
    } else if (!app.start) {
      tell('scan.engine');
    }
    next();
  };
  const next = () => {
    if (!running) return;
    if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(() => void look());
    else setTimeout(() => void look(), 60);
  };

  const fail = (/** @type {any} */ err) => { if (running) o.onfail(err); };
  const start = async () => {
    const stream = await camera.start();
    if (!running) return camera.rest();
    if (video.srcObject !== stream) video.srcObject = stream;
    await video.play().catch(() => {}); // the browser plays it later
    await camera.tune();
    if (!page.scanned && app.trust?.enrolled) setPage({ scanned: true });
    await drawTools(tools, start);
    next();
  };
  const visible = () => {
    if (document.hidden || !running) return;
    start().catch(fail);
  };
  document.addEventListener('visibilitychange', visible);
  start().catch(fail);
  return {
    nodes: [video, overlay, frame, hint, tools],
    pause() { running = false; },
    stop() {
      running = false;
      document.removeEventListener('visibilitychange', visible);
      video.srcObject = null;
      if (current === mine) camera.rest(); // else the next view has it
    },
  };
}

/** drawTools shows what this camera has, and no dead button. @param {Element} tools @param {() => Promise<any>} restart */
async function drawTools(tools, restart) {
  const can = camera.can();
  const torch = can.torch ? h('button.tool', { type: 'button', 'aria-pressed': 'false', onclick: async (/** @type {any} */ e) => {
    const on = e.currentTarget.getAttribute('aria-pressed') !== 'true', button = e.currentTarget;
    if (await camera.torch(on)) button.setAttribute('aria-pressed', String(on));
  } }, icon('torch'), hidden(t('scan.torch'))) : null;
  const zooms = camera.zooms().map((z) => h('button.tool', { type: 'button', 'aria-pressed': String(z === page.zoom), 'aria-label': t('scan.zoom', { n: z }), onclick: async () => {
    await camera.zoom(z);
    await drawTools(tools, restart);
  } }, `${z}×`));
  const flip = (await camera.others()).length > 1 ? h('button.tool', { type: 'button', onclick: async () => {
    camera.stop();
    await camera.flip().then(restart).catch(() => {});
  } }, icon('flip'), hidden(t('scan.flip'))) : null;
  fill(tools, torch, zooms, flip);
}

/** others are the ways without the camera. */
export const others = () => h('div.scan__other', {},
  h('button.button', { type: 'button', onclick: () => void takePhoto() }, icon('camera'), t('scan.photo')),
  h('button.button', { type: 'button', onclick: () => void openFiles() }, icon('file'), t('scan.file')),
  h('button.button', { type: 'button', onclick: () => void typeIn() }, icon('keyboard'), t('scan.type')));

/** scan is the screen. */
export function scan() {
  const since = Date.now();
  const foot = h('div.scan__foot');
  let green = 0, last = '';
  const series = () => app.series || Date.now() - since < SAME;
  const v = view({
    series,
    onreply(reply) {
      if (reply.enrolment) return enrolment(reply.enrolment);
      if (app.series && (reply.answer || reply.repeat)) strip(reply.answer ?? reply.repeat.answer, reply.repeat);
      else if (reply.answer) { v.pause(); arrive(reply.answer); } else if (reply.repeat && Date.now() - since >= SAME) { v.pause(); arrive(reply.repeat.answer); }
    },
    async onfail(err) {
      if (!app.start) { // the engine has ended of it: its screen comes, or this one again with a new engine
        app.lost = true;
        return;
      }
      if (err instanceof DOMException) return err.name === 'AbortError' ? undefined : noCamera(err.name);
      v.pause();
      await tell(t(titleOf(err)), h('p', {}, explain(err)));
      scan();
    },
  });
  // A strip over the running camera: plain green passes, all else stays until it is tapped.
  const strip = (/** @type {any} */ answer, /** @type {any} */ repeat) => {
    const at = worst(answer.screens), s = answer.screens[at], id = answer.findings[at].scanId;
    const [m, tone] = look(s.headline), text = words(s.headline, s.stale);
    if (last === id + Boolean(repeat)) return;
    const isNew = last.slice(0, id.length) !== id;
    last = id + Boolean(repeat);
    app.current = answer;
    app.currents.set(id, answer);
    if (isNew) feel(tone);
    const what = [s.document?.name || s.document?.code, s.fields?.[0]?.value].filter(Boolean).map((x) => h('bdi', {}, x));
    const already = repeat ? t('scan.already', { time: clock(Date.now() - repeat.agoMs) }) : '';
    say([text, already].filter(Boolean).join(', '));
    fill(foot, h('div.mini.mini--' + tone, {}, mark(m), h('span', {}, h('b', {}, text), what.flatMap((x, i) => (i > 0 ? [', ', x] : [x])), already ? [what.length > 0 ? ' · ' : '', already] : null)),
      h('div.actions', {}, h('button.button', { onclick: stop }, t('scan.stop_series')), h('a.button.button--main', { href: '#/answer/' + id }, t('scan.open'))));
    clearTimeout(green);
    if (tone === 'accept') green = setTimeout(rest, GREEN);
  };
  const stop = () => { app.series = false; rest(); };
  const rest = () => {
    last = '';
    const input = h('input.switch', { type: 'checkbox', role: 'switch', id: 'series', checked: app.series, onchange: (/** @type {any} */ e) => { app.series = e.target.checked; } });
    fill(foot, others(), h('div.scan__series', {}, h('label', { for: 'series' }, t('scan.series')), input));
  };
  rest();
  show({ title: t('scan.title'), hideTitle: true, bar: badges(), view: v.nodes, foot, tab: 'scan', classes: 'scan', onleave: () => { clearTimeout(green); v.stop(); } });
}

/** noCamera is the scan screen without a camera: the other ways are the screen. @param {string} name of the DOMException */
function noCamera(name) {
  const key = name === 'NotAllowedError' || name === 'SecurityError' ? 'denied' : name === 'NotReadableError' ? 'busy' : 'missing';
  show({
    title: t('scan.title'), tab: 'scan',
    body: [
      h('div.hero', {}, icon('camera'), h('h2', {}, t('scan.' + key)), h('p.muted', {}, t(`scan.${key}_more`))),
      h('div.app__body--pad.choices', {},
        choice('camera', 'scan.take', () => void takePhoto()), choice('file', 'scan.open_file', () => void openFiles()), choice('keyboard', 'scan.type_ref', () => void typeIn())),
    ],
    foot: h('div.actions.actions--one', {}, h('button.button.button--main', { onclick: () => scan() }, t('scan.ask'))),
  });
}

/** choice is a large button with a hint; text is a key, and its hint text_more. @param {string} icn @param {string} text @param {() => void} f */
export const choice = (icn, text, f) => h('button.choice', { type: 'button', onclick: f }, icon(icn),
  h('span', {}, h('b', {}, t(text)), h('span.hint', {}, t(text + '_more'))), icon('next'));

/** refreshBadges draws them again when the state has changed. */
export function refreshBadges() {
  const top = document.querySelector('.scan__top.scan__top');
  if (!top || !document.querySelector('.scan__foot')) return;
  for (const b of top.querySelectorAll('.badge')) b.remove();
  top.append(...badges());
}
