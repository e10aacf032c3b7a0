package access

import (
	"tcode/server/outbound/webhook"
	"tcode/server/tenant"
)

var english = texts{
	Keys: "API keys", KeysText: "A key acts for your organisation. It is shown once, when it is made, and kept only as a hash.", NewKey: "New key",
	Name: "Name", NameHint: "Where it is used, so that you know it again", Begins: "Begins with", May: "May", LastUsed: "Last used", From: "from", Expires: "Expires", Actions: "Actions",
	Renew: "Renew", RevokeKey: "Revoke the key", MadeKey: "The key is made. Copy it now: it is never shown again.", CopyNow: "Copy", SendIt: "Send it in the header",
	Today: "%d requests today", Over: "Ended keys", InDays: "in %d days", NoKeys: "No keys yet", NoKeysText: "Your own systems stamp documents with an API key. Begin with a test key.", MakeKey: "Make the key",
	TestKey: "Test key", TestHint: "Everything that it makes is a test document.", DaysLife: "in %d days", NoLife: "never", NoScope: "Choose at least one.",
	Mistyped: "This is not the same text.", ToType: "Type this to confirm:", RevokeEffect: "It was last used: %s; requests today: %d. Programs with this key get 401 from now on. Documents that it made stay valid.",
	RenewText: "A new key takes its place, with the same name and rights. The old one still works for a while, so that you can change your programs.",
	Overlap:   "The old key ends", OverlapNow: "immediately", OverlapHours: "after %d hours",
	Scopes: map[tenant.Scope]string{tenant.ScopeStamp: "Stamp", tenant.ScopeHistory: "Verify history", tenant.ScopeManage: "Manage"},
	ScopeHints: map[tenant.Scope]string{
		tenant.ScopeStamp: "stamp, issue, suspend, revoke, replace", tenant.ScopeHistory: "read who verified what", tenant.ScopeManage: "keys, webhooks, devices: seldom needed",
	},
	KeyStates: map[tenant.APIKeyState]string{tenant.KeyActive: "active", tenant.KeyExpired: "expired", tenant.KeyRevoked: "revoked"},

	Webhooks: "Webhooks", WebhooksText: "Your systems hear of events at these addresses. Each delivery is signed and tried again for 17 hours.", NewHook: "New endpoint", URL: "Address",
	URLHint: "https only; answers 2xx within 10 seconds", Events: "Events", AllEvents: "all events", State: "State", Delivered24: "Taken, 24 h", NoHooks: "No endpoint yet",
	NoHooksText: "Give an address of your own system, and it hears of revocations, finished jobs and findings.", NoEvent: "Choose at least one event.",
	On: "On", Off: "Off", FailingSince: "Failing since", SwitchOn: "Switch on", SwitchOff: "Switch off", SendTest: "Send a test", ChangeSecret: "Change the secret", Change: "Save", Remove: "Remove the endpoint",
	RemoveEffect: "The endpoint and all its deliveries are removed. Events that wait for it are never sent.",
	NewSecret:    "The secret: copy it now, it is never shown again.", SecretText: "It signs each delivery, in the header TCode-Signature.", OldSecret: "The old secret signs too, until",
	TestWent: "The receiver took the test: %d after %v.", TestFailed: "The receiver did not take the test: %s", Resent: "%d deliveries are sent again.", RedeliverFailed: "Send failed ones again", Redeliver: "Send again",
	Deliveries: "Deliveries", AllStates: "All", When: "When", Tries: "Tries", Answer: "Last answer", Next: "Next try", NoDeliveries: "No deliveries here.", Newer: "Newer", Older: "Older", Event: "Event", Body: "Body that is sent", Took: "Took", Number: "Number",
	States: map[webhook.State]string{webhook.Waiting: "Waiting", webhook.Delivered: "Taken", webhook.Failed: "Failed"},

	Signing: "Signing keys", SigningText: "Every stamp is signed with the key that signs at that time. Scanners know the public halves.",
	RotateAnnounced: "Announce a new key", RotateNow: "Use a new key now", RotateText: "An announced key begins to sign in 8 days, when every scanner knows it. A key that signs now is unknown to scanners that have not refreshed: they answer UNVERIFIED for its stamps.",
	Retire: "Retire the key", RetireEffect: "It signs no more from now on. Its stamps stay good. If it signs now, the announced key takes its place, or a new one.",
	Compromise: "Declare the key compromised", CompromiseEffect: "Say this if others may have the key. From now on only stamps that are in this gateway's own records stay good; every other stamp with this key is refused by scanners after their next refresh. If it signs now, another key takes its place immediately. This cannot be taken back.",
	Since: "Others may have it since (UTC)", NoTime: "Give a date and a time.", AgeDays: "%d days old", ValidFrom: "Signs from", Until: "until", CompromisedSince: "compromised since",
	Survivors: "%d stamps of the key stay good.", Omitted: "%d older ones do not: replace them.", Algorithm: "Algorithm",
	SigningStates: map[tenant.KeyState]string{tenant.KeyAnnounced: "announced", tenant.KeySigning: "signs", tenant.KeyVerifying: "retired, its stamps stay good", tenant.KeyCompromised: "compromised"},

	Done: map[string]string{
		"revoked": "The key is revoked.", "changed": "The endpoint is changed.", "on": "The endpoint is on.", "off": "The endpoint is off.", "removed": "The endpoint is removed.",
		"redelivered": "The delivery is sent again.", "rotated": "A new signing key is made.", "retired": "The signing key is retired.",
	},
}
