package access

import (
	"fmt"

	"tcode/server/console/frame"
	"tcode/server/outbound/webhook"
	"tcode/server/tenant"
)

// texts are the words of the screens in one language.
type texts struct {
	Keys, KeysText, NewKey, Name, NameHint, Begins, May, LastUsed, From, Expires, Actions, Renew, RevokeKey string
	MadeKey, CopyNow, SendIt, Today, Over, InDays, NoKeys, NoKeysText, MakeKey, TestKey, TestHint           string
	DaysLife, NoLife, NoScope, Mistyped, ToType, RevokeEffect                                               string
	RenewText, Overlap, OverlapNow, OverlapHours                                                            string

	Scopes     map[tenant.Scope]string
	ScopeHints map[tenant.Scope]string
	KeyStates  map[tenant.APIKeyState]string

	Webhooks, WebhooksText, NewHook, URL, URLHint, Events, AllEvents, State, Delivered24, NoHooks, NoHooksText, NoEvent string
	On, Off, FailingSince, SwitchOn, SwitchOff, SendTest, ChangeSecret, Change, Remove, RemoveEffect                    string
	NewSecret, SecretText, OldSecret, TestWent, TestFailed, Resent, RedeliverFailed, Redeliver                          string
	Deliveries, AllStates, When, Tries, Answer, Next, NoDeliveries, Newer, Older, Event, Body, Took, Number             string
	States                                                                                                              map[webhook.State]string

	Signing, SigningText, RotateAnnounced, RotateNow, RotateText, Retire, RetireEffect, Compromise, CompromiseEffect string
	Since, NoTime, AgeDays, ValidFrom, Until, CompromisedSince, Survivors, Omitted, Algorithm                        string
	SigningStates                                                                                                    map[tenant.KeyState]string

	Done map[string]string // by what a form did
}

// fill returns a sentence with its values.
func (*texts) fill(sentence string, values ...any) string { return fmt.Sprintf(sentence, values...) }

// With returns a sentence with its values, for templates.
func (t *texts) With(sentence string, values ...any) string { return t.fill(sentence, values...) }

var words = frame.Lexicon[texts]{"en": &english, "de": &german, "fr": &french, "es": &spanish, "ar": &arabic}
