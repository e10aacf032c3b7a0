// Public keys and signatures: offline/payload/FORMAT.md, "Signature".

import { createHash, createPublicKey, verify } from 'node:crypto';
import { need, number } from './common.mjs';

const power = (b, e, m) => {
  let r = 1n;
  for (b %= m; e > 0n; e >>= 1n) { if (e & 1n) r = (r * b) % m; b = (b * b) % m; }
  return r;
};
const mod = (a, m) => ((a % m) + m) % m;

const ED_P = 2n ** 255n - 19n;
const ED_D = mod(-121665n * power(121666n, ED_P - 2n, ED_P), ED_P);
const ORDER8 = [
  0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n,
  0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n,
];
const P = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;
const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const ED_L = 2n ** 252n + 27742317777372353535851937790883648493n;

function checkEd25519(raw) {
  need(raw.length === 32, 'public-key');
  const y = number(Buffer.from(raw).reverse()) & (2n ** 255n - 1n);
  need(y < ED_P, 'public-key');
  need(![0n, 1n, ED_P - 1n, ...ORDER8].includes(y), 'public-key');
  const square = mod((y * y - 1n) * power(ED_D * y * y + 1n, ED_P - 2n, ED_P), ED_P);
  need(power(square, (ED_P - 1n) / 2n, ED_P) === 1n, 'public-key');
}

function checkES256(raw) {
  need(raw.length === 65 && raw[0] === 4, 'public-key');
  const [x, y] = [number(raw.subarray(1, 33)), number(raw.subarray(33))];
  need(x < P && y < P, 'public-key');
  need(mod(y * y - (x * x * x - 3n * x + B), P) === 0n, 'public-key');
}

const known = new Map(); // keys that were checked

// publicKey imports a key of 32 or 65 bytes.
export function publicKey(algorithm, raw) {
  const id = algorithm + raw.toString('hex');
  if (!known.has(id)) {
    if (algorithm === 'Ed25519') checkEd25519(raw); else checkES256(raw);
    known.set(id, { algorithm, raw });
  }
  return known.get(id);
}

function object(key) {
  const part = (from, to) => key.raw.subarray(from, to).toString('base64url');
  const jwk = key.algorithm === 'Ed25519' ? { kty: 'OKP', crv: 'Ed25519', x: part(0) } : { kty: 'EC', crv: 'P-256', x: part(1, 33), y: part(33) };
  return (key.object ??= createPublicKey({ format: 'jwk', key: jwk }));
}

// verifies checks 64 bytes of signature.
export function verifies(key, message, signature) {
  if (signature.length !== 64) return false;
  if (key.algorithm === 'Ed25519') {
    if (number(Buffer.from(signature.subarray(32)).reverse()) >= ED_L) return false;
    return verify(null, message, object(key), signature);
  }
  const [r, s] = [number(signature.subarray(0, 32)), number(signature.subarray(32))];
  if (r < 1n || r >= N || s < 1n || s > N / 2n) return false;
  return verify('sha256', message, { key: object(key), dsaEncoding: 'ieee-p1363' }, signature);
}
