package mail

import (
	"context"
	"net/mail"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"tcode/offline/dates"
)

// An Invitation is a message to a person who may become a user of the console.
type Invitation struct {
	ID        string       // unique forever; [A-Za-z0-9-] only
	Recipient mail.Address // their name and address
	Language  string       // BCP 47; English replaces an unknown one
	Issuer    string       // name of the tenant
	By        string       // who invites
	Link      string       // works once
	Until     time.Time    // the link works until then
}

// invited are the words of an invitation in one language. {name}, {issuer} and {by} are
// filled in.
type invited struct{ Subject, Intro, Link, Until, Why string }

var invitedTexts = map[string]invited{
	"en": {
		"{issuer} invites you to its TCode console", "{by} invites you to the TCode console of {issuer}.",
		"Open this link and choose a password:", "It works once, until",
		"You receive this message because {by} named your address. If you do not know {issuer}, delete it: without the link, nothing happens.",
	},
	"de": {
		"{issuer} lädt Sie zur TCode-Konsole ein", "{by} lädt Sie zur TCode-Konsole von {issuer} ein.",
		"Öffnen Sie diesen Link und wählen Sie ein Passwort:", "Er gilt einmal, bis",
		"Sie erhalten diese Nachricht, weil {by} Ihre Adresse angegeben hat. Wenn Sie {issuer} nicht kennen, löschen Sie sie: Ohne den Link geschieht nichts.",
	},
	"fr": {
		"{issuer} vous invite à sa console TCode", "{by} vous invite à la console TCode de {issuer}.",
		"Ouvrez ce lien et choisissez un mot de passe :", "Il sert une fois, jusqu’au",
		"Vous recevez ce message parce que {by} a indiqué votre adresse. Si vous ne connaissez pas {issuer}, supprimez-le : sans le lien, il ne se passe rien.",
	},
	"es": {
		"{issuer} le invita a su consola de TCode", "{by} le invita a la consola de TCode de {issuer}.",
		"Abra este enlace y elija una contraseña:", "Sirve una vez, hasta",
		"Recibe este mensaje porque {by} indicó su dirección. Si no conoce a {issuer}, bórrelo: sin el enlace no ocurre nada.",
	},
	"ar": {
		"تدعوك {issuer} إلى لوحة تحكم TCode", "يدعوك {by} إلى لوحة تحكم TCode الخاصة بجهة {issuer}.",
		"افتح هذا الرابط واختر كلمة مرور:", "يعمل مرة واحدة، حتى",
		"تصلك هذه الرسالة لأن {by} ذكر عنوانك. إن كنت لا تعرف {issuer} فاحذفها: لا يحدث شيء من دون الرابط.",
	},
}

// render returns subject and text.
func (i Invitation) render() (subject, text string) {
	t := textsFor(i.Language)
	w := invitedTexts[t.Language]
	fill := strings.NewReplacer("{name}", oneLine(i.Recipient.Name), "{issuer}", oneLine(i.Issuer), "{by}", oneLine(i.By))
	greeting := t.Greeting
	if i.Recipient.Name == "" {
		greeting = t.GreetingNoName
	}
	for n, p := range []string{greeting, w.Intro, w.Link, "{link}", w.Until + " " + t.when(i.Until, dates.Moment) + ".", w.Why} {
		if p = fill.Replace(p); p == "{link}" {
			p = i.Link
		}
		if n > 0 {
			text += "\n\n"
		}
		text += p
	}
	return fill.Replace(w.Subject), text + "\n"
}

// SendInvitation sends i to the server. Its errors are those of [Sender.Send].
func (s *Sender) SendInvitation(ctx context.Context, i Invitation) error {
	msg, to, err := s.envelope(i.Recipient, i.Issuer, i.ID)
	if err != nil {
		return &Error{Refused, StepWrite, 0, err}
	}
	subject, text := i.render()
	msg.Subject(subject)
	msg.SetBodyString(gomail.TypeTextPlain, text)
	return s.send(ctx, msg, to, nil)
}
