package records

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"tcode/server/issue"
)

// The values of the filter's choices.
const (
	liveOnly = "live"
	testOnly = "test"
	oldest   = "oldest"
)

// pageSize is the number of lines of a list.
const pageSize = 25

// query is the filter of a list, as in its address.
type query struct {
	Search, Status, Type, Template, From, To, Test, Sort string
	Page                                                 int

	Wrong map[string]bool // members that are not valid, which then do not count

	from, to  time.Time
	size      int
	after     issue.Place
	uncounted bool
}

// parse reads a filter. Members that are not valid are in Wrong.
func parse(v url.Values, a about) query {
	q := query{
		Search: strings.TrimSpace(v.Get("search")), Status: v.Get("status"), Type: strings.ToUpper(strings.TrimSpace(v.Get("type"))), Template: v.Get("template"),
		From: v.Get("from"), To: v.Get("to"), Test: v.Get("test"), Sort: v.Get("sort"), Page: 1, size: pageSize, Wrong: map[string]bool{},
	}
	refuse := func(name string, member *string, wrong bool) {
		if wrong {
			q.Wrong[name], *member = true, ""
		}
	}
	refuse("search", &q.Search, utf8.RuneCountInString(q.Search) > 200 || strings.ContainsFunc(q.Search, func(r rune) bool { return r < ' ' || r == utf8.RuneError }))
	refuse("status", &q.Status, q.Status != "" && !slices.Contains(a.Statuses, q.Status))
	refuse("type", &q.Type, len(q.Type) > 3 || strings.Trim(q.Type, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "")
	_, err := uuid.Parse(q.Template)
	refuse("template", &q.Template, q.Template != "" && (err != nil || len(q.Template) != 36))
	refuse("test", &q.Test, q.Test != "" && q.Test != liveOnly && q.Test != testOnly)
	refuse("sort", &q.Sort, q.Sort != "" && q.Sort != oldest)
	q.from, err = day(q.From)
	refuse("from", &q.From, err != nil)
	q.to, err = day(q.To)
	if refuse("to", &q.To, err != nil); q.To != "" {
		q.to = q.to.AddDate(0, 0, 1) // the day is in it
	}
	if q.From != "" && q.To != "" && !q.from.Before(q.to) {
		q.Wrong["to"], q.To, q.to = true, "", time.Time{}
	}
	if n, err := strconv.Atoi(v.Get("page")); err == nil && n > 0 && n <= 1_000_000 {
		q.Page = n
	}
	return q
}

// day reads a day; "" is the zero time.
func day(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.DateOnly, s)
}

// values returns the filter's members that are set, without the page.
func (q query) values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{
		"search": q.Search, "status": q.Status, "type": q.Type, "template": q.Template, "from": q.From, "to": q.To, "test": q.Test, "sort": q.Sort,
	} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v
}

// Pairs returns the members that are set, in order, for hidden fields.
func (q query) Pairs() (out []option) {
	v := q.values()
	for _, name := range []string{"search", "status", "type", "template", "from", "to", "test", "sort"} {
		if v.Has(name) {
			out = append(out, option{name, v.Get(name)})
		}
	}
	return out
}

// With returns the address of the list at path with one member changed, and its first
// page.
func (q query) With(path, name, value string) string {
	v := q.values()
	v.Del(name)
	if value != "" {
		v.Set(name, value)
	}
	return address(path, v)
}

// At returns the address of a page of the list at path.
func (q query) At(path string, page int) string {
	v := q.values()
	if page > 1 {
		v.Set("page", strconv.Itoa(page))
	}
	return address(path, v)
}

func address(path string, v url.Values) string {
	if len(v) == 0 {
		return path
	}
	return path + "?" + v.Encode()
}

// Empty reports whether the filter picks all records.
func (q query) Empty() bool {
	v := q.values()
	v.Del("sort")
	return len(v) == 0
}
