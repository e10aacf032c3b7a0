package consoletest

import "strings"

// Hostile are texts that have caused harm in other programs.
var Hostile = []string{
	`<script>window.hit=1</script>`, `"><img src=x onerror=window.hit=1>`, `</title></style><script>window.hit=1</script>`, `' onmouseover=window.hit=1 x='`, `javascript:window.hit=1`,
	`{{.Visit.User.Password}}`, `${window.hit=1}`, `&lt;b&gt;&#60;`, `<base href="https://evil.example/">`, `<form action=https://evil.example><input name=x>`, `<!-- -->]]><x/>`,
	"\u202egnp.exe \u2066", "a\u0301\u0301\u0301", strings.Repeat("W", 200),
}
