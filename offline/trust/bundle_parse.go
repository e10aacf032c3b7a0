package trust

import (
	"encoding/base64"
	"strings"

	"tcode/offline/payload"
)

// ParseBundle reads a bundle that the online key must have signed.
func ParseBundle(fp Fingerprint, online VerifierKey, raw []byte) (*Bundle, error) {
	return parseOnline(fp, online, TypeBundle, MaxBundleLen, raw, parseBundle)
}

func parseBundle(l *lines) (b Bundle) {
	b.Version, b.Issued, b.Expires = l.dates()
	for l.at("tenant") {
		t := l.tenant()
		b.Tenants = append(b.Tenants, t)
		if len(b.Tenants) > MaxTenants {
			l.fail("more than %d tenants", MaxTenants)
		}
		for l.at("key") {
			b.Keys = append(b.Keys, l.tenantKey(t.Reference))
		}
	}
	for l.at("type") {
		b.DocumentTypes = append(b.DocumentTypes, l.documentType())
	}
	return b
}

func (l *lines) tenant() Tenant {
	reference, rest, _ := strings.Cut(l.take("tenant"), " ")
	state, name, _ := strings.Cut(rest, " ")
	return Tenant{Reference: reference, State: TenantState(state), Name: l.text(name)}
}

// text reads an escaped text.
func (l *lines) text(s string) string {
	text, ok := unescape(s)
	if !ok || !validText(text) {
		l.fail("%.60q is no text in its canonical spelling", s)
	}
	return text
}

func (l *lines) tenantKey(tenant string) Key {
	words := l.words(l.take("key"), 8)
	if l.err != nil {
		return Key{}
	}
	k := Key{
		Tenant:           tenant,
		Seq:              uint8(l.number(words[0], 255)),
		State:            KeyState(words[1]),
		ValidFrom:        l.optionalTime(words[2]),
		ValidUntil:       l.optionalTime(words[3]),
		CompromisedSince: l.optionalTime(words[4]),
		SurvivorList:     words[5],
	}
	if k.SurvivorList == none {
		k.SurvivorList = ""
	}
	algorithm, err := payload.ParseAlgorithm(words[6])
	if err != nil {
		l.fail("algorithm %.20q", words[6])
		return Key{}
	}
	raw, err := base64.StdEncoding.DecodeString(words[7])
	if err == nil {
		k.Public, err = payload.ParsePublicKey(algorithm, raw)
	}
	if err != nil {
		l.fail("public key: %v", err)
	}
	return k
}

func (l *lines) documentType() DocumentType {
	d := DocumentType{Code: l.take("type"), Names: make(map[string]string)}
	for l.at("name") {
		language, text, _ := strings.Cut(l.take("name"), " ")
		l.put(d.Names, language, text)
	}
	for l.at("label") {
		field, rest, _ := strings.Cut(l.take("label"), " ")
		language, text, _ := strings.Cut(rest, " ")
		if d.FieldLabels[field] == nil {
			if d.FieldLabels == nil {
				d.FieldLabels = make(map[string]map[string]string)
			}
			d.FieldLabels[field] = make(map[string]string)
		}
		l.put(d.FieldLabels[field], language, text)
	}
	return d
}

// put reads a text in a language that texts does not have yet.
func (l *lines) put(texts map[string]string, language, text string) {
	if _, twice := texts[language]; twice || len(texts) == MaxTexts {
		l.fail("language %.40q is there twice, or is one too many", language)
	}
	texts[language] = l.text(text)
}
