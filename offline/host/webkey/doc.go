// Package webkey keeps a device's Ed25519 key in a browser, as a key of WebCrypto that no program can read. It builds for js
// alone. Call Open in a worker; the key is a crypto.Signer, such as package uplink takes:
//
//	Open(database) ──▶ Key in IndexedDB ──▶ Sign: the browser signs
//	     └─ none yet: made here, stored, then used
//
// A browser without Ed25519 gets a sealed key: its seed, encrypted with AES-GCM by a WebCrypto key that no program can read. That
// is weaker. The seed is in the memory of the program while it signs, so that a program that an attacker controls can copy it;
// with a key of WebCrypto such a program can only use it while it runs. Key.Sealed tells which one it is.
//
// A person who clears the data of the site removes the key. The next Open makes another, which is another device.
package webkey
