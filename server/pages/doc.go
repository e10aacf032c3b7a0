// Package pages draws the pages that people see in a browser. Call [New] first. It only
// draws: its callers provide the contents of a page.
//
//	verify.Result, Reader ─▶ Twin, Document ─┐
//	status of an error, Reader ─▶ Problem ───┼─▶ template ─▶ HTML ─▶ write: headers, policy, body
//	Reader ─▶ Index, Verify, Guide ──────────┘
//
// Pages contain no inline script and load nothing but the modules of /verify: style and
// symbols are inside, and the Content-Security-Policy names the style by its hash, so that
// a text signed by an issuer always stays text. html/template escapes it; <bdi> isolates
// its writing direction.
//
// [Pages.About] returns the pages of one document, with the brand of its issuer.
//
// /verify reads a file in the browser. Its modules (folder js) give it to the scanner's
// engine, which is a guest there: it keeps and sends nothing. Each possible answer is a
// template in the page, so that modules hold no words and make no markup of texts.
package pages
