package restamp

import (
	"reflect"

	"tcode/scanner/pdfobj"
)

// names are the names of a stamp's objects in a page's resources.
type names struct {
	image, gray pdfobj.Name
}

// resources checks that is equals the resources was plus the stamp's.
func (r *revision) resources(page int, was pdfobj.Dict, is any) (names, error) {
	var as names
	all, ok := is.(pdfobj.Dict)
	if !ok {
		return as, other("page object %d has no resources of its own", page)
	}
	for kind := range was {
		if _, has := all[kind]; !has {
			return as, other("page object %d lacks resources", page)
		}
	}
	for kind, v := range all {
		old, had := was[kind]
		if kind != "XObject" && kind != "ColorSpace" {
			if !had || !reflect.DeepEqual(v, old) {
				return as, other("page object %d has other resources", page)
			}
			continue
		}
		added, ok := r.added(r.before.Dict(old), v)
		if !ok || len(added) > 1 {
			return as, other("page object %d has other resources", page)
		}
		for name, v := range added {
			if !r.take(&as, kind, name, v) {
				return as, other("page object %d has a resource that is no stamp", page)
			}
		}
	}
	if as.image == "" {
		return as, other("page object %d has no stamp", page)
	}
	return as, nil
}

// added returns the entries of is that are not in was. It returns false unless all of was is there.
func (r *revision) added(was pdfobj.Dict, is any) (pdfobj.Dict, bool) {
	all, ok := is.(pdfobj.Dict)
	if !ok {
		return nil, false
	}
	for name, v := range was {
		if now, has := all[name]; !has || !reflect.DeepEqual(now, v) {
			return nil, false
		}
	}
	added := pdfobj.Dict{}
	for name, v := range all {
		if _, had := was[name]; !had {
			added[name] = v
		}
	}
	return added, true
}

// calGray is the color space that replaces a device's gray where a file may not use
// one.
var calGray = pdfobj.Array{pdfobj.Name("CalGray"), pdfobj.Dict{"WhitePoint": pdfobj.Array{0.9642, 1, 0.8249}, "Gamma": 2.2}}

// take takes one resource of the stamp.
func (r *revision) take(as *names, kind, name pdfobj.Name, v any) bool {
	if kind == "ColorSpace" {
		as.gray = name
		return reflect.DeepEqual(v, calGray)
	}
	image, ok := v.(pdfobj.Ref)
	_, ours := r.images[image]
	as.image = name
	return ok && ours
}

// contents checks that is equals the contents was, enclosed by those of a stamp.
func (r *revision) contents(page int, was, is any, as names) error {
	list, ok := is.(pdfobj.Array)
	old := r.listed(was)
	wrong := other("page object %d has other contents", page)
	switch {
	case !ok || len(list) == 0:
		return wrong
	case len(list) == len(old)+1 && equal(list[1:], old): // alone, or beneath
		return r.drawing(page, list[0], alone, as)
	case len(old) > 0 && len(list) == len(old)+2 && equal(list[1:len(list)-1], old):
		if text, ok := r.stream(list[0]); !ok || !opens(text) {
			return wrong
		}
		return r.drawing(page, list[len(list)-1], behind, as)
	}
	return wrong
}

// listed returns the content streams of a page: other entries draw nothing.
func (r *revision) listed(v any) (list pdfobj.Array) {
	all := pdfobj.Array{v}
	if a := r.before.Array(v); a != nil {
		all = a
	}
	for _, v := range all {
		if n, isRef := v.(pdfobj.Ref); isRef {
			if o, ok := r.before.Object(n); ok && o.Stream {
				list = append(list, n)
			}
		}
	}
	return list
}

func equal(a, b pdfobj.Array) bool {
	return len(a) == len(b) && (len(a) == 0 || reflect.DeepEqual(a, b))
}

// stream returns the data of one of the revision's own content streams.
func (r *revision) stream(v any) (string, bool) {
	n, isRef := v.(pdfobj.Ref)
	if !isRef || !r.streams[n] {
		return "", false
	}
	o, ok := r.after.Object(n)
	if !ok {
		return "", false
	}
	data, ok := r.after.Data(o)
	r.used[n] = true
	return string(data), ok
}

// drawing checks that v is a stream that draws the stamp, in the given form.
func (r *revision) drawing(page int, v any, form func(string) (drawing, bool), as names) error {
	text, ok := r.stream(v)
	d, drawn := form(text)
	if !ok || !drawn {
		return other("page object %d draws something else than a stamp", page)
	}
	for _, gray := range []string{d.white, d.black} {
		if gray != "" && pdfobj.Name(gray) != as.gray {
			return other("page object %d paints in another color", page)
		}
	}
	if pdfobj.Name(d.image) != as.image {
		return other("page object %d draws another image", page)
	}
	return nil
}
