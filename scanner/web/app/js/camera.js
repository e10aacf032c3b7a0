// The camera: one permission prompt a visit, stopped when the page is hidden, and kept for a short time
// between two scans.

import { page, setPage } from './app.js';

const IDLE = 30_000; // ms for which the camera stays on without a screen that shows it

/**
 * ask asks for a camera. Engines differ in what they throw: an OverconstrainedError is no DOMException in WebKit, where it also
 * means that there is no camera.
 * @param {MediaTrackConstraints} wish @returns {Promise<MediaStream>}
 */
async function ask(wish) {
  const get = (/** @type {any} */ video) => navigator.mediaDevices.getUserMedia({ audio: false, video });
  try {
    return await get(wish).catch((err) => (err.name === 'OverconstrainedError' ? get(true) : Promise.reject(err)));
  } catch (/** @type {any} */ err) {
    throw err instanceof DOMException ? err : new DOMException(err.message, err.name || 'NotFoundError');
  }
}

/** A Camera owns at most one stream. */
class Camera {
  /** @type {MediaStream | null} */ #stream = null;
  #idle = 0;
  /** @type {Promise<MediaStream> | null} */ #starting = null;
  /** @type {WakeLockSentinel | null} */ #lock = null;

  constructor() {
    document.addEventListener('visibilitychange', () => { if (document.hidden) this.stop(); });
    addEventListener('pagehide', () => this.stop());
  }

  /** start returns the stream, the one that runs if there is one. The error is a DOMException with the name of that of getUserMedia. */
  async start() {
    clearTimeout(this.#idle);
    if (this.#stream?.active) return this.#stream;
    this.#starting ??= this.#open().finally(() => { this.#starting = null; });
    return this.#starting;
  }

  /** early opens the camera before its screen is there, if no prompt would come. It stops soon unless the screen takes it. */
  async early() {
    const permission = await navigator.permissions.query(/** @type {any} */ ({ name: 'camera' }));
    if (permission.state !== 'granted' || document.hidden) return;
    await this.start();
    this.rest();
  }

  async #open() {
    if (!navigator.mediaDevices?.getUserMedia) throw new DOMException('no camera', 'NotFoundError');
    const video = /** @type {any} */ ({ width: { ideal: 1920 }, height: { ideal: 1080 }, facingMode: { ideal: 'environment' } });
    if (page.camera) {
      video.deviceId = { ideal: page.camera };
      delete video.facingMode;
    }
    const stream = await ask(video);
    if (document.hidden) {
      for (const track of stream.getTracks()) track.stop();
      throw new DOMException('hidden', 'AbortError');
    }
    this.#stream = stream;
    this.#stayOn(stream);
    return stream;
  }

  /** stayOn keeps the screen on while the camera runs: its owner aims and touches nothing. A browser may refuse. @param {MediaStream} stream */
  async #stayOn(stream) {
    const lock = await navigator.wakeLock?.request('screen').catch(() => null) ?? null;
    if (this.#stream !== stream) return lock?.release();
    this.#lock = lock;
  }

  /** tune sets what cameras take only once they run: continuous focus, and the kept zoom. */
  async tune() {
    const can = this.can();
    if (can.focusMode?.includes('continuous')) await this.#apply({ focusMode: 'continuous' });
    if (this.zooms().includes(page.zoom) && page.zoom > 1) await this.#apply({ zoom: page.zoom });
  }

  /** can returns the capabilities of the track; none of them is certain. @returns {any} */
  can() {
    const track = this.#stream?.getVideoTracks()[0];
    return track?.getCapabilities?.() ?? {};
  }

  /** zooms returns the steps that the camera has: none, or 1 and more. */
  zooms() {
    const range = this.can().zoom;
    const steps = range ? [1, 2, 4].filter((z) => z >= range.min && z <= range.max) : [];
    return steps.length > 1 ? steps : [];
  }

  /** @param {any} constraint @returns {Promise<boolean>} whether the camera did it */
  async #apply(constraint) {
    try {
      await this.#stream?.getVideoTracks()[0].applyConstraints({ advanced: [constraint] });
      return true;
    } catch {
      return false; // the camera runs without it
    }
  }

  /** @param {boolean} on */
  torch(on) { return this.#apply({ torch: on }); }

  /** @param {number} z */
  async zoom(z) {
    if (await this.#apply({ zoom: z })) setPage({ zoom: z });
  }

  /** others returns the ids of all cameras, known once the first has started. */
  async others() {
    const all = await navigator.mediaDevices.enumerateDevices();
    return all.filter((d) => d.kind === 'videoinput' && d.deviceId).map((d) => d.deviceId);
  }

  /** flip changes to the next camera, and keeps the choice. */
  async flip() {
    const all = await this.others();
    const now = this.#stream?.getVideoTracks()[0].getSettings().deviceId ?? '';
    setPage({ camera: all[(all.indexOf(now) + 1) % all.length] ?? '' });
    this.stop();
    return this.start();
  }

  /** rest keeps the camera for a short time, for the next scan. */
  rest() {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.stop(), IDLE);
  }

  stop() {
    clearTimeout(this.#idle);
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    this.#stream = null;
    this.#lock?.release();
    this.#lock = null;
  }
}

export const camera = new Camera();
