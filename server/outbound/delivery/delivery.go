// Package delivery sends documents and stamps to their recipients by e-mail. Call [NewService], then [Service.Work].
//
//	a document is issued ── one transaction ──▶ Waiting, or NotConfigured
//
//	               take             confirm
//	    Waiting ─────────▶ Sending ─────────▶ Sent
//	       ▲                │ │ │ └─refuse──▶ Refused   5xx: immediately
//	       └────postpone────┘ │ └───give up─▶ Failed    no more time
//	     1 min, 2, 4 ... 24 h └─────drop────▶ Dropped   the document has ended
//
// The action hold also makes Waiting and Sending Failed: a message that waits in a
// restored backup may have been sent since. Resend makes all states but Sending Waiting, and due.
//
// Issuing never waits for e-mail: the transaction that issues a document writes the
// message's row and wakes a gateway, which takes the message under a lease.
//
// A message is in Sending, durably, before its first byte goes to the server. The lease is
// 15 seconds long and renewed every five, however long the server takes:
//
//	connect, MAIL, RCPT, DATA, text │ lease confirmed in the database │ "." ─▶ wait ─▶ 250 │ commit
//	  a lost lease ends the try:    │   another has it: the try ends, │ a lost lease ends nothing:
//	  the server forgets the text   │   and the server forgets it     │ the server may have the message
//
// So a gateway that stood still sends nothing when it wakes up, because the last line, "." of
// RFC 5321, which makes the server responsible, follows a look at the lease. After that line
// the gateway waits for the answer, for 10 minutes as the RFC asks, also if it cannot renew
// its lease meanwhile: if no other gateway took the message, its result still counts.
//
// If the server confirms the message and the gateway stays alive and reaches the database, it
// is sent once, with any number of gateways. A gateway that is killed, stands still or loses
// the database for 15 seconds between that line and its own commit leaves the message in
// Sending. When the lease ends the message is sent again, because a lost message is worse than
// a duplicate. Its Message-ID is then the same, so that servers and readers can recognise it.
// Tries are counted when they begin, so that a message that kills its gateway is given up at
// some time.
package delivery

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"tcode/server/platform/hold"
	"tcode/server/tenant"
)

// Patience is the time in which delivery is tried again, with waits that double, beginning
// with firstWait.
const (
	Patience  = 24 * time.Hour
	firstWait = time.Minute
	// maxTries limits the tries of a message that kills its gateway in every try. The waits
	// alone do not allow so many.
	maxTries = 40
)

// A Message is one document's delivery to its recipient. The document itself has the
// recipient and the text when the message is sent.
type Message struct {
	ID       string // UUIDv7
	Tenant   string
	Document string // id of the Trust document, or ""
	Stamp    string // id of the stamp that is sent instead, or ""
	Field    string // key of the stamp's field with the recipient's address
	// Reference is that of the document or stamp; only [Store.Messages] sets it.
	Reference string
	State     State
	Reason    Reason    // of the state, or of the last try; "" if there is none
	Round     int       // how often a sent message was requested again
	Tries     int       // since the last request
	Code      int       // of the server's last answer that was none of consent; 0: none
	NextAt    time.Time // Waiting: time of the next try; Sending: end of the lease
	GiveUpAt  time.Time // end of all tries
	SentAt    time.Time // zero unless Sent
	CreatedAt time.Time
	UpdatedAt time.Time
}

// New returns the message for a document that is issued now. configured says whether this
// gateway sends e-mail.
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

// NewOfStamp is [New] for a stamp, of which a field has the recipient's address.
func NewOfStamp(tenantRef, stamp, field string, now time.Time, configured bool) (*Message, error) {
	m, err := New(tenantRef, "", now, configured)
	if err == nil {
		m.Stamp, m.Field = stamp, field
	}
	return m, err
}

// mailID returns the local part of the Message-ID: the same for every try of a round.
func (m Message) mailID() string {
	if m.Round == 0 {
		return m.ID
	}
	return m.ID + "-" + strconv.Itoa(m.Round)
}

// End is the result of a try.
type End struct {
	Action Action
	Reason Reason
	Code   int
	NextAt time.Time // for Postpone
	At     time.Time
}

// ErrLost means that another gateway has the message now: the lease ended.
var ErrLost = fmt.Errorf("the message is in other hands: %w", hold.ErrLost)

// Store stores messages. Package store implements it.
type Store interface {
	// TakeMessage gives a message to owner until then, counts the try and returns the message,
	// with reason [Interrupted] if its last try did not end. taken is false for a message that
	// is over, held by another gateway, or not due.
	TakeMessage(ctx context.Context, id, owner string, now, until time.Time) (m Message, taken bool, err error)
	// HoldMessage extends the lease of a message that owner holds, or returns [ErrLost].
	HoldMessage(ctx context.Context, m Message, owner string, until time.Time) error
	// EndMessage moves a message that owner holds, or returns [ErrLost]. A postponed message
	// wakes a gateway when it is due.
	EndMessage(ctx context.Context, m Message, owner string, e End) error
	// WakeMessages wakes gateways for messages that are due now and that no gateway has
	// handled.
	WakeMessages(ctx context.Context, now time.Time) error
	// Messages returns a tenant's messages in any of some states, or in all,
	// newest first.
	Messages(ctx context.Context, tenantRef string, states []State, limit int) ([]Message, error)
	// ResendMessage moves a message of any tenant by Resend, and returns it. audit gets the
	// message's tenant.
	ResendMessage(ctx context.Context, id string, now time.Time, audit *tenant.Entry) (Message, error)
	// ResendMessages moves a tenant's messages that are Failed and were made at since or later
	// by Resend, and returns their number.
	ResendMessages(ctx context.Context, tenantRef string, since, now time.Time, audit *tenant.Entry) (int, error)
	// FailMessage ends a message that is Waiting or Sending by [Hold], also one that a gateway has. audit
	// gets the message's tenant.
	FailMessage(ctx context.Context, id string, reason Reason, at time.Time, audit *tenant.Entry) error
	// WaitingMessages counts the messages that are Waiting or Sending.
	WaitingMessages(ctx context.Context) (map[State]int, error)
}

// A Letter is the content of a document's message to its recipient, now.
type Letter struct {
	Stop Reason // reason never to send it, if not ""
	Hold Reason // reason not to send it now, if not ""

	RecipientName  string
	RecipientEmail string
	Title          string // or, without a title, the kind of the document
	Reference      string
	PageReference  string // reference of the public page that shows the document
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

// Documents returns the letters for messages. Package trustdoc implements it.
type Documents interface {
	Letter(ctx context.Context, tenantRef, documentID string) (Letter, error)
}

// Stamps returns the letters for messages of stamps. Package stamp implements it.
type Stamps interface {
	Letter(ctx context.Context, tenantRef, stampID, addressField string) (Letter, error)
}

// Tenants returns issuers. Package tenant implements it.
type Tenants interface {
	Tenant(ctx context.Context, reference string) (tenant.Tenant, error)
}

// Blobs holds files. Package blob implements it.
type Blobs interface {
	Get(ctx context.Context, sha256 string) ([]byte, error)
}
