// Vibration and sound for an answer, both off-able. They repeat what the screen says, for pockets and noise.

import { page } from './app.js';

/** Vibration in ms: on, off, on. @type {Record<string, number[]>} */
const SHAKES = { accept: [60], look: [60, 80, 60], refuse: [300, 100, 300], unknown: [150] };
/** Tones in Hz, one after another. @type {Record<string, number[]>} */
const TONES = { accept: [880, 1320], look: [880, 880], refuse: [300, 220], unknown: [440] };

let audio = /** @type {AudioContext | null} */ (null);

// Browsers let a page sound only after a person has touched it.
document.addEventListener('pointerdown', () => {
  if (!page.sound) return;
  audio ??= new AudioContext();
  void audio.resume();
});

/** feel gives the vibration and the sound of a tone. @param {string} tone */
export function feel(tone) {
  if (page.vibration && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(SHAKES[tone] ?? SHAKES.unknown);
  if (page.sound) play(TONES[tone] ?? TONES.unknown);
}

/** @param {number[]} tones */
function play(tones) {
  if (audio?.state !== 'running') return;
  const length = 0.14;
  tones.forEach((hz, i) => {
    const from = audio.currentTime + i * length;
    const gain = audio.createGain();
    gain.gain.setValueAtTime(0.2, from);
    gain.gain.exponentialRampToValueAtTime(0.001, from + length);
    const tone = audio.createOscillator();
    tone.frequency.value = hz;
    tone.connect(gain).connect(audio.destination);
    tone.start(from);
    tone.stop(from + length);
  });
}
