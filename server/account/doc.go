// Package account has the users of the management console, the way in, and their sessions.
// Call [New] first.
//
//	Create, Reset ─▶ one-time link ─▶ Accept: a password ─▶ Enrol: a second factor ─▶ session
//	                                 AcceptPasskey: a passkey ──────────────────────▶ session
//	SignIn: password ─▶ Code: a code of the app, or a recovery code ────────────────▶ session
//	SignInPasskey: a passkey, which is both factors ────────────────────────────────▶ session
//	SignInIdentity: an account at an OpenID provider ─▶ Code, if the user has an app ─▶ session
//	                                              Visit: every request ─▶ user, role, rights
//
// Challenges of passkeys and flows to providers are sealed texts that the client keeps, so
// that no client can fill the database with them; each counts once. One provider at most may
// speak for a user, and an account there is bound to the user at the first use.
//
// A user belongs to a tenant, as owner, issuer or viewer, or is a platform operator, whose
// tenant is "". The table in role.go has the rights of each role, the one in signin.go the
// steps of signing in.
//
// Passwords are stored as Argon2id hashes with their parameters, secrets of second factors
// sealed, and links, recovery codes and tokens of sessions as SHA-256 hashes. No answer to
// a client without a session says whether an address has an account: unknown addresses
// cost the same work, and wait after as many tries.
package account
