package contain

import "errors"

// tell writes to stderr, which is the console of a browser: its programs have no room for a log.
func tell(e Event) {
	println(e.Name+":", e.Err.Error())
	if p, ok := errors.AsType[*Panic](e.Err); ok {
		println(string(p.Stack))
	}
}
