package fault_test

import (
	"strings"
	"testing"

	"tcode/server/fault"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{
		"templateId", "recipientName", "recipientEmail", "documentTitle", "externalId", "expiresAt", "fields", "pdf", "generatePdf", "scopes", "events",
	}
	for given, want := range map[string]string{
		"scope": "scopes", "event": "events", "expiryDate": "expiresAt", "expires_at": "expiresAt", "Expires-At": "expiresAt", "template": "templateId",
		"title": "documentTitle", "email": "recipientEmail", "pdfBase64": "pdf", "externalID": "externalId", "field": "fields", "recipientMail": "recipientEmail",
		"recipient": "recipientEmail or recipientName", "colour": "", "x": "", "": "", "id": "", strings.Repeat("scopes", 7): "",
	} {
		if got := fault.Nearest(names, given); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", given, got, want)
		}
	}
}
