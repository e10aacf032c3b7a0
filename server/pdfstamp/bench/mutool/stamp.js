// Stamps one file with "mutool run stamp.js IN OUT PNG": the picture in the
// bottom right corner of the last page, saved as an appended revision.
function gone(v) { return !v || v.isNull(); }

// inherited looks an attribute up in the page and in the nodes above it.
function inherited(page, key) {
	for (var node = page, n = 0; !gone(node) && n < 100; node = node.get("Parent"), n++)
		if (!gone(node.get(key)))
			return node.get(key);
	return null;
}

var doc = Document.openDocument ? Document.openDocument(scriptArgs[0]) : new PDFDocument(scriptArgs[0]);
if (doc.needsPassword())
	throw new Error("needs a password");
var page = doc.findPage(doc.countPages() - 1);
var image = doc.addImage(new Image(scriptArgs[2]));
var resources = inherited(page, "Resources");
if (gone(resources)) {
	resources = doc.newDictionary();
	page.put("Resources", resources);
}
var pictures = resources.get("XObject");
if (gone(pictures)) {
	resources.put("XObject", doc.newDictionary());
	pictures = resources.get("XObject");
}
pictures.put("TCodeBench", image);

var box = inherited(page, "CropBox") || inherited(page, "MediaBox");
var mm = 72 / 25.4, side = (15 * mm * 44) / 40;
var x = (box ? Number(box.get(2)) : 612) - 10 * mm - side;
var y = (box ? Number(box.get(1)) : 0) + 10 * mm;
var drawing = doc.addStream("Q q " + side + " 0 0 " + side + " " + x + " " + y + " cm /TCodeBench Do Q\n", doc.newDictionary());
var before = doc.addStream("q\n", doc.newDictionary());
var old = page.get("Contents");
var all = doc.newArray();
all.push(before);
if (!gone(old) && old.isArray())
	for (var i = 0; i < old.length; i++)
		all.push(old.get(i));
else if (!gone(old))
	all.push(old);
all.push(drawing);
page.put("Contents", all);
doc.save(scriptArgs[1], "incremental");
