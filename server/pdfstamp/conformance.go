package pdfstamp

import "bytes"

// opaqueOnly reports whether the file must not hold transparency: PDF before
// 1.4 has none, PDF/A-1 and the older PDF/X forbid it (ISO 19005-1, 6.4), and
// the later parts of PDF/A ask for a blending space that a stamp does not
// bring. A file that says it is any of them is left what it is.
func (d *document) opaqueOnly() bool {
	catalog := d.catalog()
	if d.before14(catalog) {
		return true
	}
	intents, _ := d.resolve(catalog.get("OutputIntents")).(array)
	for _, o := range intents[:min(len(intents), maxNodes)] {
		intent, _ := d.resolve(o).(*dict)
		if kind, _ := d.resolve(intent.get("S")).(name); kind == "GTS_PDFA1" || kind == "GTS_PDFX" {
			return true
		}
	}
	if info, _ := d.resolve(d.trailer.get("Info")).(*dict); info.get("GTS_PDFXVersion") != nil {
		return true
	}
	metadata, _ := d.resolve(catalog.get("Metadata")).(*stream)
	if metadata == nil {
		return false
	}
	xmp, err := d.decode(metadata)
	return err != nil || bytes.Contains(xmp, []byte("pdfaid")) || bytes.Contains(xmp, []byte("pdfxid"))
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
