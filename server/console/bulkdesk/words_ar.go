package bulkdesk

import (
	"tcode/server/console/frame"
	"tcode/server/issue/bulk"
)

var arabic = words{
	Bulk: "المهام المجمّعة", Intro: "مستندات كثيرة من ملف CSV واحد وأرشيف ZIP واحد. لا يُنشأ شيء قبل أن تصحّ كل الصفوف.", New: "مهمة جديدة",
	Job: "المهمة", State: "الحالة", Rows: "الصفوف", Made: "أُنشئت", Failed: "فشلت", OrderedAt: "طُلبت، UTC", Kind: "المستندات", Any: "الكل",
	Products: map[string]string{"tcode": "الأختام", "trust": "مستندات Trust"},
	States: map[bulk.Status]string{
		bulk.Scheduled: "مجدولة", bulk.Pending: "تنتظر", bulk.Validating: "قيد الفحص", bulk.Processing: "قيد التنفيذ", bulk.Completed: "اكتملت",
		bulk.CompletedWithErrors: "اكتملت مع أخطاء", bulk.Failed: "فشلت", bulk.Cancelling: "قيد الإلغاء", bulk.Cancelled: "أُلغيت",
	},
	Test: "اختبار", Check: "فحص فقط", Untitled: "مهمة %s",
	Empty:       frame.Note{Title: "لا توجد مهام مجمّعة بعد", Text: "خذ ملف CSV بأعمدة قالبك، واملأ صفًا لكل مستند، وأرسله مع ملفات PDF في أرشيف ZIP."},
	EmptyFilter: frame.Note{Title: "لا توجد مهمة كهذه", Text: "لا توجد مهمة بهذه الحالة وهذا النوع من المستندات."},

	NewTitle: "مهمة مجمّعة جديدة", Name: "اسم المهمة", NameHint: "لقائمتك. فارغ: اسم ملف CSV.", Tdoc: "قالب TDoc", NoTemplate: "بلا قالب: أعمدة كل ختم", Placement: "الموضع", DefaultPlace: "الموضع المعتاد",
	TypeHint: "نوع كل مستند في العمود documentTypeCode.", Template: "قالب Trust", Path: "الإصدار كـ", Validity: "الصلاحية",
	Paths:      map[string]string{"digital": "سجل، مع ملف PDF كما أُرسل", "tcode": "ملف PDF مختوم", "both": "ملف PDF مختوم وسجل"},
	Validities: map[string]string{"None": "بلا نهاية", "Duration": "لمدة من وقت الإصدار", "Until": "حتى نهاية يوم"},
	Units:      map[string]string{"days": "أيام", "months": "أشهر", "years": "سنوات"},
	Value:      "المدة", Unit: "الوحدة", Until: "آخر يوم، UTC", When: "البداية، UTC", WhenHint: "فارغ: فورًا. خلال سنة.", TestDocs: "مستندات اختبار", TestHint: "لا يعدّها أي ماسح أصلية.", Columns: "ملف CSV بأعمدته للتعبئة",
	CSV: "ملف CSV", ZIP: "أرشيف ZIP لملفات PDF", CSVHint: "صف لكل مستند، %d صفًا و8 MiB على الأكثر.", ZIPHint: "200 MiB على الأكثر. يذكر العمود fileName ملفًا فيه.", Drop: "أو أفلت الملف هنا",
	CheckOnly: "فحص فقط", Make: "فحص وإنشاء", Sending: "جارٍ إرسال الملفات", SendLost: "انقطع الخط أثناء الإرسال. لم يُطلب شيء. أرسل الملفات مرة أخرى.", TooBig: "هذا الملف كبير جدًا.",
	NoTrust: frame.Note{Title: "لا يوجد قالب Trust", Text: "تُنشأ مستندات Trust من قالب. أنشئ قالبًا أولًا."},
	Refused: frame.Note{Title: "لم يُقبل الطلب", Text: "لم يُطلب شيء. صحّح ما هو معلّم أدناه واختر الملفات مرة أخرى."},

	By: "طلبها %s", ByKey: "طُلبت بمفتاح API \u200f%s", Progress: "التقدم", Live: "مباشر", Ago: "ث", MadeLabel: "أُنشئت", FailedLabel: "فشلت", Left: "بقي، نحو", RateLabel: "صفوف في الثانية",
	Goes:   "يمكنك إغلاق هذه الصفحة: تستمر المهمة، وتجد تقدمها هنا عند عودتك.",
	RowsOf: "%d من %d صفًا", Minutes: "%d د", Seconds: "%d ث",
	Says: map[string]string{
		"Scheduled": "المهمة تنتظر وقتها.", "Pending": "المهمة تنتظر دورها.", "Validating": "الملفات قيد الفحص. لا يُنشأ شيء قبل أن تصحّ كل الصفوف.", "Processing": "المستندات قيد الإنشاء.",
		"Cancelling": "تتوقف المهمة بعد الصفوف الجارية.", "Completed": "اكتمل كل شيء.", "CompletedWithErrors": "فشلت بعض الصفوف.", "Failed": "لم يُنشأ أي مستند.", "Cancelled": "أُلغيت المهمة.",
	},
	Begins: "تبدأ %s", Refresh: "تحديث", LostTitle: "لا أخبار من البوابة", LostText: "تستمر المهمة في البوابة. تحاول هذه الصفحة مرة أخرى بعد", Again: "ث.", Now: "الآن",
	Finished: "أُنشئ %d من %d مستندًا، وفشل %d صفًا.", Took: "استغرقت %s.", NotMade: "%d صفًا لم تُنشأ لأن المهمة أُلغيت.",
	Good: "كل الصفوف صحيحة: %d", GoodText: "لم يُنشأ شيء بعد. يستخدم الطلب الملفات نفسها، فلا حاجة إلى إرسالها مرة أخرى.", ProceedTo: "إنشاء المستندات", OrderedAs: "طُلبت: إلى المهمة", Bad: "المشكلات: %d",
	BadText:   "لم يُنشأ شيء. نفّذ ما يقوله الجدول في صفوف errors.csv أو في الأرشيف، وأرسل الاثنين كمهمة جديدة. يفيد «فحص مرة أخرى» إذا كان الخلل في قالب أو نوع وثيقة فقط.",
	Unmatched: "أسماء ملفات مختلفة", NoFile: "صفوف ليس ملفها في الأرشيف", NoRow: "ملفات لا يذكرها أي صف", Nearest: "الأقرب شبهًا", NotListed: "%d أخرى غير مدرجة.",
	MendText: "صحّح errors.csv وأرسله كمهمة جديدة مع الأرشيف نفسه: فيه الصفوف الفاشلة فقط، وما أُنشئ لا يُنشأ مرتين.",
	Problems: "المشكلات", Line: "السطر", Column: "العمود", Found: "القيمة الموجودة", Wrong: "الخطأ", More: "مشكلات أخرى غير مذكورة", Whole: "الكل",
	RowsTitle: "صفوف الملف", File: "الملف", ExternalID: "المعرّف الخارجي", Outcome: "النتيجة",
	RowStates: map[bulk.RowState]string{bulk.RowFailed: "فشلت", bulk.RowSucceeded: "أُنشئت", bulk.RowPending: "تنتظر", bulk.RowSkipped: "لم تُنشأ"},
	NoRows:    "لا صف في هذه الحالة.", Cancel: "إلغاء", CheckAgain: "فحص مرة أخرى", Like: "مهمة جديدة مثلها", Order: "الطلب", Nothing: "لا شيء", Retry: "إعادة %d صفًا",
	Files: "الملفات", Began: "بدأت", Ended: "انتهت",
	Done:           map[string]string{"ordered": "طُلبت المهمة.", "cancelled": "أُلغيت المهمة، أو تتوقف بعد الصفوف الجارية.", "retried": "تعمل المهمة مرة أخرى."},
	TooManyStreams: frame.Note{Title: "صفحات مباشرة كثيرة جدًا", Text: "أغلق بعضها، أو حدّث هذه الصفحة من حين إلى آخر."},
}
