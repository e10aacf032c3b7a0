package tenant

import (
	"context"
	"errors"
	"time"

	"tcode/offline/digest"
	"tcode/server/fault"
)

// IdempotencyLifetime is how long the answer to an Idempotency-Key is kept.
const IdempotencyLifetime = 24 * time.Hour

// An IdempotencyRecord makes a creating request happen once: the row is inserted in the
// effect's own transaction, under (tenant, route, key), and holds the answer.
type IdempotencyRecord struct {
	Tenant string
	Route  string        // such as "POST /v1/tcode/stamps"
	Key    string        // the client's Idempotency-Key
	Digest digest.SHA256 // SHA-256 of the request body

	Status    int // HTTP status of the answer, 2xx
	Body      []byte
	CreatedAt time.Time

	// Row, if not nil, is what asked, and all that is written; Route to Body
	// are left out then.
	Row *BulkRow
}

// An IdempotencyStore keeps answers. Package store implements it.
type IdempotencyStore interface {
	// IdempotencyRecord returns the row for (tenant, route, key), if there is one made
	// after since.
	IdempotencyRecord(ctx context.Context, tenant, route, key string, since time.Time) (IdempotencyRecord, bool, error)
}

// Answered returns the answer kept for a request, and false if it was not
// answered yet. The same key with another body is an IDEMPOTENCY_KEY_REUSED
// fault.
func Answered(ctx context.Context, st IdempotencyStore, o IdempotencyRecord, now time.Time) (IdempotencyRecord, bool, error) {
	kept, ok, err := st.IdempotencyRecord(ctx, o.Tenant, o.Route, o.Key, now.Add(-IdempotencyLifetime))
	if err != nil || !ok {
		return IdempotencyRecord{}, false, err
	}
	if kept.Digest != o.Digest {
		return IdempotencyRecord{}, false, fault.New(fault.Rejected, fault.CodeIdempotencyKeyReused,
			"this Idempotency-Key was used for another request")
	}
	return kept, true, nil
}

// ErrAnswered is inside the fault of a request whose Idempotency-Key another
// request was answered under meanwhile: ask [Answered] again.
var ErrAnswered = errors.New("the Idempotency-Key has an answer by now")

// A BulkRow is a row of a bulk job. An effect that was asked for by one marks it
// as succeeded, in its own transaction, instead of keeping an answer: a row that
// has an outcome already is an [ErrAnswered] fault, and nothing is made.
type BulkRow struct {
	Job    string // its id
	Number int    // from 1

	Made      string // id of what was made of it
	Reference string // of that
}
