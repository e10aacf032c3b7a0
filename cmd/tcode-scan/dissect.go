package main

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"tcode/offline/payload"
)

// A part is one named run of a payload's bytes.
type part struct {
	Offset int    `json:"offset"` // bytes from the payload's start
	Length int    `json:"length"` // bytes
	Group  string `json:"group"`  // header, record reference, metadata, evidence
	Field  string `json:"field"`
	Hex    string `json:"hex"`
	Value  string `json:"value"` // for a person; text from outside is quoted
}

// dissect names every byte of raw. The parts cover raw without gap or overlap.
func dissect(raw []byte) (payload.Payload, []part, error) {
	p, err := payload.Parse(raw)
	if err != nil {
		return payload.Payload{}, nil, err
	}
	d := &dissection{raw: raw}
	d.take("header", "magic", 1, "TCode")
	d.take("header", "version, algorithm", 1, fmt.Sprintf("%d, %s", raw[1]>>4, p.Algorithm))
	d.take("header", "flags", 1, flagWords(p))
	d.take("header", "issuer", 4, p.Issuer)
	d.take("header", "key sequence", 1, strconv.Itoa(int(p.KeySeq)))
	d.take("record reference", "reference", 10, p.Reference.String())
	d.take("metadata", "document type", 2, p.DocumentType)
	d.take("metadata", "issued at", 4, p.IssuedAt.UTC().Format(time.RFC3339))
	d.take("metadata", "status index", 4, fmt.Sprintf("shard %d, entry %d", p.Status.Shard(), p.Status.Entry()))
	if !p.ExpiresAt.IsZero() {
		d.take("metadata", "expires at", 4, p.ExpiresAt.UTC().Format(time.RFC3339))
	}
	if len(p.Fields) > 0 {
		d.take("metadata", "field count", 1, strconv.Itoa(len(p.Fields)))
	}
	for i, f := range p.Fields {
		n := strconv.Itoa(i + 1)
		d.take("metadata", "field "+n+" key", 1+len(f.Key), f.Key)
		d.take("metadata", "field "+n+" value", 1+len(f.Value), f.Value)
	}
	d.take("evidence", "fingerprint", payload.FingerprintLen, "SHA-256 of the stamped file, first 16 bytes")
	d.take("evidence", "signature", payload.SignatureLen, p.Algorithm.String()+", not checked here")
	return p, d.parts, nil
}

type dissection struct {
	raw   []byte
	at    int
	parts []part
}

// take adds a part for the next n bytes.
func (d *dissection) take(group, field string, n int, value string) {
	d.parts = append(d.parts, part{d.at, n, group, field, hex.EncodeToString(d.raw[d.at : d.at+n]), value})
	d.at += n
}

// flagWords lists the set flags.
func flagWords(p payload.Payload) string {
	words := ""
	add := func(set bool, word string) {
		if set && words != "" {
			words += ", "
		}
		if set {
			words += word
		}
	}
	add(len(p.Fields) > 0, "fields")
	add(!p.ExpiresAt.IsZero(), "expiry")
	add(p.Plain, "plain")
	add(p.Test, "test document")
	if words == "" {
		return "none"
	}
	return words
}
