package consoletest

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Hostile are 41 texts that have caused harm in other programs.
var Hostile = []string{
	`<script>window.hit=1</script>`, `"><img src=x onerror=window.hit=1>`, `</title></style><script>window.hit=1</script>`, `' onmouseover=window.hit=1 x='`, `javascript:window.hit=1`,
	`{{.Visit.User.Password}}`, `${window.hit=1}`, `&lt;b&gt;&#60;`, `<base href="https://evil.example/">`, `<form action=https://evil.example><input name=x>`, `<!-- -->]]><x/>`,
	"\u202egnp.exe \u2066", "a\u0301\u0301\u0301", strings.Repeat("W", 200),
	`</textarea><script>window.hit=1</script>`, `</select><script>window.hit=1</script>`, `</option><img src=x onerror=window.hit=1>`, `</svg><script>window.hit=1</script>`, `<svg onload=window.hit=1>`,
	`<iframe srcdoc="<script>parent.hit=1</script>">`, `<style>*{display:none}</style>`, `<link rel=stylesheet href=//evil.example/x.css>`, `<meta http-equiv=refresh content="0;url=https://evil.example/">`, `<object data=//evil.example>`,
	`<a href="javascript:window.hit=1">x</a>`, `" autofocus onfocus=window.hit=1 x="`, "`onclick=window.hit=1`", `\"><script>window.hit=1</script>`, `%3Cscript%3Ewindow.hit=1%3C/script%3E`, `\u003cscript\u003ewindow.hit=1`,
	`' OR '1'='1`, `'; DROP TABLE users; --`, `../../../../etc/passwd`, `=HYPERLINK("https://evil.example")`, `+cmd|' /C calc'!A0`, `%s%n%d{0}`,
	"\uff1cscript\uff1ewindow.hit=1", "x\u200b\u200d\ufeffy", "\u0627\u0644\u0639\u0631\u0628\u064a\u0629 <b>", `data:text/html,<script>window.hit=1</script>`, `vbscript:x`,
}

// forbidden are elements that no screen of the console has.
var forbidden = map[string]bool{"iframe": true, "base": true, "object": true, "embed": true, "style": true, "frame": true, "applet": true, "math": true}

// StaysText fails the test if a page has an element or attribute that could run or load
// something of a stranger, or if text, unless it is "", is not in the page as a text or a
// value.
func StaysText(t *testing.T, text, page string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	found := text == ""
	for n := range root.Descendants() {
		if n.Type == html.TextNode && strings.Contains(n.Data, text) {
			found = true
		}
		if n.Type != html.ElementNode {
			continue
		}
		if forbidden[n.Data] || n.Data == "script" && !slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "src" }) {
			t.Errorf("%q has become <%s>", text, n.Data)
		}
		for _, a := range n.Attr {
			found = found || a.Val == text
			if why := unsafe(n.Data, a); why != "" {
				t.Errorf("%q has become <%s %s=%q>: %s", text, n.Data, a.Key, a.Val, why)
			}
		}
	}
	if !found {
		t.Errorf("%q is not shown as a text: %.2000s", text, page)
	}
}

// unsafe returns why an attribute of an element may not be on a screen, or "".
func unsafe(element string, a html.Attribute) string {
	local := strings.HasPrefix(a.Val, "/console") || strings.HasPrefix(a.Val, "?") || strings.HasPrefix(a.Val, "#") || strings.HasPrefix(a.Val, "/v1/") || strings.HasPrefix(a.Val, "/d/")
	switch {
	case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "srcdoc", a.Key == "http-equiv":
		return "it runs, or changes the page"
	case a.Key == "src" && element == "script" && !strings.HasPrefix(a.Val, "/console/assets/"):
		return "it is not a script of the console"
	case a.Key == "src" && !local && !strings.HasPrefix(a.Val, "data:image/"):
		return "it loads from elsewhere"
	case (a.Key == "action" || a.Key == "formaction") && a.Val != "" && !local:
		return "it sends a form elsewhere"
	case a.Key == "href" && element == "link" && !strings.HasPrefix(a.Val, "/console/assets/") && a.Val != "data:,":
		return "it loads from elsewhere"
	case a.Key == "href" && element != "link" && !local && !strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "https://") && !strings.HasPrefix(a.Val, "http://") && !strings.HasPrefix(a.Val, "mailto:"):
		return "it leads to no page"
	}
	return ""
}
