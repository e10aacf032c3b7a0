package gate

import (
	"context"
	"net/http"
	"sync"
	"time"

	"tcode/sync/wire/strictjson"
)

// Black-box tests cannot reach the following at reasonable cost.

var (
	Negotiate        = func(accept []string) (string, bool) { return negotiate(accept, answerTypes[:]) }
	CheckRequestType = checkRequestType
)

// WithPatience returns the context of an empty call, and the function that ends
// it.
func WithPatience(ctx context.Context, limit time.Duration) (context.Context, func()) {
	return withPatience(ctx, &Call{traceID: "trace"}, limit)
}

// HasCall reports whether ctx belongs to a call that WithPatience made.
func HasCall(ctx context.Context) bool { return CallOf(ctx).traceID == "trace" }

// loaded parses the contract once: parsing it for each input would take most of
// the time of fuzzing.
var loaded = sync.OnceValues(func() (map[route]*operation, error) { return loadContract(Config{}) })

// CheckBody checks raw against the request body of an operation.
func CheckBody(operation string, raw []byte) (ignored []string, bad map[string][]string, err error) {
	ops, err := loaded()
	if err != nil {
		return nil, nil, err
	}
	for _, op := range ops {
		if op.id == operation {
			b := op.checkBody(func() (strictjson.Node, error) { return strictjson.Parse(raw) })
			return b.ignored, b.bad, nil
		}
	}
	panic("no operation " + operation)
}

// Buckets returns the number of buckets that a limiter keeps after requests of n
// clients and a later time.
func Buckets(n int, now func() time.Time, later func()) int {
	l := NewLimiter("lookups", 60, now)
	for i := range n {
		l.Take(http.Header{}, string(rune('a'+i)), 1)
	}
	later()
	l.Take(http.Header{}, "late", 1)
	return len(l.buckets)
}
