// The live progress of a bulk job. Each event is the whole state of the job, so that after a
// lost line the next one says all. Without news for some time the page says so and attaches
// again; when the job is over it loads the screen of its end.

const card = document.querySelector('[data-live]');
const lost = document.getElementById('lost');
const live = document.getElementById('live');
const bar = card.querySelector('progress');
const quiet = 20; // seconds without news that say the line is lost
const longest = 30; // seconds between two tries

let source;
let heard = Date.now();
let pause = 2; // seconds before the next try
let next = 0; // when it is due; 0: the line stands

function draw(state) {
  for (const [name, text] of Object.entries(state.texts)) {
    for (const at of document.querySelectorAll(`[data-text="${name}"]`)) {
      if (at.textContent !== text) at.textContent = text;
    }
  }
  if (state.total > 0) {
    bar.max = state.total;
    bar.value = state.done;
  }
  card.dataset.done = state.done;
}

function attach() {
  source?.close();
  next = 0;
  heard = Date.now();
  source = new EventSource(card.dataset.live);
  source.onmessage = (event) => {
    heard = Date.now();
    pause = 2;
    lost.hidden = true;
    live.hidden = false;
    const state = JSON.parse(event.data);
    draw(state);
    if (state.over) {
      source.close();
      location.replace(location.pathname);
    }
  };
  source.onerror = fail;
}

function fail() {
  source.close();
  if (next) return;
  next = Date.now() + pause * 1000;
  pause = Math.min(pause * 2, longest);
  live.hidden = true;
  tick();
}

function tick() {
  const now = Date.now();
  if (next && now >= next) {
    attach();
  } else if (next) {
    // A stream that ended as it should attaches again soon, without a notice.
    lost.hidden = now - heard < 3000;
    document.getElementById('wait').textContent = Math.ceil((next - now) / 1000);
  } else if (now - heard > quiet * 1000) {
    fail();
  }
  document.getElementById('ago').textContent = Math.floor((now - heard) / 1000);
}

document.getElementById('now').addEventListener('click', attach);
document.getElementById('refresh').hidden = true;
setInterval(tick, 1000);
attach();
