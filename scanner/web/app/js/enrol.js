// Enrolment in three steps: read the code, compare the fingerprint, ready. And the first start without any of it.

import { app, ask, explain, go, here, setTrust, show, tell, working } from './app.js';
import { h, hidden, icon, pick } from './dom.js';
import { release } from './release-info.js';
import { choice, view } from './scan.js';
import { age, bytes, day, number, t, tn, utc } from './text.js';
import { fingerprintBox, importFile } from './trustfile.js';

/** enrol shows a step. @param {string} step */
export async function enrol(step) {
  if (step === '3') return ready();
  if (step === '2' && app.enrolment) return compare(app.enrolment);
  return look();
}

/** found goes on with a code. @param {any} code */
function found(code) {
  app.enrolment = code;
  go('enrol/2');
}

/** readText reads a typed or scanned text as a code. @param {string} text */
export async function readText(text) {
  try {
    found(await app.engine.ask('readCode', { text }));
  } catch (err) {
    await tell(t('enrol.bad'), h('p', {}, /** @type {any} */ (err).code === 'request' ? t('enrol.look') : explain(err)));
  }
}

function look() {
  const type = async () => {
    const text = await ask(t('scan.type_title'), (close) => {
      const input = h('input.input.mono', { id: 'code', autocomplete: 'off', spellcheck: 'false', dir: 'ltr', maxlength: 8192 });
      return h('form.stack', { onsubmit: (/** @type {Event} */ e) => { e.preventDefault(); close(input.value.trim()); } }, h('div.field', {}, h('label', { for: 'code' }, t('trust.enrol')), input),
        h('div.buttons.buttons--end', {}, h('button.button', { type: 'button', onclick: () => close(null) }, t('cancel')), h('button.button.button--main', { type: 'submit' }, t('done'))));
    });
    if (text) await readText(text);
  };
  const file = async (/** @type {boolean} */ photo) => {
    const [picture] = await pick('image/*', photo);
    if (!picture) return;
    try {
      const bitmap = await createImageBitmap(picture, { resizeWidth: 1600 });
      const reply = await app.engine.ask('frame', { frame: bitmap }, [bitmap]);
      if (reply.enrolment) found(reply.enrolment);
      else await tell(t('enrol.bad'), h('p', {}, t('enrol.look')));
    } catch (err) {
      await tell(t('enrol.bad'), h('p', {}, explain(err)));
    }
  };
  const ways = h('div.scan__other', {},
    h('button.button', { type: 'button', onclick: () => void file(true) }, icon('camera'), t('scan.photo')),
    h('button.button', { type: 'button', onclick: () => void file(false) }, icon('file'), t('scan.file')),
    h('button.button', { type: 'button', onclick: () => void type() }, icon('keyboard'), t('scan.type')));
  const v = view({
    enrol: true, series: () => true,
    onreply(reply) { if (reply.enrolment) { v.pause(); found(reply.enrolment); } },
    onfail(err) {
      if (err instanceof DOMException && err.name === 'AbortError') return;
      v.pause();
      show({
        title: t('enrol.1'), back: 'trust', foot: ways, classes: 'nocamera',
        body: h('div.hero', {}, icon('camera'), h('h2', {}, t('scan.missing')), h('p.muted', {}, err instanceof DOMException ? t('scan.missing_more') : explain(err))),
      });
    },
  });
  show({
    title: t('enrol.1'), classes: 'scan', view: v.nodes, foot: ways, onleave: () => v.stop(),
    bar: [h('a.badge', { href: '#/trust' }, icon('close'), hidden(t('enrol.stop')))],
  });
}

/** @param {any} code */
function compare(code) {
  if (code.pinned === 'other') return stop(t('enrol.other'));
  if (code.elsewhere) return stop(tn('enrol.elsewhere', { gateway: h('bdi', { dir: 'ltr' }, code.gateway) }));
  const name = h('input.input', { id: 'device-name', value: app.settings?.deviceName || suggested(), maxlength: 64, dir: 'auto', 'aria-describedby': 'device-hint', autocomplete: 'off' });
  const yes = (/** @type {Event} */ e) => working(e, async () => {
    const reply = await app.engine.ask('enrol', { gateway: code.gateway, fingerprint: code.fingerprint, deviceName: name.value.trim() });
    app.enrolment = null;
    setTrust(reply.state?.trust ?? await app.engine.ask('trust'));
    void navigator.storage?.persist?.().then((kept) => { app.persisted = kept; });
    go('enrol/3');
  });
  show({
    title: t('enrol.2'), back: 'enrol', pad: true,
    body: h('div.stack', {},
      code.pinned === 'same' ? h('p', {}, t('enrol.again')) : null,
      h('p', {}, t('enrol.same')), h('div.card', {}, fingerprintBox(code.fingerprint)), h('p.muted', {}, t('enrol.warn')),
      h('div.field', {}, h('label', { for: 'device-name' }, t('enrol.name')), name, h('p.hint', { id: 'device-hint' }, t('enrol.name_hint'))),
      h('dl.facts', {}, h('dt', {}, t('trust.gateway')), h('dd', {}, h('bdi', { dir: 'ltr' }, code.gateway)))),
    foot: h('div.actions', {}, h('button.button.button--grave', { onclick: () => stop(t('enrol.refused_more')) }, t('enrol.no')), h('button.button.button--main', { onclick: yes }, t('enrol.yes'))),
  });
}

/** @param {any} why text or nodes */
function stop(why) {
  app.enrolment = null;
  show({
    title: t('enrol.2'), back: 'trust',
    body: h('div.hero', {}, icon('shield'), h('h2', {}, t('enrol.refused')), h('p', {}, why)),
    foot: h('div.actions.actions--one', {}, h('a.button.button--main', { href: '#/trust' }, t('tab.trust'))),
  });
}

/** suggested is a name for this phone that a person can change. */
function suggested() {
  const data = /** @type {any} */ (navigator).userAgentData;
  return data?.platform ? `${data.platform}` : '';
}

async function ready() {
  const still = here('enrol');
  const s = await app.engine.ask('trust');
  setTrust(s);
  const good = s.usable;
  const kept = await caches.has('tcode-files').catch(() => false);
  if (!still()) return;
  const until = [s.statusUntil, s.bundleUntil].filter(Boolean).sort()[0];
  const add = installNotice();
  show({
    title: t('enrol.3'),
    body: [
      h('div.hero', {}, icon('shield'), h('h2', {}, t(good ? 'enrol.ready' : 'enrol.pinned')), h('p.muted', {}, good && until ? tn('enrol.until', { date: day(until, 'long'), age: age(604_800_000, 1) }) : t('enrol.pinned_more'))),
      h('div.app__body--pad.stack', {}, h('div.card', {},
        h('div.row', {}, h('span', {}, t('trust.issuers')), h('b', {}, number(s.issuers ?? 0))),
        s.statusAsOf ? h('div.row', {}, h('span', {}, t('enrol.status')), h('b', {}, utc(s.statusAsOf))) : null,
        h('div.row', {}, h('span', {}, t('enrol.program')), h('b', {}, t(kept ? 'enrol.kept' : 'enrol.not_kept', { size: bytes(release.bytes) })))), add),
    ],
    foot: h('div.actions.actions--one', {}, h('a.button.button--main', { href: '#/scan' }, t('enrol.scan'))),
  });
}

/** installNotice says how to add the app to the home screen; nothing if it was opened from there. */
export function installNotice() {
  if (matchMedia('(display-mode: standalone)').matches || /** @type {any} */ (navigator).standalone) return null;
  const ios = /iPhone|iPad/.test(navigator.userAgent);
  if (!app.install && !ios) return null;
  return h('div.notice.notice--info', {}, icon('device'), h('div', {}, h('strong', {}, t('enrol.add')), t('enrol.add_more'),
    ios ? h('p', {}, t('enrol.add_ios')) : h('div.buttons', {}, h('button.button', { onclick: () => app.install.prompt() }, t('enrol.add_button')))));
}

/** first is the first start: nothing is trusted yet. */
export function first() {
  const offline = !navigator.onLine || app.sync?.error?.code === 'offline';
  show({
    title: t('first'), tab: 'scan', bar: offline ? [h('span.pill.pill--look', {}, icon('offline'), t('first.offline'))] : [],
    body: [
      h('div.hero', {}, icon('shield'), h('h2', {}, t('first.title')), h('p.muted', {}, t(offline ? 'first.more_offline' : 'first.more'))),
      h('div.app__body--pad.choices', {},
        choice('file', 'first.file', async () => {
          const [file] = await pick('');
          if (!file) return;
          try {
            if (await importFile(file)) go('trust');
          } catch (err) {
            await tell(t('first.file'), h('p', {}, explain(err)));
          }
        }),
        choice('scan', 'first.enrol', () => go('enrol')),
        choice('camera', 'first.anyway', () => { app.anyway = true; go('scan'); })),
    ],
  });
}
