package metrics

import "context"

var mailTries = newFamily("mail_tries_total", "Tries to send an e-mail, by result: confirm, refuse, postpone, give up, drop.", "outcome")

// Mail counts one try to send an e-mail.
func (m *Metrics) Mail(outcome string) { m.counter(mailTries, outcome).Inc() }

var mailsOpen = newFamily("mail_messages", "E-mail that is not over: Waiting, Sending.", "state")

func (s *sources) mails(ctx context.Context, gauge sampler) {
	counts, ok := ask(ctx, s, "mail", s.Mails)
	if !ok {
		return
	}
	for state, n := range counts {
		gauge(mailsOpen, float64(n), state)
	}
}

var setAside = newFamily("set_aside", "Items of background work that stopped the gateway twice, or failed too often, and wait for an operator.", "kind")

func (s *sources) asides(ctx context.Context, gauge sampler) {
	counts, ok := ask(ctx, s, "set aside", s.SetAside)
	if !ok {
		return
	}
	for kind, n := range counts {
		gauge(setAside, float64(n), kind)
	}
}
