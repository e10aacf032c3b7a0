package server

import (
	"time"

	"tcode/server/outbound/webhook"
	"tcode/server/outbound/webhook/post"
	"tcode/server/platform/jobs"
)

// newWebhooks makes the service of webhooks.
func (g *Gateway) newWebhooks() *webhook.Service {
	g.poster = post.New(post.Config{AllowPrivate: g.c.WebhooksAllowPrivate, Now: g.c.Now})
	return webhook.New(webhook.Config{
		Store: g.db, Ring: g.ring, Tenants: g.Tenants, Sender: g.poster,
		Hold: holdsOfWebhook * g.c.Hold, Now: g.c.Now, Log: g.c.Log, Count: g.metrics.Webhook,
	})
}

const (
	// webhooksAtOnce is how many endpoints a gateway sends to at the same time.
	// A slow receiver keeps one of these places for ten seconds, and is then
	// left alone for longer than that.
	webhooksAtOnce = 16
	// holdsOfWebhook makes a hold longer than what may happen in it: posts are
	// begun for a third of it, and the last takes as long as a receiver may.
	holdsOfWebhook = 4
)

// webhookHandler is the background work of webhooks. Endpoints that have
// something due are looked for each second: an event's transaction writes what
// is to be delivered, and nothing else.
func (g *Gateway) webhookHandler() jobs.Handler {
	return jobs.Handler{Kind: jobs.Webhook, AtOnce: webhooksAtOnce, Timeout: -1, Work: g.Webhooks.Run, Due: g.Webhooks.Wake, Every: time.Second}
}
