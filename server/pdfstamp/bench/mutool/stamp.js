// Stamps one file with "mutool run stamp.js IN OUT PNG": the picture in the
// bottom right corner of the last page, saved as an appended revision.
var doc = Document.openDocument ? Document.openDocument(scriptArgs[0]) : new PDFDocument(scriptArgs[0]);
if (doc.needsPassword())
	throw new Error("needs a password");
var page = doc.findPage(doc.countPages() - 1);
var image = doc.addImage(new Image(scriptArgs[2]));
var resources = page.getInheritable ? page.getInheritable("Resources") : page.get("Resources");
if (!resources || resources.isNull()) {
	resources = doc.newDictionary();
	page.put("Resources", resources);
}
var pictures = resources.get("XObject");
if (!pictures || pictures.isNull()) {
	pictures = doc.newDictionary();
	resources.put("XObject", pictures);
}
pictures.put("TCodeBench", image);
var box = page.get("CropBox");
for (var node = page; box.isNull() && !node.isNull(); node = node.get("Parent"))
	box = node.get("MediaBox");
var mm = 72 / 25.4, side = (15 * mm * 44) / 40;
var x = (box && !box.isNull() ? Number(box.get(2)) : 612) - 10 * mm - side;
var y = (box && !box.isNull() ? Number(box.get(1)) : 0) + 10 * mm;
var drawing = doc.addStream("Q q " + side + " 0 0 " + side + " " + x + " " + y + " cm /TCodeBench Do Q\n", doc.newDictionary());
var before = doc.addStream("q\n", doc.newDictionary());
var old = page.get("Contents");
var all = doc.newArray();
all.push(before);
if (old && old.isArray())
	for (var i = 0; i < old.length; i++)
		all.push(old.get(i));
else if (old && !old.isNull())
	all.push(old);
all.push(drawing);
page.put("Contents", all);
doc.save(scriptArgs[1], "incremental");
