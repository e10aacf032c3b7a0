package web_test

import (
	"strings"
	"testing"
)

// TestAges: durations and ages read as people of each language write them. Less than a minute is no number.
func TestAges(t *testing.T) {
	t.Parallel()
	s := prepared()["valid"]
	s["status"].(map[string]any)["ageMs"] = 20_000
	w := field()
	w.Entries["new"] = map[string]any{"entry": map[string]any{"scanId": "new", "seq": 1, "scannedAt": at(0), "state": "queued", "headline": "valid"}, "answer": answerOf("new", s)}
	p := open(t, w)
	for lang, want := range map[string]struct{ status, now, days, badge, minute string }{
		"en": {"Status less than a minute old", "now", "3 days ago", "Status under 1 min old", "Status 1 minute old"},
		"de": {"Stand ist weniger als eine Minute alt", "jetzt", "vor 3 Tagen", "Stand unter 1 Min. alt", "Stand ist 1 Minute alt"},
		"fr": {"État vieux de moins d’une minute", "maintenant", "il y a 3 jours", "État vieux de moins d’1 min", "État vieux de 1 minute"},
		"es": {"Estado de hace menos de un minuto", "ahora", "hace 3 días", "Estado de hace menos de 1 min", "Estado de hace 1 minuto"},
		"ar": {"عمر الحالة أقل من دقيقة", "الآن", "قبل 3 أيام", "عمر الحالة أقل من دقيقة", "عمر الحالة دقيقة"},
	} {
		p.start(lang, "nav.tabs")
		p.at("answer/new", ".verdict__word")
		p.picture(lang + "-answer-new")
		if got := eval[string](p, `document.querySelector('.age b').textContent`); got != want.status {
			t.Errorf("%s: the answer says %q, want %q", lang, got, want.status)
		}
		const texts = `import('/scan/js/text.js').then(({t, ago, age, shortAge}) => [ago(20_000), ago(3.5 * 86_400_000), t('scan.status', {age: shortAge(59_999)}), t('status.age', {age: age(60_000)})].join('|'))`
		got := strings.Split(eval[string](p, texts), "|")
		if got[0] != want.now || got[1] != want.days || got[2] != want.badge || got[3] != want.minute {
			t.Errorf("%s: %q, want %+v", lang, got, want)
		}
	}
	p.clean()
}
