// Shows the progress of an order until it is over. Without this script a link does so.

const box = document.getElementById('order');
const wait = 1000; // ms

async function refresh() {
  try {
    const answer = await fetch(location.href, { headers: { Accept: 'text/html' } });
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const now = page.getElementById('order');
    if (!answer.ok || !now) return location.reload();
    box.replaceChildren(...now.childNodes);
    if (now.dataset.state !== 'Running') return;
  } catch {
    // The next try may succeed.
  }
  setTimeout(refresh, wait);
}

setTimeout(refresh, wait);
