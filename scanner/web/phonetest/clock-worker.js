// The engine's clock, for tests: it stands still at the time that the page sets.
(() => {
  'use strict';
  const wire = new BroadcastChannel('tcode-clock');
  const Machine = Date;
  let at = 0; // ms since 1970; 0: not set
  const now = () => at || Machine.now();
  self.Date = class extends Machine {
    constructor(...args) { super(...(args.length > 0 ? args : [now()])); }

    static now() { return now(); }
  };
  wire.onmessage = ({ data }) => {
    at = data.at;
    wire.postMessage({ set: true });
  };
})();
