package tenant

import (
	"context"
	"errors"
	"time"

	"tcode/offline/digest"
	"tcode/server/fault"
)

// IdempotencyLifetime is the time for which the answer to an Idempotency-Key is kept.
const IdempotencyLifetime = 24 * time.Hour

// An IdempotencyRecord makes a creating request happen only once: its row is inserted in
// the effect's own transaction, under (tenant, route, key), and contains the answer.
type IdempotencyRecord struct {
	Tenant string
	Route  string        // such as "POST /v1/tcode/stamps"
	Key    string        // the client's Idempotency-Key
	Digest digest.SHA256 // SHA-256 of the request body

	Status    int // HTTP status of the answer, 2xx
	Body      []byte
	CreatedAt time.Time

	// Row, if not nil, is the bulk row that made the request, and the only thing written;
	// Route to Body are then left out.
	Row *BulkRow
}

// An IdempotencyStore stores answers. Package store implements it.
type IdempotencyStore interface {
	// IdempotencyRecord returns the row for (tenant, route, key), if there is one made
	// after since.
	IdempotencyRecord(ctx context.Context, tenant, route, key string, since time.Time) (IdempotencyRecord, bool, error)
}

// Answered returns the stored answer to a request, and false if there is
// none yet. The same key with another body is an IDEMPOTENCY_KEY_REUSED
// fault. If what the request made was erased, so was the answer: that is a CONFLICT
// fault, and nothing is made again.
func Answered(ctx context.Context, st IdempotencyStore, o IdempotencyRecord, now time.Time) (IdempotencyRecord, bool, error) {
	kept, ok, err := st.IdempotencyRecord(ctx, o.Tenant, o.Route, o.Key, now.Add(-IdempotencyLifetime))
	if err != nil || !ok {
		return IdempotencyRecord{}, false, err
	}
	if kept.Digest != o.Digest {
		return IdempotencyRecord{}, false, fault.New(fault.Rejected, fault.CodeIdempotencyKeyReused,
			"this Idempotency-Key was used for another request")
	}
	if len(kept.Body) == 0 {
		return IdempotencyRecord{}, false, fault.New(fault.Conflict, fault.CodeConflict, "what the first request with this Idempotency-Key made was erased")
	}
	return kept, true, nil
}

// ErrAnswered is in the fault of a request whose Idempotency-Key another request used
// meanwhile: call [Answered] again.
var ErrAnswered = errors.New("the Idempotency-Key has an answer by now")

// A BulkRow is a row of a bulk job. Its effect marks it as succeeded, in the effect's own
// transaction, instead of storing an answer. If the row has an outcome already, that is an
// [ErrAnswered] fault, and nothing is made.
type BulkRow struct {
	Job    string // its id
	Number int    // from 1

	Made      string // id of the thing made
	Reference string // reference of the thing made
}
