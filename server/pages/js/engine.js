// The scanner's engine as a guest (scanner/web/engine/PROTOCOL.md): it judges files in a worker, with the
// gateway's trust documents in memory. It keeps nothing, and no answer is a scan.

let engine = null; // of this page, once it is wanted

// open starts the worker, and resolves to a function that asks it.
function open(language) {
  const worker = new Worker('/scan/engine-worker.js');
  const waiting = new Map();
  let last = 0;
  return new Promise((resolve, reject) => {
    const broken = () => {
      worker.terminate();
      for (const done of waiting.values()) done({ ok: false, error: { code: 'internal' } });
      waiting.clear();
      engine = null;
      reject(new Error('the engine does not run'));
    };
    const ask = (message, transfer = []) => new Promise((done) => {
      waiting.set(++last, done);
      worker.postMessage({ ...message, id: last }, transfer);
    });
    worker.addEventListener('error', broken);
    worker.addEventListener('message', ({ data }) => {
      if (data.event === 'fatal') broken();
      waiting.get(data.id)?.(data);
      waiting.delete(data.id);
    });
    ask({ op: 'start', guest: true, language }).then((reply) => (reply.ok ? resolve(ask) : broken()));
  });
}

/**
 * judge has a file judged by the engine, with fresh trust documents. It rejects if the engine does not run here.
 * @param {string} name
 * @param {ArrayBuffer} bytes the engine keeps them
 * @param {{language: string, root: string}} site root is the fingerprint of the gateway's trust root
 * @returns {Promise<{answer?: object, failure?: {code: string, document?: string}, refreshed: boolean}>}
 */
export async function judge(name, bytes, site) {
  engine ??= open(site.language);
  const ask = await engine;
  const trust = await ask({ op: 'trust' });
  const fetched = trust.ok && trust.result.enrolled
    ? await ask({ op: 'refresh' })
    : await ask({ op: 'enrol', gateway: location.origin, fingerprint: site.root });
  const refreshed = fetched.ok && !fetched.result.error;
  const reply = await ask({ op: 'file', name, bytes }, [bytes]);
  if (reply.error?.code === 'internal') throw new Error('the engine does not run');
  return reply.ok ? { answer: reply.result.answer, refreshed } : { failure: reply.error, refreshed };
}
