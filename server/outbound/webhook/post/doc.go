// Package post sends webhooks to addresses that tenants chose.
//
//	URL ─▶ https, no credentials ─▶ resolve ─▶ each address public? ─▶ connect ─▶ POST ─▶ status
//
// The address is looked at after it was resolved, for each connection, so that
// a name cannot point at the gateway's own network, now or later. Redirects are
// not followed, proxies of the environment not used, and answers not read
// beyond what frees the connection.
package post
