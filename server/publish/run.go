package publish

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tcode/offline/contain"
	"tcode/offline/digest"
	"tcode/server/fault"
	"tcode/server/platform/round"
)

// Notify wakes Run after a change that devices must learn. It never blocks.
func (p *Publisher) Notify() {
	select {
	case p.wake <- struct{}{}:
	default: // a publication is due already
	}
}

// Run publishes changes within a second, and a new timestamp at least twice an hour, until
// ctx ends. It logs a failed publication and tries again; earlier documents are still
// served. But a database from an old backup gives wrong answers to all requests, so Run
// then ends with an [ErrRestored].
func (p *Publisher) Run(ctx context.Context) error {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	var advanced time.Time
	keys, publication := round.Repeated{Log: p.c.Log, What: "look after keys"}, round.Repeated{Log: p.c.Log, What: "publish trust documents"}
	for {
		if now := p.c.Now(); now.Sub(advanced) >= advanceEvery || now.Before(advanced) {
			advanced = now
			keys.Tell(ctx, round.Do(ctx, roundTime, func(ctx context.Context) error { return p.apart(ctx, Keys) }))
		}
		err := round.Do(ctx, roundTime, p.Round)
		if errors.Is(err, ErrRestored) {
			return err
		}
		publication.Tell(ctx, err)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-p.wake:
			// A burst of changes becomes one publication.
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(gather):
			}
		}
	}
}

// The subjects of [Config.Apart]. None has items that could be left out: documents without an
// entry of the status list, or without an issuer, would say of stamps what is not true.
const (
	Keys      = "keys"      // the root and the signing keys, by the calendar
	Documents = "documents" // a publication
)

// roundTime bounds a publication, which [Config.Apart] may do in less.
const roundTime = 4 * time.Minute

func (p *Publisher) apart(ctx context.Context, subject string) error {
	if p.c.Apart == nil {
		return p.Do(ctx, subject)
	}
	return p.c.Apart(ctx, subject)
}

// Do does the work of a subject.
func (p *Publisher) Do(ctx context.Context, subject string) error {
	if subject == Keys {
		return p.lookAfterKeys(ctx)
	}
	_, err := p.Publish(ctx)
	return err
}

// lookAfterKeys does the work that is due by the calendar.
func (p *Publisher) lookAfterKeys(ctx context.Context) error {
	contain.SeedItem("publication", Keys)
	err := p.renewRoot(ctx)
	if err != nil {
		err = fmt.Errorf("renew trust root: %w", err)
	}
	if p.c.Advance == nil {
		return err
	}
	return errors.Join(err, p.c.Advance(ctx))
}

// Timestamp returns the newest timestamp, or an Unavailable fault before the
// first publication.
func (p *Publisher) Timestamp(ctx context.Context) ([]byte, error) {
	h, err := p.c.Store.Head(ctx)
	if err == nil {
		err = p.follow(ctx, h) // so that the key that callers request next is this timestamp's
	}
	if err != nil {
		return nil, fmt.Errorf("read timestamp: %w", err)
	}
	if h.Timestamp == nil {
		return nil, fault.New(fault.Unavailable, fault.CodeServiceUnavailable, "no trust documents are published yet")
	}
	return h.Timestamp, nil
}

// Object returns a published document, pack, delta or shard by its SHA-256 in hex,
// and its content type, or a NotFound fault. Superseded ones are served for one more
// hour.
func (p *Publisher) Object(ctx context.Context, sha256 string) (data []byte, contentType string, err error) {
	hash, err := objectHash(sha256)
	if err != nil {
		return nil, "", err
	}
	o, err := p.c.Store.Object(ctx, hash)
	return o.Data, o.ContentType, err
}

// objectHash reads the name of an object, or returns a NotFound fault.
func objectHash(name string) (digest.SHA256, error) {
	hash, err := digest.Parse(name)
	if err != nil {
		return hash, fault.New(fault.NotFound, fault.CodeNotFound, "there is no such trust document")
	}
	return hash, nil
}
