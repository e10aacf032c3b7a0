package server

import (
	"log/slog"
	"net"
	"net/netip"
	"time"

	"tcode/server/httpapi"
	"tcode/server/keyring"
)

// DefaultAddr is where a gateway listens unless told otherwise: on this machine
// only.
const DefaultAddr = "127.0.0.1:8080"

// DefaultData is the data folder unless told otherwise.
const DefaultData = "tcode-data"

// Config is what a gateway is made of. Its zero value is a gateway for this
// machine, with everything in ./tcode-data.
type Config struct {
	Addr string // HOST:PORT to listen on; empty: DefaultAddr; port 0: any free one
	Data string // data folder, made if missing; empty: DefaultData
	// DatabaseURL is a PostgreSQL database, postgres://... Empty: an SQLite file
	// in the data folder, which holds files and keys in either case.
	DatabaseURL string
	// MasterKeyset is the keyset that opens all keys, as JSON. Empty: the one in
	// the data folder, made at first use.
	MasterKeyset string
	// Token keeps new signing keys, if it is set: they are made in it and never
	// leave it. The zero value keeps them sealed in the database.
	Token keyring.TokenConfig
	// PublicURL is the gateway's address as clients know it, with or without
	// /v1. Empty: taken from each request.
	PublicURL      string
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is believed

	Limits   *httpapi.Limits // nil: httpapi.DefaultLimits
	Stampers int             // child processes that stamp; zero: one per usable core
	Drain    time.Duration   // how long requests may take to end at shutdown; zero: 20 s

	// Ready, if set, is called once the gateway answers, with the address it
	// listens on.
	Ready func(addr net.Addr)
	Now   func() time.Time // nil: time.Now
	Log   *slog.Logger     // nil: discards
}

func (c Config) withDefaults() Config {
	if c.Addr == "" {
		c.Addr = DefaultAddr
	}
	if c.Data == "" {
		c.Data = DefaultData
	}
	if c.Limits == nil {
		l := httpapi.DefaultLimits()
		c.Limits = &l
	}
	if c.Drain == 0 {
		c.Drain = 20 * time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}
