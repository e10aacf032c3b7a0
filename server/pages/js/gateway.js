// Questions to the gateway about a file by its fingerprint. The file itself is never sent.

async function ask(path, options) {
  const res = await fetch(path, { credentials: 'omit', ...options });
  if (res.status === 429) return { key: 'busy' };
  if (!res.ok) return { key: 'failed' };
  const { data } = await res.json();
  return data.verdict === 'not_found' ? null : data;
}

// keyOf returns the answer about a record that has the fingerprint of a file.
function keyOf(found) {
  if (found.test) return 'test';
  if (found.verdict === 'revoked' && found.replacedBy) return 'replaced';
  if (found.verdict !== 'valid') return ['revoked', 'suspended', 'expired'].includes(found.verdict) ? found.verdict : 'unverified';
  // The record of a stamp knows its unstamped original too. That one proves nothing.
  const stamped = found.matchedOn === 'stamped' || (found.matchedOn === 'original' && 'stamp' in found && found.stamp === null);
  return stamped ? 'same_file' : 'original';
}

/**
 * byFingerprint asks whether an issuer knows a file, by its SHA-256.
 * @param {ArrayBuffer} bytes
 * @returns {Promise<{key: string, found?: object}>} key is that of an answer; found is the gateway's record
 */
export async function byFingerprint(bytes) {
  const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const hash = Array.from(sum, (b) => b.toString(16).padStart(2, '0')).join('');
  const body = JSON.stringify({ hash });
  try {
    const found = await ask('/v1/trust/verify/by-hash', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
      ?? await ask(`/v1/tcode/verify/hash/${hash}`);
    if (!found) return { key: 'unknown_file' };
    return found.key ? found : { key: keyOf(found), found };
  } catch {
    return { key: 'failed' }; // there is no network
  }
}
