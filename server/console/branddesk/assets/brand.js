// The preview follows what is typed. The gateway draws it, as for the button "Preview".

const form = document.getElementById('look');
let turn = 0;
let wait;

async function draw() {
  const mine = ++turn;
  const fields = new URLSearchParams(new FormData(form));
  const answer = await fetch(`${form.dataset.preview}?${fields}`);
  if (!answer.ok || answer.redirected || mine !== turn) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const drawn = page.getElementById('preview');
  if (drawn && mine === turn) document.getElementById('preview').replaceWith(document.adoptNode(drawn));
}

form.addEventListener('input', () => {
  clearTimeout(wait);
  wait = setTimeout(draw, 250);
});
