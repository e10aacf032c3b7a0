package metrics

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

// mailTries counts tries to send e-mail.
func mailTries() *prometheus.CounterVec {
	tries := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "tcode_mail_tries_total", Help: "Tries to send an e-mail, by result: confirm, refuse, postpone, give up, drop.",
	}, []string{"outcome"})
	for _, outcome := range []string{"confirm", "refuse", "postpone", "give up", "drop"} {
		tries.WithLabelValues(outcome)
	}
	return tries
}

// Mail counts one try to send an e-mail.
func (m *Metrics) Mail(outcome string) { m.mail.WithLabelValues(outcome).Inc() }

var mailsOpen = desc("mail_messages", "E-mail that is not over: Waiting, Sending.", "state")

func (s *sources) mails(ctx context.Context, gauge func(*prometheus.Desc, float64, ...string)) {
	counts, ok := ask(ctx, s, "mail", s.Mails)
	if !ok {
		return
	}
	for state, n := range counts {
		gauge(mailsOpen, float64(n), state)
	}
}

var setAside = desc("set_aside", "Items of background work that stopped the gateway twice, or failed too often, and wait for an operator.", "kind")

func (s *sources) asides(ctx context.Context, gauge func(*prometheus.Desc, float64, ...string)) {
	counts, ok := ask(ctx, s, "set aside", s.SetAside)
	if !ok {
		return
	}
	for kind, n := range counts {
		gauge(setAside, float64(n), kind)
	}
}
