// The form of a new bulk job: files are dropped, checked for their size, and sent with a
// progress. If the order is refused, what was typed and chosen stays.

const form = document.querySelector('[data-upload]');

function say(name, text) {
  const at = form.querySelector(`[data-problem="${name}"]`);
  at.replaceChildren();
  if (!text) return;
  const p = document.createElement('p');
  p.className = 'wrong';
  p.setAttribute('role', 'alert');
  p.textContent = text;
  at.append(p);
}

function tooBig() {
  let found = false;
  for (const input of form.querySelectorAll('input[type=file]')) {
    const big = input.files[0]?.size > Number(input.dataset.most);
    say(input.name, big ? form.dataset.tooBig : '');
    found ||= big;
  }
  return found;
}

function mib(n) { return (n / 1048576).toFixed(1); }

function lost() {
  const notice = document.createElement('div');
  notice.className = 'notice notice--refuse';
  notice.setAttribute('role', 'alert');
  const text = document.createElement('div');
  text.textContent = form.dataset.lost;
  notice.append(text);
  document.getElementById('refused').replaceChildren(notice);
}

// show draws the answer to a refused order.
function show(html) {
  const page = new DOMParser().parseFromString(html, 'text/html');
  if (!page.querySelector('[data-upload]')) { // another screen
    document.title = page.title;
    document.getElementById('main').replaceChildren(...page.getElementById('main').childNodes);
    return;
  }
  document.getElementById('refused').replaceChildren(...page.getElementById('refused').childNodes);
  for (const at of form.querySelectorAll('[data-problem]')) {
    at.replaceChildren(...page.querySelector(`[data-problem="${at.dataset.problem}"]`).childNodes);
    const field = form.elements[at.dataset.problem];
    if (!field || field.type === 'file') continue;
    if (at.childElementCount) field.setAttribute('aria-invalid', 'true'); else field.removeAttribute('aria-invalid');
  }
  document.getElementById('refused').scrollIntoView();
}

function send(button) {
  const sending = document.getElementById('sending');
  const orders = document.getElementById('orders');
  const bar = sending.querySelector('progress');
  const call = new XMLHttpRequest();
  const end = () => { sending.hidden = true; orders.hidden = false; };
  call.upload.onprogress = (event) => {
    bar.max = event.total;
    bar.value = event.loaded;
    document.getElementById('sent').textContent = `${mib(event.loaded)} / ${mib(event.total)} MiB`;
  };
  call.onload = () => {
    if (call.status === 200 && call.responseURL !== new URL(form.action).href) {
      location.assign(call.responseURL);
      return;
    }
    end();
    show(call.responseText);
  };
  call.onerror = () => { end(); lost(); };
  call.onabort = end;
  document.getElementById('stop').onclick = () => call.abort();
  call.open('POST', form.action);
  sending.hidden = false;
  orders.hidden = true;
  call.send(new FormData(form, button));
}

function showParts() {
  const type = form.elements.validityType?.value;
  for (const part of form.querySelectorAll('[data-when]')) part.hidden = part.dataset.when !== type;
}

if (form) {
  for (const hint of form.querySelectorAll('[data-scripted]')) hint.hidden = false;
  form.addEventListener('submit', (event) => {
    if (event.submitter?.formAction && !event.submitter.formAction.endsWith('/console/bulk/new')) return;
    event.preventDefault();
    if (!tooBig()) send(event.submitter);
  });
  form.addEventListener('change', () => { tooBig(); showParts(); });
  for (const zone of form.querySelectorAll('[data-drop]')) {
    zone.addEventListener('dragover', (event) => event.preventDefault());
    zone.addEventListener('drop', (event) => {
      event.preventDefault();
      const input = zone.querySelector('input');
      input.files = event.dataTransfer.files;
      input.dispatchEvent(new Event('change', { bubbles: true }));
    });
  }
  showParts();
}
