package oversight

import (
	"fmt"

	"tcode/server/console/frame"
	"tcode/server/tenant"
)

// texts are the words of the screens in one language.
type texts struct {
	Audit, AuditText, Action, All, By, Everyone, Subject, From, To, Export, When, What, Tenant, NoRows, Rows, Newer, Older string
	Actors                                                                                                                 map[tenant.Actor]string

	Plan, PlanText, Month, Show, Used, Quota, NoQuota, Near, Full, TestUse, Includes, NotIncluded, PerMinute, PerMinuteDefault string
	ByDay, Day, Stamps, Documents, Verifications, Scans                                                                        string
	Kinds                                                                                                                      map[tenant.Kind]string
	Entitlements                                                                                                               map[tenant.Entitlement]string
}

// With returns a sentence with its values, for templates.
func (*texts) With(sentence string, values ...any) string { return fmt.Sprintf(sentence, values...) }

var words = frame.Lexicon[texts]{"en": &english, "de": &german, "fr": &french, "es": &spanish, "ar": &arabic}
