// Small additions to screens that work without them too.
//
// <button data-copy="ID" data-copied="WORD" hidden> copies the text of the element ID.
// <input type="checkbox" data-all="NAME"> checks all boxes of that name in its form.

for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim());
    const said = button.querySelector('span') ?? button;
    said.textContent = button.dataset.copied;
  });
}

for (const box of document.querySelectorAll('[data-all]')) {
  box.addEventListener('change', () => {
    for (const one of box.form.querySelectorAll(`input[name="${box.dataset.all}"]`)) one.checked = box.checked;
  });
}
