// Package access has the screens for everything that acts for a tenant without a person:
// API keys, webhooks and signing keys. Call [New] first; its result goes to console.Config.
//
//	/console/keys      keys ─▶ new, renew (secret shown once), revoke by typing the name
//	/console/webhooks  endpoints ─▶ one: change, test, secret, deliveries ─▶ one delivery
//	/console/signing   signing keys ─▶ rotate, retire, compromise by typing the key's id
//
// A secret is in the answer to the form that made it, and in no later screen.
package access
