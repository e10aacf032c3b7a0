// Package fetch sends the requests of package transport with the fetch function of a browser. It builds for js alone. Start with
// New:
//
//	feed.Config{Transport: fetch.New(time.Minute), ...}
//
// It sends no cookies and no referrer, and keeps no answers. A browser tells a program neither why it reached no server, nor the
// status of a redirect, and shows a server of another origin only what that server allows.
package fetch
