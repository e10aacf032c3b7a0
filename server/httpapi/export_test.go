package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"tcode/server/httpapi/strictjson"
	"tcode/server/verify"
)

// What black-box tests cannot reach at reasonable cost.

var (
	Negotiate        = func(accept []string) (string, bool) { return negotiate(accept, answerTypes[:]) }
	CheckRequestType = checkRequestType
	DateRange        = dateRange
	TraceID          = func(traceparent string) string { return newSpan(traceparent).trace }
	ClientOf         = clientOf
)

// Answers returns both forms of a result: the one of the generated types, and
// the one that is written.
func Answers(r verify.Result) (generated, written []byte, err error) {
	generated, err = json.Marshal(verification(r))
	if err != nil {
		return nil, nil, err
	}
	written, err = answer(r).append(nil)
	return append(generated, '\n'), written, err
}

// WithPatience returns the context of an empty call, and what ends it.
func WithPatience(ctx context.Context, limit time.Duration) (context.Context, func()) {
	return withPatience(ctx, &call{traceID: "trace"}, limit)
}

// HasCall reports whether ctx is of a call that WithPatience made.
func HasCall(ctx context.Context) bool { return callOf(ctx).traceID == "trace" }

// loaded parses the contract once: fuzzing would do nothing else.
var loaded = sync.OnceValues(loadContract)

// CheckBody checks raw against the request body of an operation.
func CheckBody(operation string, raw []byte) (ignored []string, bad map[string][]string, err error) {
	c, err := loaded()
	if err != nil {
		return nil, nil, err
	}
	for _, op := range c.ops {
		if op.id == operation {
			ignored, bad := checkBody(func() (strictjson.Node, error) { return strictjson.Parse(raw) }, op.body, schemaOptions())
			return ignored, bad, nil
		}
	}
	panic("no operation " + operation)
}

// GoesOn tells whether a paged list says that there is another page.
func GoesOn(page, size, total int, lowerBound bool, items int) bool {
	return paging(page, size, total, lowerBound, items).hasNext
}

// NewLimiter returns a limiter's take.
func NewLimiter(perMinute int, now func() time.Time) func(h http.Header, client string, n int) error {
	return newLimiter("lookups", perMinute, now).take
}

// Buckets counts the clients a limiter remembers after n clients came and the
// time moved on.
func Buckets(n int, now func() time.Time, later func()) int {
	l := newLimiter("lookups", 60, now)
	for i := range n {
		l.take(http.Header{}, string(rune('a'+i)), 1)
	}
	later()
	l.take(http.Header{}, "late", 1)
	return len(l.buckets)
}

// NewTenantSlots returns the take of tenantSlots with so many places.
func NewTenantSlots(places int) func(ctx context.Context, tenant string) (release func(), err error) {
	return newTenantSlots(places).take
}
