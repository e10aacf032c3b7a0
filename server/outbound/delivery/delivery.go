// Package delivery brings documents to their recipients by e-mail.
//
//	a document is issued ── one transaction ──▶ Waiting, or NotConfigured
//
//	               take             confirm
//	    Waiting ─────────▶ Sending ─────────▶ Sent
//	       ▲                │ │ │ └─refuse──▶ Refused   5xx: at once
//	       └────postpone────┘ │ └───give up─▶ Failed    no more time
//	     1 min, 2, 4 ... 24 h └─────drop────▶ Dropped   the document has ended
//
// Waiting and Sending become Failed by hold, too: what a restored backup has
// waiting may have been sent since. Resend makes all ends Waiting again.
//
// Issuing never waits for e-mail: the transaction that issues a document writes
// the message's row and wakes a gateway, which takes the message under a lease.
//
// A message is in Sending, durably, before the first byte goes to the server. If
// the server confirms it and the gateway lives, it is sent once, however many
// gateways there are. A gateway that is killed between the server's 250 and its
// own commit leaves the message in Sending; when the lease ends it is sent again,
// because a message that is lost is worse than one that comes twice. Its
// Message-ID is the same then, by which servers and readers can tell that. Tries
// are counted when they begin, so that one which kills its gateway has an end.
package delivery

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/google/uuid"

	"tcode/server/tenant"
)

// Patience is how long delivery is tried: with waits that double, beginning
// with firstWait.
const (
	Patience  = 24 * time.Hour
	firstWait = time.Minute
	// maxTries ends what never ends by itself: a message that kills its gateway
	// whenever it is tried. Waits alone leave no time for so many.
	maxTries = 40
)

// A Message is one document's delivery to its recipient. Whom it goes to and
// what it says is the document's to know when it is sent.
type Message struct {
	ID       string // UUIDv7
	Tenant   string
	Document string // its id
	// Reference of the document, filled in by [Store.Messages] alone.
	Reference string
	State     State
	Reason    Reason    // of the state, or of the last try; "" if there is none
	Round     int       // how often it was asked for again after it had been sent
	Tries     int       // since it was last asked for
	Code      int       // of the server's last answer that was none of consent; 0: none
	NextAt    time.Time // Waiting: when it is tried next; Sending: when the lease ends
	GiveUpAt  time.Time // when there is no more time
	SentAt    time.Time // zero unless Sent
	CreatedAt time.Time
	UpdatedAt time.Time
}

// New returns the message for a document, issued now. configured says whether
// this gateway sends e-mail.
func New(tenantRef, document string, now time.Time, configured bool) (*Message, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return nil, err
	}
	m := &Message{
		ID: id.String(), Tenant: tenantRef, Document: document, State: NotConfigured,
		NextAt: now, GiveUpAt: now.Add(Patience), CreatedAt: now, UpdatedAt: now,
	}
	if configured {
		m.State = Waiting
	}
	return m, nil
}

// mailID is what the Message-ID is made of: the same for every try of a round.
func (m Message) mailID() string {
	if m.Round == 0 {
		return m.ID
	}
	return m.ID + "-" + strconv.Itoa(m.Round)
}

// End is what became of a try.
type End struct {
	Action Action
	Reason Reason
	Code   int
	NextAt time.Time // for Postpone
	At     time.Time
}

// ErrLost says that a message is in other hands by now: the lease ran out.
var ErrLost = errors.New("the message is in other hands")

// Store is what this package needs kept. Package store implements it.
type Store interface {
	// TakeMessage gives a message to owner until then, counts the try and
	// returns it, with reason [Interrupted] if its last try did not end. taken
	// is false for one that is over, held by another, or not due.
	TakeMessage(ctx context.Context, id, owner string, now, until time.Time) (m Message, taken bool, err error)
	// EndMessage moves a message that owner holds, or returns [ErrLost]. One
	// that is postponed wakes a gateway when it is due.
	EndMessage(ctx context.Context, m Message, owner string, e End) error
	// WakeMessages wakes gateways for messages that are due, by now, and that
	// nobody looked at.
	WakeMessages(ctx context.Context, now time.Time) error
	// Messages returns a tenant's messages in any of some states, or in all,
	// newest first.
	Messages(ctx context.Context, tenantRef string, states []State, limit int) ([]Message, error)
	// ResendMessage moves a message by Resend, of whichever tenant, and returns
	// it. audit gets the message's tenant.
	ResendMessage(ctx context.Context, id string, now time.Time, audit *tenant.Entry) (Message, error)
	// ResendMessages moves those of a tenant's messages that are Failed and were
	// made at since or later by Resend, and returns how many.
	ResendMessages(ctx context.Context, tenantRef string, since, now time.Time, audit *tenant.Entry) (int, error)
	// WaitingMessages counts those that are Waiting or Sending.
	WaitingMessages(ctx context.Context) (map[State]int, error)
}

// A Letter is what a document has to say to its recipient, now.
type Letter struct {
	Stop Reason // not to be sent any more, if not ""
	Hold Reason // not to be sent now, if not ""

	RecipientName  string
	RecipientEmail string
	Title          string // or, without one, what kind of document it is
	Reference      string
	PageReference  string // whose public page shows the document
	IssuedAt       time.Time
	ExpiresAt      time.Time // zero: never
	Test           bool
	File           *File // nil: none
}

// A File is a document's PDF. Its bytes are in the blob store.
type File struct {
	SHA256, Name, ContentType string
	SizeBytes                 int64
}

// Documents knows what to write. Package trustdoc implements it.
type Documents interface {
	Letter(ctx context.Context, tenantRef, documentID string) (Letter, error)
}

// Tenants knows issuers. Package tenant implements it.
type Tenants interface {
	Tenant(ctx context.Context, reference string) (tenant.Tenant, error)
}

// Blobs holds files. Package blob implements it.
type Blobs interface {
	Get(ctx context.Context, sha256 string) ([]byte, error)
}
