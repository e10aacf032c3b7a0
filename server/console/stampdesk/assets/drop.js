// Takes a dropped file: <form data-drop> has a file input and a button, and is sent immediately.

for (const form of document.querySelectorAll('form[data-drop]')) {
  const input = form.querySelector('input[type=file]');
  const area = form.classList.contains('drop') ? form : document.getElementById('main');
  const bar = form.querySelector('progress[data-working]');
  let sent = false;
  form.addEventListener('submit', event => {
    if (sent) event.preventDefault();
    sent = true;
    if (bar) bar.hidden = false;
  });
  input.addEventListener('change', () => { if (input.files.length > 0) form.requestSubmit(); });
  area.addEventListener('dragover', event => { event.preventDefault(); form.classList.add('is-over'); });
  area.addEventListener('dragleave', () => form.classList.remove('is-over'));
  area.addEventListener('drop', event => {
    event.preventDefault();
    form.classList.remove('is-over');
    if (event.dataTransfer.files.length === 0) return;
    input.files = event.dataTransfer.files;
    form.requestSubmit();
  });
  addEventListener('pageshow', () => { sent = false; if (bar) bar.hidden = true; }); // back from another page
}
