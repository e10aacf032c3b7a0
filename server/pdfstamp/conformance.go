package pdfstamp

import "bytes"

// A conformance holds the rules of the file's kind for drawings on its pages.
type conformance struct {
	// opaque: no transparency. PDF before 1.4 has none, PDF/A-1 and the older
	// PDF/X forbid it (ISO 19005-1, 6.4), and the later parts of PDF/A ask for a
	// blending space that a stamp does not bring.
	opaque bool
	// calibrated: no gray of a device, because the file is PDF/A and names no
	// device that would be meant (ISO 19005-1, 6.2.3.3).
	calibrated bool
}

// conformance returns the conformance that the file claims. Metadata that cannot be
// read could claim any, so the strictest counts.
func (d *document) conformance() conformance {
	catalog := d.catalog()
	c := conformance{opaque: d.before14(catalog)}
	intents, _ := d.resolve(catalog.get("OutputIntents")).(array)
	archive, named := false, false
	for _, o := range intents[:min(len(intents), maxNodes)] {
		intent, _ := d.resolve(o).(*dict)
		switch kind, _ := d.resolve(intent.get("S")).(name); kind {
		case "GTS_PDFA1":
			archive, named = true, true
		case "GTS_PDFX":
			c.opaque = true
		}
	}
	if info, _ := d.resolve(d.trailer.get("Info")).(*dict); info.get("GTS_PDFXVersion") != nil {
		c.opaque = true
	}
	if metadata, _ := d.resolve(catalog.get("Metadata")).(*stream); metadata != nil {
		xmp, err := d.decode(metadata)
		archive = archive || err != nil || bytes.Contains(xmp, []byte("pdfaid"))
		c.opaque = c.opaque || bytes.Contains(xmp, []byte("pdfxid"))
	}
	c.opaque = c.opaque || archive
	c.calibrated = archive && !named
	return c
}

// before14 reports whether the newer of header and catalog names a version
// below 1.4.
func (d *document) before14(catalog *dict) bool {
	old := func(v string) bool { return len(v) >= 3 && v[:2] == "1." && v[2] < '4' }
	i := bytes.Index(d.b[:min(len(d.b), 1024)], []byte("%PDF-"))
	header := string(d.b[i+5 : min(i+8, len(d.b))])
	version, _ := d.resolve(catalog.get("Version")).(name)
	return old(header) && (version == "" || old(string(version)))
}
