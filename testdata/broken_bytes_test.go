package testdata_test

// cofactored verifies an Ed25519 signature as some libraries do: both sides of the
// equation times 8.
const cofactored = `
  const inv = (a) => power(mod(a, ED_P), ED_P - 2n, ED_P);
  const add = ([x1, y1], [x2, y2]) => {
    const k = ED_D * x1 * x2 * y1 * y2;
    return [mod((x1 * y2 + x2 * y1) * inv(1n + k), ED_P), mod((y1 * y2 + x1 * x2) * inv(1n - k), ED_P)];
  };
  const times = (n, p) => { let r = [0n, 1n]; for (; n > 0n; n >>= 1n) { if (n & 1n) r = add(r, p); p = add(p, p); } return r; };
  const at = (raw) => {
    const n = number(Buffer.from(raw).reverse());
    const y = n & (2n ** 255n - 1n);
    const square = mod((y * y - 1n) * inv(ED_D * y * y + 1n), ED_P);
    let x = power(square, (ED_P + 3n) / 8n, ED_P);
    if (mod(x * x - square, ED_P) !== 0n) x = mod(x * power(2n, (ED_P - 1n) / 4n, ED_P), ED_P);
    if ((x & 1n) !== n >> 255n) x = ED_P - x;
    return [x, y];
  };
  const base = at(Buffer.from('5866666666666666666666666666666666666666666666666666666666666666', 'hex'));
  const R = signature.subarray(0, 32);
  const k = number(createHash('sha512').update(R).update(key.raw).update(message).digest().reverse());
  const left = times(8n * number(Buffer.from(signature.subarray(32)).reverse()), base);
  const right = times(8n, add(at(R), times(k % ED_L, at(key.raw))));
  if (left[0] === right[0] && left[1] === right[1]) return true;
`

// brokenPayloads are readers of payloads, keys and Trust documents.
func brokenPayloads() []broken {
	return []broken{
		{"payload", "keys.mjs", "does not check the curve of P-256", "key-es256-off-curve", "need(mod(y * y - (x * x * x - 3n * x + B), P) === 0n, 'public-key');", ""},
		{"payload", "keys.mjs", "reduces coordinates by the prime", "key-es256-x-is-p", "need(x < P && y < P, 'public-key');", ""},
		{"payload", "keys.mjs", "accepts keys of small order", "key-ed25519-small-order-3", "need(![0n, 1n, ED_P - 1n, ...ORDER8].includes(y), 'public-key');", ""},
		{"payload", "keys.mjs", "reduces y by the prime", "key-ed25519-all-ones", "need(y < ED_P, 'public-key');", ""},
		{"payload", "keys.mjs", "does not check the curve of Ed25519", "key-ed25519-off-curve", "need(power(square, (ED_P - 1n) / 2n, ED_P) === 1n, 'public-key');", ""},
		{"payload", "keys.mjs", "takes a hybrid key", "key-es256-hybrid", "raw[0] === 4", "[4, 6, 7].includes(raw[0])"},
		{"payload", "keys.mjs", "accepts high S", "signature-es256-high-s", "s > N / 2n", "s >= N"},
		{
			"payload", "keys.mjs", "reduces S by the order", "signature-ed25519-s-plus-order",
			"if (number(Buffer.from(signature.subarray(32)).reverse()) >= ED_L) return false;",
			"signature = Buffer.concat([signature.subarray(0, 32), Buffer.from((number(Buffer.from(signature.subarray(32)).reverse()) % ED_L).toString(16).padStart(64, '0'), 'hex').reverse()]);",
		},
		{
			"payload", "keys.mjs", "verifies with the cofactor", "signature-ed25519-torsion",
			"    return verify(null, message, object(key), signature);", cofactored + "    return verify(null, message, object(key), signature);",
		},
		{"payload", "payload.mjs", "lets the payload choose its algorithm", "signature-algorithm-not-the-keys", "if (p.algorithm !== key.algorithm) return false;", "p = { ...p, algorithm: key.algorithm };"},
		{"payload", "payload.mjs", "writes the length of a long core in one byte", "ed25519-core-256", "n < 256 ? [0x58, n] : [0x59, n >> 8, n & 255]", "[0x58, n & 255]"},
		{"payload", "payload.mjs", "writes the length of 255 in two bytes", "ed25519-core-255", "n < 256 ? [0x58, n]", "n < 255 ? [0x58, n]"},
		{"payload", "payload.mjs", "signs the core itself", "ed25519-core-255", "cborBytes(Buffer.from('TCode/1')),\n    cborBytes(p.core),", "p.core,"},
		{"payload", "payload.mjs", "leaves the external_aad out", "ed25519-core-255", "cborBytes(Buffer.from('TCode/1'))", "cborBytes(Buffer.from(''))"},
		{"payload", "common.mjs", "drops a byte order mark", "ed25519-field-bom", "ignoreBOM: true", "ignoreBOM: false"},
		{"payload", "common.mjs", "replaces what is no UTF-8", "bad-field-value-beyond", "fatal: true", "fatal: false"},
		{"payload", "payload.mjs", "ignores bytes behind the signature", "bad-field-extra", "need(at === raw.length, 'trailing');", ""},
		{"payload", "payload.mjs", "skips unknown flags", "bad-flag-08", "need((flags & ~0x87) === 0, 'flags');", ""},
		{"payload", "payload.mjs", "lets a document expire when it is issued", "bad-expiry-equal", "need(expiry > issued, 'expiry');", "need(expiry >= issued, 'expiry');"},
		{"payload", "payload.mjs", "accepts no fields where the flag says some", "bad-field-count-0", "need(count >= 1 && count <= 16, 'field-count');", "need(count <= 16, 'field-count');"},
		{"payload", "payload.mjs", "takes 17 fields", "bad-field-count-17", "count <= 16", "count <= 17"},
		{"payload", "payload.mjs", "takes a key twice", "bad-field-key-twice", "p.fields[i - 1].key < key", "p.fields[i - 1].key <= key"},
		{"payload", "payload.mjs", "takes keys in any order", "bad-field-key-descending", "need(i === 0 || p.fields[i - 1].key < key, 'field-order');", ""},
		{"payload", "payload.mjs", "takes issuers beyond 36^6", "bad-issuer-all-ones", "?? refuse('issuer')", "?? '000000'"},
		{"payload", "payload.mjs", "converts all of Unicode to upper case", "reference-bad-dotless-i", ".replaceAll(/[a-z]/g, (c) => c.toUpperCase())", ".toUpperCase()"},
		{"payload", "payload.mjs", "takes typed references of 1025 bytes", "reference-bad-1025", "Buffer.byteLength(input) <= 1024", "Buffer.byteLength(input) <= 1025"},
		{"payload", "payload.mjs", "refuses typed references of 1024 bytes", "reference-1024", "Buffer.byteLength(input) <= 1024", "Buffer.byteLength(input) < 1024"},
		{"payload", "payload.mjs", "takes U in a reference", "reference-bad-u", "[0-9A-TV-Z]", "[0-9A-Z]"},
		{"payload", "payload.mjs", "takes a second text of the same bytes", "text-01-greatest", "need(value < 256n ** BigInt(n), 'text-value');", "value &= 256n ** BigInt(n) - 1n;"},
		{"payload", "payload.mjs", "takes lower case", "text-bad-bracket", "need(/^[0-9A-Z]+$/.test(block), 'text-char');", ""},
		{"payload", "payload.mjs", "counts codewords from 0", "codewords-0011", "149 * (out.length + 1)", "149 * out.length"},
		{"payload", "payload.mjs", "always unlatches", "codewords-0010", "else if (free === 1 && left === 1) out.push(ascii(last[0]));", ""},

		{"document", "document.mjs", "takes half of a surrogate pair", "text-surrogate", ".every((s) => s.isWellFormed())", ".every(() => true)"},
		{"document", "document.mjs", "takes any spelling of a text", "text-escape", "need(Buffer.from(canonical(m)).equals(bytes), 'text');", ""},
		{"document", "document.mjs", "knows no calendar", "text-date", "new Date(s).toISOString() === s.replace('Z', '.000Z')", "true"},
		{"document", "document.mjs", "takes the key of another issuer", "text-other-key", "m.keyId.startsWith(m.issuer + '-') &&", ""},
		{"document", "document.mjs", "checks the text without the format's name", "ok-bare-ed25519", "Buffer.concat([Buffer.from('TCode-Trust/1\\n'), bytes])", "bytes"},
		{"document", "document.mjs", "lets a document expire when it is issued", "text-ended", "m.expiresAt > m.issuedAt", "m.expiresAt >= m.issuedAt"},
		{"document", "document.mjs", "takes members that it does not know", "text-unknown", "need(Object.keys(m).sort().join() === MEMBERS.join(), 'text');", ""},
	}
}

// brokenFiles are readers of a document's binding and of export files.
func brokenFiles() []broken {
	return []broken{
		{"binding", "binding.mjs", "hashes bytes after the stamped file", "appended-byte", "file.subarray(m.start + m.length, m.end)", "file.subarray(m.start + m.length)"},
		{"binding", "binding.mjs", "hashes the hole", "appended-byte", "file.subarray(0, m.start), file.subarray(m.start + m.length, m.end)", "file.subarray(0, m.end)"},
		{"binding", "binding.mjs", "does not look at the hole", "repainted-bit", "hole(file, m, pixels)?.equals(file.subarray(m.start, m.start + m.length)) !== true", "false"},
		{"binding", "binding.mjs", "exchanges dark and light", "appended-byte", "modules[y * side + x] === '0'", "modules[y * side + x] === '1'"},
		{"binding", "binding.mjs", "takes numbers without leading zeros", "unmarked-zeros", "([0-9]{10})", "([0-9]{1,10})"},
		{"binding", "binding.mjs", "takes a key in lower case", "unmarked-key-lower-case", "(RC4)/K/((?:[0-9A-F]", "(RC4)/K/((?:[0-9A-Fa-f]"},
		{"binding", "binding.mjs", "takes an RC4 key of 9 bytes", "unmarked-key-short", "{10,16}", "{9,16}"},
		{"binding", "binding.mjs", "takes a mark that does not end", "match-aes-256", ")))>>', 'g');", ")))', 'g');"},
		{"binding", "binding.mjs", "counts copies of a mark", "match-copies", "found.set(m[0],", "found.set(m.index,"},
		{"binding", "binding.mjs", "looks at the first mark alone", "many-marks", "return [...found.values()];", "return [...found.values()].slice(0, 1);"},
		{"binding", "binding.mjs", "looks at any number of marks", "many-marks", "if (all.length > 8)", "if (false)"},
		{"binding", "binding.mjs", "refuses eight marks", "match-eight-marks", "if (all.length > 8)", "if (all.length > 7)"},
		{"binding", "binding.mjs", "looks at marks of other references", "match-other-marks", "if (ref === reference)", "if (ref)"},
		{"binding", "binding.mjs", "lets a mark point behind the file", "mismatch-end-beyond", "m.end > file.length", "false"},
		{"binding", "binding.mjs", "lets a hole end behind the stamped file", "mismatch-hole-beyond", "m.start + m.length > m.end ||", ""},
		{"binding", "binding.mjs", "leaves the reference out", "appended-byte", "sha256('TCode/1', parseReference(reference),", "sha256('TCode/1',"},
		{"binding", "binding.mjs", "has a vector of zeros for AES", "match-aes-128", "file.subarray(m.start - 16, m.start)", "Buffer.alloc(16)"},
		{"binding", "binding.mjs", "calls any file appended a match", "appended-byte", "if (rest.length === 0)", "if (rest.length >= 0)"},
		{"binding", "binding.mjs", "looks for a whole mark behind the file", "appended-mark-begins", "rest.includes('/TCode<</V ')", "rest.toString('latin1').search(MARK) >= 0"},

		{"export", "export.mjs", "ignores bytes after the end", "bad-behind", "need(end + 1 === file.length, 'export');", ""},
		{"export", "export.mjs", "takes packs that the status does not name", "bad-no-pack", "need(set.pack.length === st.packs.length, 'export');", "set.pack.length = Math.min(set.pack.length, st.packs.length);"},
		{"export", "export.mjs", "takes roots under any number", "bad-root-number", "if (kind === 'root' || kind === 'pack') need(", "if (kind === 'pack') need("},
		{"export", "export.mjs", "takes a timestamp twice", "bad-timestamp-twice", "need(set[kind] === undefined && name === '-', 'export');", "need(name === '-', 'export');"},
		{"export", "export.mjs", "does not compare packs", "bad-pack-fewer", "need(hex(sha256(p)) === st.packs[n], 'hash');", ""},
		{"export", "export.mjs", "pins any root", "bad-pin", "pin(set.root.slice(0, 33), wanted)", "pin(set.root.slice(0, 33))"},
		{"export", "export.mjs", "keeps no root of a bad file", "bad-bundle", "kept.roots = s.roots.length;", ""},
		{"export", "export.mjs", "takes longer header lines", "bad-line-long", "end - at < 128", "end - at < 256"},
	}
}
