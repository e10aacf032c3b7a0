package answer

import (
	"fmt"

	"tcode/offline"
	"tcode/offline/binding"
	"tcode/offline/payload"
	"tcode/scanner/binder"
	"tcode/scanner/caveat"
	"tcode/scanner/symbol"
)

// A Judge answers about the symbols of one document, with one trust state. It is
// not safe for concurrent use.
type Judge struct {
	verifier *offline.Verifier
	clock    func() offline.Clock
	bound    map[string]binding.Outcome // a stamp on all pages is hashed once
}

// NewJudge returns a judge with a trust state and a policy. clock reads the clocks
// of the device and its stored floors.
func NewJudge(trust offline.Snapshot, policy offline.Policy, clock func() offline.Clock) *Judge {
	return &Judge{offline.New(trust, policy), clock, map[string]binding.Outcome{}}
}

// About judges sym as a symbol of file. It returns caveats only if the symbol is
// bound to the file and its issuer does not vouch that this file is plain;
// otherwise there is nothing to search for.
func (j *Judge) About(file *binder.Binder, sym symbol.Symbol) (offline.Result, binding.Outcome, []caveat.Caveat) {
	var b binding.Outcome
	request := offline.Request{Text: sym.Text, Binding: binding.NotChecked}
	if raw := payloadOf(sym.Text); raw != nil {
		if p, err := payload.Parse(raw); err == nil {
			key := fmt.Sprint(sym.Rows, sym.Cols, sym.Text, sym.Dark)
			known := false
			if b, known = j.bound[key]; !known {
				b = file.Check(p, sym)
				j.bound[key] = b
			}
			request.Payload, request.Text = raw, ""
			request.Binding, request.BindingDetail = b.State, b.Detail
		}
	}
	result := j.verifier.Verify(j.clock(), request)
	if b.State == binding.Appended || b.State == binding.Match && !result.Plain {
		return result, b, file.Caveats()
	}
	return result, b, nil
}

// Again judges a payload of the history, without its file. The binding is only what is
// still known of it.
func (j *Judge) Again(raw []byte, state binding.State, detail string) offline.Result {
	request := offline.Request{Payload: raw, Binding: state, BindingDetail: detail}
	if _, err := payload.Parse(raw); err != nil {
		request.Payload, request.Text = nil, string(raw) // kept as evidence, as it was read
	}
	return j.verifier.Verify(j.clock(), request)
}

// foreign reports whether the symbol is another Data Matrix: not a TCode, not
// even a damaged one.
func foreign(r offline.Result) bool {
	for _, c := range r.Checks {
		if c.Code == offline.CodeTextMalformed || c.Code == offline.CodeNotTCode {
			return true
		}
	}
	return false
}
