// Package pages draws the pages that people see in a browser. Call [New] first. It only
// draws: its callers provide the contents of a page.
//
//	verify.Result, Accept-Language ─▶ Twin ─────┐
//	status of an error, Accept-Language ─▶ Problem ─┴─▶ page ─▶ HTML ─▶ write: headers, policy, body
//
// Pages contain no script and load nothing: style and symbols are inside, and the
// Content-Security-Policy names the style by its hash, so that a text signed by an
// issuer always stays text. html/template escapes it; <bdi> isolates its writing
// direction.
package pages
