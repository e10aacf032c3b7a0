package delivery

import (
	"fmt"
	"strings"
)

// Words describes the state of m to people, in sentences.
func (m Message) Words() string {
	why := m.why()
	switch m.State {
	case NotConfigured:
		return "This gateway sends no e-mail."
	case Sending:
		return strings.TrimSpace("It is being handed to the mail server. " + why)
	case Sent:
		return "The mail server took it."
	case Refused:
		if m.Reason == Answered {
			return fmt.Sprintf("The mail server refused the message permanently: it answered %d.", m.Code)
		}
		return strings.TrimSpace("It cannot be sent. " + why)
	case Failed:
		if m.Reason == Restored {
			return why
		}
		return strings.TrimSpace("It was not sent in the time for tries. " + why)
	case Dropped:
		if why == "" {
			return "It was not sent: the document had ended."
		}
		return "It was not sent: " + why
	case Waiting:
	}
	if why == "" {
		return "It waits to be sent."
	}
	return "It waits for the next try. " + why
}

// why returns the reason in a sentence.
func (m Message) why() string {
	answer := ""
	if m.Code != 0 {
		answer = fmt.Sprintf(" It answered %d.", m.Code)
	}
	switch m.Reason {
	case Revoked:
		return "the document was revoked."
	case Replaced:
		return "the document was replaced by another."
	case Expired:
		return "the document had expired."
	case Suspended:
		return "The document, or its issuer, is suspended."
	case Unreachable:
		return "The mail server could not be reached, or ended the connection before it had the message."
	case Insecure:
		return "No private connection to the mail server was possible: it offers no STARTTLS, or its certificate has expired, is for another name or of an unknown authority." + answer
	case NoLogin:
		return "The mail server did not let the gateway log in." + answer
	case Unanswered:
		return "The mail server was given the whole message and did not say that it took it, so it may come twice, under the same Message-ID."
	case Answered:
		return fmt.Sprintf("The mail server answered %d.", m.Code)
	case FileUnavailable:
		return "The document, or its file, could not be read."
	case Unwritable:
		return "The mail server takes no address like the recipient's, or there is none."
	case Interrupted:
		return "The gateway was ended in the middle of a try, so the message may come twice, under the same Message-ID."
	case Restored:
		return "It waited when the restored backup was made, so it may have been sent since. It is sent on request, under the same Message-ID."
	}
	return ""
}
