package httpapi

import (
	"strings"
	"time"

	openapi_types "github.com/oapi-codegen/runtime/types"

	"tcode/offline/payload"
	"tcode/server/httpapi/api"
)

// deref returns *p, or the zero value if p is nil.
func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// optional returns nil for the zero value, so that the member is null.
func optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// optionalTime is like optional for a time, in UTC and to the millisecond as in
// all records.
func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = wholeMillis(t)
	return &t
}

// lastDay returns the last day before an end, or nil for the zero time: never.
func lastDay(end time.Time) *openapi_types.Date {
	if end.IsZero() {
		return nil
	}
	return &openapi_types.Date{Time: end.UTC().Add(-time.Nanosecond)} // its form has the day alone
}

func wholeMillis(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// names is never null, also if a thing has no names.
func names(in map[string]string) api.LocalizedNames {
	if in == nil {
		return api.LocalizedNames{}
	}
	return in
}

func uuidText(id *openapi_types.UUID) string {
	if id == nil {
		return ""
	}
	return id.String()
}

// mustUUID reads one of our ids. For an id that is no UUID it returns zeros, so
// that the answer does not fail.
func mustUUID(s string) (id openapi_types.UUID) {
	if id.UnmarshalText([]byte(s)) != nil {
		return openapi_types.UUID{}
	}
	return id
}

// optionalUUID is like mustUUID, but returns nil for an empty id.
func optionalUUID(s string) *openapi_types.UUID {
	if s == "" {
		return nil
	}
	id := mustUUID(s)
	return &id
}

func fieldList(in []payload.Field) []api.Field {
	out := make([]api.Field, 0, len(in))
	for _, f := range in {
		out = append(out, api.Field{Key: f.Key, Value: f.Value})
	}
	return out
}

func fieldValues(in *[]api.FieldValue) (out []payload.Field) {
	for _, f := range deref(in) {
		out = append(out, payload.Field{Key: f.Key, Value: f.Value})
	}
	return out
}

func pageNumber(p *api.Page) int {
	if p == nil {
		return 1
	}
	return int(*p)
}

const defaultPageSize = 20

func pageSize(p *api.PageSize) int {
	if p == nil {
		return defaultPageSize
	}
	return int(*p)
}

// pageInfo holds the members that every paged list has.
type pageInfo struct {
	page, pageSize, totalCount, totalPages int32
	totalIsLowerBound, hasNext             bool
}

// paging computes the members that every paged list has. items is the number of
// records on the page.
func paging(page, size, total int, lowerBound bool, items int) pageInfo {
	pages := 0
	if size > 0 {
		pages = (total + size - 1) / size
	}
	return pageInfo{
		page: int32(page), pageSize: int32(size),
		totalCount: int32(total), totalIsLowerBound: lowerBound, totalPages: int32(pages),
		// Beyond the counted records a full page is the best sign of another page.
		hasNext: page < pages || lowerBound && items == size,
	}
}

// pageOf returns a page of a list that is read as a whole. Without parameters it is the
// whole list.
func pageOf[T any](list []T, number *api.Page, size *api.PageSize) ([]T, pageInfo) {
	total := len(list)
	if number == nil && size == nil {
		return list, paging(1, max(total, 1), total, false, total)
	}
	n, most := pageNumber(number), pageSize(size)
	first := min((n-1)*most, total)
	list = list[first:min(first+most, total)]
	return list, paging(n, most, total, false, len(list))
}

// fill copies p into a list: the generated list types repeat its members.
func (p pageInfo) fill(page, size, total, pages *int32, lowerBound, hasNext *bool) {
	*page, *size, *total, *pages = p.page, p.pageSize, p.totalCount, p.totalPages
	*lowerBound, *hasNext = p.totalIsLowerBound, p.hasNext
}

// dateRange reads DateRange as of now, in UTC: from is
// inclusive, to exclusive, zero means open. ok is false for anything else.
func dateRange(s string, now time.Time) (from, to time.Time, ok bool) {
	now = now.UTC()
	day := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }
	today := day(now.Year(), now.Month(), now.Day())
	month := day(now.Year(), now.Month(), 1)
	switch strings.ToLower(s) {
	case "":
		return from, to, true
	case "today":
		return today, to, true
	case "7d":
		return today.AddDate(0, 0, -6), to, true
	case "30d":
		return today.AddDate(0, 0, -29), to, true
	case "90d":
		return today.AddDate(0, 0, -89), to, true
	case "this_month":
		return month, to, true
	case "last_month":
		return month.AddDate(0, -1, 0), month, true
	case "this_year":
		return day(now.Year(), 1, 1), to, true
	}
	return twoDates(s)
}

// twoDates reads 2026-01-01/2026-01-31; both days are included, and either may
// be missing. One date alone is that day.
func twoDates(s string) (from, to time.Time, ok bool) {
	if !strings.Contains(s, "/") {
		s += "/" + s
	}
	left, right, found := strings.Cut(s, "/")
	if !found || left == "" && right == "" {
		return from, to, false
	}
	var err error
	if left != "" {
		if from, err = time.Parse(time.DateOnly, left); err != nil {
			return from, to, false
		}
	}
	if right != "" {
		if to, err = time.Parse(time.DateOnly, right); err != nil {
			return from, to, false
		}
		to = to.AddDate(0, 0, 1)
	}
	return from, to, from.IsZero() || to.IsZero() || from.Before(to)
}
