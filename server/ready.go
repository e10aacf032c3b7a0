package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"tcode/offline/contain"
	"tcode/offline/trust"
	"tcode/server/fault"
)

var (
	errStale    = errors.New("the published timestamp has expired: nothing is being published")
	errDraining = errors.New("the gateway is about to end")
	errHanging  = errors.New("items hang")
	errLate     = errors.New("no answer in time")
)

// maxBehind is the number of hung items with which a gateway should start again: each holds
// memory, and may hold a connection or a file.
const maxBehind = 32

// A part is something without which a gateway cannot do what a tenant needs.
type part struct {
	name     string // in the answer of /readyz
	sentence string // what the gateway cannot do without it
	ask      func(ctx context.Context) error
	every    time.Duration // an answer holds for so long; zero: until the next question

	mu      sync.Mutex
	at      time.Time // of the last answer
	err     error     // the last answer
	present *question // nil: there is none
}

// A question is one to a part.
type question struct {
	begun    time.Time
	answered chan struct{} // closed when it is
	ended    chan error    // gets the answer
}

// partPatience is how long /readyz waits for the parts. It is shorter than the time of a scrape.
const partPatience = 3 * time.Second

// partFresh is how long a good answer counts while the next one is late: a part of a busy gateway
// may take longer than partPatience and still do its work.
const partFresh = 15 * time.Second

// partTime ends a question to a part: a child that draws compiles for some seconds at its first
// start.
const partTime = time.Minute

// newParts returns the parts of g.
func (g *Gateway) newParts() []*part {
	parts := []*part{
		{name: "database", sentence: "it cannot change its database", ask: g.db.TryWrite, every: 3 * time.Second},
		{name: "signer", sentence: "it cannot open its keys", ask: g.opensKeys},
		{name: "signer", sentence: "its token does not answer", ask: g.reachesToken, every: 10 * time.Second},
		{name: "signer", sentence: "it cannot sign", ask: func(context.Context) error { return g.Publisher.CanSign() }},
		{name: "publication", sentence: "it does not publish", ask: g.publishes},
		{name: "files", sentence: "it answers, and cannot store documents", ask: g.stores},
		{name: "stampers", sentence: "it cannot stamp", ask: g.stamps, every: 5 * time.Second},
		{name: "pictures", sentence: "it cannot stamp pictures", ask: g.stampsPictures, every: 5 * time.Second},
	}
	for _, s := range g.services {
		if s.sentence != "" {
			parts = append(parts, &part{name: s.rounds.Name, sentence: s.sentence, ask: func(context.Context) error { return s.rounds.Err() }})
		}
	}
	return parts
}

// ready returns the reasons why the gateway cannot do what a tenant needs, as one fault with a
// field for each part.
func (g *Gateway) ready(ctx context.Context) error {
	var sentences []string
	var causes []error
	fields := map[string][]fault.Text{}
	add := func(name, sentence string, err error) {
		sentences = append(sentences, sentence)
		fields[name] = append(fields[name], fault.Say("%s", sentence))
		causes = append(causes, fmt.Errorf("%s: %w", name, err))
	}
	if g.draining.Load() {
		add("draining", "it is about to end", errDraining)
	} else if err := g.db.CheckFiles(); err != nil { // the gateway will end soon
		add("database", "its database was deleted or replaced", err)
	} else {
		if n := contain.Behind(); n > maxBehind {
			add("hung", "too many items hang: start it again", fmt.Errorf("%d %w", n, errHanging))
		}
		for _, p := range g.answers(ctx) {
			if err := p.answer(); err != nil {
				add(p.name, p.sentence, err)
			}
		}
	}
	if len(causes) == 0 {
		return nil
	}
	f := fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "the gateway is not ready: %s", strings.Join(sentences, "; "))
	f.Fields = fields
	return f.WithErr(errors.Join(causes...))
}

// answers asks all parts, and waits for their answers for partPatience at most.
func (g *Gateway) answers(ctx context.Context) []*part {
	ctx, cancel := context.WithTimeout(ctx, partPatience)
	defer cancel()
	var waits []<-chan struct{}
	for _, p := range g.parts {
		waits = append(waits, p.begin(ctx))
	}
	for _, wait := range waits {
		select {
		case <-wait:
		case <-ctx.Done():
		}
	}
	return g.parts
}

// begin asks the part, unless it has an answer or a question that goes on. The channel is closed
// when there is an answer.
func (p *part) begin(ctx context.Context) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if q := p.present; q != nil {
		if time.Since(q.begun) < partTime+contain.Grace {
			return q.answered
		}
		_ = contain.Abandon("readiness", context.DeadlineExceeded, q.ended)
	}
	q := &question{begun: time.Now(), answered: make(chan struct{}), ended: make(chan error, 1)}
	if p.every > 0 && !p.at.IsZero() && time.Since(p.at) < p.every {
		close(q.answered)
		return q.answered
	}
	p.present = q
	contain.StartThen("readiness", func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), partTime)
		defer cancel()
		return p.ask(ctx)
	}, func(err error) { p.end(err, q) })
	return q.answered
}

func (p *part) end(err error, q *question) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.present == q {
		p.at, p.err, p.present = time.Now(), err, nil
	}
	close(q.answered)
	q.ended <- err
}

// answer returns the last answer, or errLate if the present question waits for one and the last
// answer is too old or was not good.
func (p *part) answer() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.present != nil && (p.at.IsZero() || p.err != nil || time.Since(p.at) > partFresh) {
		return errLate
	}
	return p.err
}

func (g *Gateway) opensKeys(ctx context.Context) error {
	return errors.Join(g.ring.Ready(), g.opensSecrets(ctx))
}

// reachesToken returns why keys in the PKCS #11 token, if there is one, cannot be used.
func (g *Gateway) reachesToken(context.Context) error {
	if g.token == nil {
		return nil
	}
	return g.token.Ready()
}

// publishes returns why devices that refresh do not find current documents.
func (g *Gateway) publishes(ctx context.Context) error {
	raw, err := g.Publisher.Timestamp(ctx)
	if err != nil {
		return err
	}
	online, err := trust.ParseVerifierKey(g.Publisher.PublicKey().Note)
	if err != nil {
		return fmt.Errorf("online key: %w", err)
	}
	ts, err := trust.ParseTimestamp(g.Publisher.Fingerprint(), online, raw)
	if err != nil {
		return fmt.Errorf("published timestamp: %w", err)
	}
	if !g.c.Now().Before(ts.Expires) {
		return errStale
	}
	return nil
}

// stores returns why documents cannot be stored.
func (g *Gateway) stores(ctx context.Context) error {
	return errors.Join(g.ballast.Room(), g.files.Room(g.workRoom()), g.files.Writable(ctx), g.spool.Writable())
}

// stamps returns why nothing can be stamped: no child process starts, or all work, and none has
// ended its task for longer than a request may take. A program without MuPDF never stamps, and
// does all else.
func (g *Gateway) stamps(ctx context.Context) error {
	if CanStamp() != nil {
		return nil
	}
	longest := g.c.Limits.Request
	err := g.pool.Usable(ctx, longest)
	if g.reader != nil {
		err = errors.Join(err, g.reader.Usable(ctx, longest))
	}
	return err
}

// stampsPictures returns why no picture can be made a PDF, as stamps does.
func (g *Gateway) stampsPictures(ctx context.Context) error {
	if CanStamp() != nil {
		return nil
	}
	return g.pictures.Usable(ctx, g.c.Limits.Request)
}
