package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"tcode/server/store/storetest"
)

// The cases by name; lists are "list" and their filter.
const (
	byReference = "reference"
	byPayload   = "payload"
	syncing     = "sync"
	publishing  = "publication"   // from the answer to a revocation; its CPU is that of the wait, too
	pbLookUp    = "look-up alone" // PocketBase, without a history record
)

// The servers by name, in addition to the roles.
const (
	bareDefaultGC = "bare GOGC=100" // the garbage collector with Go's setting, not the gateway's
	pocketBase    = "pocketbase"
)

var validVerdict = []byte(`"verdict":"valid"`)

func (d *data) references() load {
	l := load{want: validVerdict}
	for _, ref := range d.refs {
		l.requests = append(l.requests, get("/v1/tcode/verify/reference/"+ref))
	}
	return l
}

func (d *data) signed() (load, error) {
	l := load{want: validVerdict}
	for _, p := range d.payloads {
		body, err := json.Marshal(map[string]string{"payload": p})
		if err != nil {
			return l, err
		}
		l.requests = append(l.requests, post("/v1/tcode/verify", body))
	}
	return l, nil
}

// lists are the first pages of every filter, and of some combinations. All except one find
// something, whatever the number of stamps.
var lists = []string{
	"", "Status=Suspended", "Status=Suspended,Revoked", "TemplateId=" + storetest.Template,
	"DateRange=7d", "DateRange=90d", "FieldName=grade", "FieldName=grade&FieldValue=A", "Search=diploma", "Search=number+invoice",
	"Search=diploma+20", "Search=nobody", "Search=seed-20", "Search=TCR-0000-0000-0000-000M", "Search=invoice&Status=Suspended",
	"TemplateId=" + storetest.Template + "&FieldName=grade&FieldValue=A",
}

func (d *data) list(filter string) load {
	l := load{
		requests: [][]byte{get("/v1/tcode/stamps?PageSize=20&"+filter, "x-api-key: "+d.key)},
		want:     []byte(`"reference":"TCR-`),
	}
	if filter == "Search=nobody" {
		l.want = []byte(`"totalCount":0`)
	}
	return l
}

// pbLookUps returns requests to PocketBase for its stamps 1 to n, in the order of picks.
func pbLookUps(picks []int, history bool) load {
	l := load{want: []byte(`"reference":"TCR-`)}
	for _, i := range picks {
		q := url.Values{"filter": {fmt.Sprintf("(reference='TCR-%016d')", i)}, "skipTotal": {"1"}, "perPage": {"1"}}
		if history {
			q.Set("history", "1")
		}
		l.requests = append(l.requests, get("/api/collections/stamps/records?"+q.Encode()))
	}
	return l
}

// A contender is one server in one case.
type contender struct {
	*process
	name   string
	stamps int // in its database
	load   load
}

// contest runs the same case on several servers in turns, where the first turn warms up,
// and returns a row for each. Turns are short and every other round goes backwards, so
// that other load on the machine affects all servers equally.
func contest(ctx context.Context, o options, base row, in []contender) ([]row, error) {
	samples := make([][]sample, len(in))
	turn := o.duration / time.Duration(o.rounds)
	for round := range o.rounds + 1 {
		for i := range in {
			if round%2 == 1 {
				i = len(in) - 1 - i
			}
			c := in[i]
			// Each turn uses other requests, so that the servers do not always read the same
			// rows.
			s, err := c.ask(ctx, c.load, o.conns, round*997, turn)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", base.Case, err)
			}
			if round > 0 {
				samples[i] = append(samples[i], s)
			}
		}
	}
	var rows []row
	for i, c := range in {
		r := base
		r.Server, r.Stamps = c.name, c.stamps
		r.fill(samples[i])
		memory, err := c.rss()
		if err != nil {
			return nil, err
		}
		r.RSS = float64(memory) / (1 << 20)
		rows = append(rows, r)
	}
	return rows, nil
}
