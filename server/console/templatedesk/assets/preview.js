// The preview of the template editor follows what is typed.

const form = document.getElementById('editor');
const list = document.getElementById('preview');

function draw() {
  for (const row of form.querySelectorAll('[data-field]')) {
    const at = row.dataset.field;
    const label = list.querySelector(`[data-label="${at}"]`);
    const mark = list.querySelector(`[data-required="${at}"]`);
    if (label && !label.dataset.named) label.textContent = form.elements[`label${at}`].value || form.elements[`key${at}`].value || '–';
    if (mark) mark.hidden = !form.elements[`required${at}`].checked;
  }
  document.getElementById('preview-name').textContent = form.elements.name.value || '–';
}

form.addEventListener('input', draw);
