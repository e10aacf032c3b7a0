package httpapi

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	openapi_types "github.com/oapi-codegen/runtime/types"
	"tcode/server/httpapi/api"
)

// etag returns the validator of a version of a template. The address names the
// template, so that the version number is enough.
func etag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// versions reads If-Match (RFC 9110 section 13.1.1): the versions that a change
// may replace, nil for any. Tags that none of our versions has, weak ones included,
// match none.
func versions(ifMatch *api.IfMatch) []int64 {
	if ifMatch == nil {
		return nil
	}
	out := []int64{}
	for tag := range strings.SplitSeq(*ifMatch, ",") {
		tag = strings.TrimSpace(tag)
		if tag == "*" {
			return nil
		}
		inner, quoted := strings.CutPrefix(tag, `"`)
		inner, closed := strings.CutSuffix(inner, `"`)
		if v, err := strconv.ParseInt(inner, 10, 64); err == nil && quoted && closed && etag(v) == tag {
			out = append(out, v)
		}
	}
	return out
}

// template writes the stored answer to the creation of a template, which is always
// its first version.
func (r *replay) template(w http.ResponseWriter, path func(id string) string) error {
	return r.write(w, func(body []byte, h http.Header) {
		var made struct {
			Data struct{ ID openapi_types.UUID }
		}
		if json.Unmarshal(body, &made) == nil {
			h.Set("Location", path(made.Data.ID.String()))
			h.Set("ETag", etag(1))
		}
	})
}

// copyName returns the name of a copy, "" for the one that it has by default.
func copyName(b *api.DuplicateRequest) string {
	if b == nil {
		return ""
	}
	return deref(b.Name)
}
