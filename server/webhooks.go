package server

import (
	"tcode/server/outbound/webhook"
	"tcode/server/outbound/webhook/post"
	"tcode/server/platform/hold"
	"tcode/server/platform/jobs"
)

// newWebhooks makes the service of webhooks.
func (g *Gateway) newWebhooks() *webhook.Service {
	g.poster = post.New(post.Config{AllowPrivate: g.c.WebhooksAllowPrivate, Now: g.c.Now})
	return webhook.New(webhook.Config{
		Store: g.db, Ring: g.ring, Tenants: g.Tenants, Sender: g.poster,
		Hold: g.c.Hold, Now: g.sharedNow, Log: g.c.Log, Count: g.metrics.Webhook,
	})
}

// webhooksAtOnce is the number of endpoints that a gateway sends to concurrently. A slow
// receiver occupies one of these places for ten seconds, and is then not tried for a
// longer time.
const webhooksAtOnce = 16

// webhookHandler returns the background work of webhooks. It looks for endpoints
// with due deliveries every second: an event's transaction only writes the
// deliveries.
func (g *Gateway) webhookHandler() jobs.Handler {
	return jobs.Handler{
		Kind: jobs.Webhook, AtOnce: webhooksAtOnce, Timeout: -1, Work: g.Webhooks.Run, Due: g.Webhooks.Wake, Every: hold.Look,
		SetAside: g.Webhooks.SetAside, Free: g.Webhooks.Free,
	}
}
