// Package post sends webhooks to addresses that tenants chose. Call [New], then [Poster.Post].
//
//	URL ─▶ https, no credentials ─▶ resolve ─▶ each address public? ─▶ connect ─▶ POST ─▶ status
//
// The address is checked after it was resolved, for each connection, so that a name cannot
// point to the gateway's own network, now or later. The package does not follow redirects
// or use proxies of the environment, and it reads answers only as far as needed to reuse
// the connection.
package post
