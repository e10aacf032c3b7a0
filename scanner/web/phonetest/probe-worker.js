// The worker's half of a probe: it stands before engine-worker.js, and tells the page when scans become durable and when replies
// leave. Ids of scans are found in the bytes that the engine writes.
(() => {
  'use strict';
  const wire = new BroadcastChannel('tcode-probe');
  const HOLD = 300; // ms
  const STORE = 'tcode-scans';
  let mode = '';
  let open = 0; // things that are late
  const late = (f) => { open++; setTimeout(() => { open--; f(); }, HOLD); };
  wire.onmessage = ({ data }) => {
    if (data.mode === undefined) return;
    mode = data.mode;
    const settled = () => { if (open > 0) setTimeout(settled, 10); else note('mode', []); };
    settled();
  };

  const now = () => performance.timeOrigin + performance.now();
  const note = (what, ids) => wire.postMessage({ at: now(), what, ids: [...ids] });
  const idsIn = (bytes) => {
    const text = new TextDecoder('latin1').decode(bytes);
    return text.match(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g) ?? [];
  };

  // The database. Ids that a transaction writes are durable at its event "complete", which is told before the engine hears it.
  const written = new WeakMap(); // ids by transaction
  const early = new Set(); // transactions that the engine takes for complete
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (...args) {
    const tx = transaction.apply(this, args);
    if (this.name !== STORE || args[1] !== 'readwrite') return tx;
    const ids = new Set();
    written.set(tx, ids);
    tx.addEventListener('complete', (e) => {
      if (!e.isTrusted) return;
      if (early.delete(tx)) open--;
      if (mode !== 'slow') return note('complete', ids);
      e.stopImmediatePropagation();
      note('held', ids);
      late(() => { note('complete', ids); tx.dispatchEvent(new Event('complete')); });
    });
    return tx;
  };
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (value, key) {
    for (const id of idsIn(value)) written.get(this.transaction)?.add(id);
    return put.call(this, value, key);
  };
  // A fault: the engine takes a transaction for complete before it is committed.
  const { commit } = IDBTransaction.prototype;
  IDBTransaction.prototype.commit = function () {
    if (mode !== 'early database' || !written.has(this)) return commit.call(this);
    early.add(this);
    open++;
    const end = now() + HOLD, store = this.objectStore(this.objectStoreNames[0]);
    const wait = () => { if (now() < end) store.get(0).onsuccess = wait; else commit.call(this); };
    wait();
    setTimeout(() => this.dispatchEvent(new Event('complete')));
  };

  // The private files. Ids are durable when flush returns.
  const files = new WeakMap(); // ids that wait for flush, by handle
  const { createSyncAccessHandle } = FileSystemFileHandle.prototype;
  FileSystemFileHandle.prototype.createSyncAccessHandle = async function (...args) {
    const handle = await createSyncAccessHandle.apply(this, args);
    if (this.name.includes(STORE)) files.set(handle, new Set());
    return handle;
  };
  const { write, flush } = FileSystemSyncAccessHandle.prototype;
  FileSystemSyncAccessHandle.prototype.write = function (bytes, ...args) {
    for (const id of idsIn(bytes)) files.get(this)?.add(id);
    return write.call(this, bytes, ...args);
  };
  FileSystemSyncAccessHandle.prototype.flush = function () {
    const ids = files.get(this);
    if (!ids) return flush.call(this);
    const told = new Set(ids);
    ids.clear();
    // A fault: the engine does not wait for the disk.
    if (mode === 'early log') return late(() => { flush.call(this); note('flush', told); });
    if (mode === 'slow') for (const end = now() + HOLD; now() < end;);
    flush.call(this);
    note('flush', told);
  };

  const post = self.postMessage.bind(self);
  self.postMessage = (message, ...more) => {
    const findings = message?.result?.answer?.findings;
    if (findings && !message.result.entry) note('reply', findings.map((f) => f.scanId));
    post(message, ...more);
  };
})();
