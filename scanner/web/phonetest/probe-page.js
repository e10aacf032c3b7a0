// The page's half of a probe: it notes when a word, a colour or a vibration of a verdict first appears, and gathers what the
// worker tells. All times are in ms since 1970, of one clock.
(() => {
  'use strict';
  const wire = new BroadcastChannel('tcode-probe');
  const events = [];
  const now = () => performance.timeOrigin + performance.now();
  const note = (what, more = {}) => events.push({ at: now(), what, ...more });
  let modeSet = () => {};
  wire.onmessage = ({ data }) => { events.push(data); if (data.what === 'mode') modeSet(); };

  let words = [];
  const TONE = /(^|[\s-])(accept|look|refuse|unknown)($|\s)/;
  function shown() {
    const text = document.documentElement.textContent;
    const word = words.find((w) => text.includes(w));
    if (word) return word;
    for (const e of document.querySelectorAll('[class]')) if (TONE.test(e.getAttribute('class'))) return e.getAttribute('class');
    return '';
  }
  let last = '';
  new MutationObserver(() => {
    const is = shown();
    if (is && !last) note('verdict', { text: is });
    last = is;
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  const { vibrate } = Navigator.prototype;
  Navigator.prototype.vibrate = function (pattern) {
    note('verdict', { text: 'vibration' });
    return vibrate.call(this, pattern);
  };

  async function until(what, is) {
    for (const end = now() + 20_000; !is();) {
      if (now() > end) throw new Error(`${what}: ${location.hash} ${document.body.innerText}`);
      await new Promise((ok) => setTimeout(ok, 5));
    }
  }

  /** look has a document judged as the app's own buttons do, waits for the verdict on the screen, and returns its headline. */
  async function look({ kind, name, text, bytes, mode }) {
    const { judgeAll, typed } = await import('/scan/js/submit.js');
    if (words.length === 0) {
      const all = await (await fetch('/scan/text/en.json')).json();
      words = Object.entries(all).filter(([key]) => key.startsWith('word.')).flatMap(([, word]) => word.split('|'));
    }
    location.hash = '#/scan';
    await until('the screen without a verdict', () => document.querySelector('.view') && !shown());
    last = '';
    note('look', { text: kind });
    if (mode === 'early page') document.title += words[0]; // a fault
    if (kind === 'typed') await typed(text, false);
    else await judgeAll([new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], name)], kind === 'still');
    await until('a verdict', () => document.querySelector('.verdict__word') && document.querySelector('#live:not(:empty)'));
    const word = document.querySelector('.verdict__word').textContent;
    note('shown', { text: word });
    return word;
  }

  window.tcodeProbe = {
    look,
    /** mode sets how the worker behaves, and waits until all that it told before has arrived. */
    mode: (/** @type {string} */ mode) => new Promise((ok) => { modeSet = () => ok(true); wire.postMessage({ mode }); }),
    take: () => events.splice(0),
  };
})();
