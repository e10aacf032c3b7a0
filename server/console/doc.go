// Package console draws the pages that people look at in a browser. Drawing is
// all it does: what a page says comes from its caller.
//
//	verify.Result, Accept-Language ─▶ Twin ─────┐
//	status of an error, Accept-Language ─▶ Problem ─┴─▶ page ─▶ HTML ─▶ write: headers, policy, body
//
// Pages hold no script and load nothing: style and symbols are inside, and the
// Content-Security-Policy names the style by its hash, so that whatever text an
// issuer signs stays text. html/template escapes it; <bdi> keeps its writing
// direction to itself.
package console
