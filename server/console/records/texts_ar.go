package records

import (
	"tcode/server/console/frame"
	"tcode/server/issue/batch"
	"tcode/server/outbound/delivery"
	"tcode/sync/wire"
)

var arabic = words{
	Stamps: "الأختام", Documents: "وثائق Trust", Export: "تصدير CSV", IssueTitle: "إصدار وثيقة Trust", StampOne: "ختم وثيقة",
	OrderRuns: "يجري تنفيذ ذلك الآن.", OrderOpen: "عرض التقدّم", Status: "الحالة", All: "الكل", SearchHint: "مرجع أو اسم أو معرّف خارجي", Type: "النوع", Any: "أي", Template: "القالب",
	From: "صادر من", To: "إلى", Kinds: "الغرض", Live: "حقيقي", Test: "اختبار", Sort: "الترتيب", Newest: "الأحدث أولًا", Oldest: "الأقدم أولًا", SelectPage: "اختيار كل ما في هذه الصفحة",
	Reference: "المرجع", Name: "الاسم", Issued: "تاريخ الإصدار", Select: "اختيار", Pages: "الصفحات",
	NoneMatch: "لا شيء يطابق", NoneMatchText: "لا سجل فيه كل ما يطلبه المرشّح.", NoneYet: "لا شيء بعد",
	FirstDocument: "أصدر وثيقة هنا، أو وثائق كثيرة دفعة واحدة، أو دع نظامك يفعل ذلك بمفتاح API.", FirstStamp: "اختم وثيقة هنا، أو وثائق كثيرة دفعة واحدة، أو دع نظامك يفعل ذلك بمفتاح API.",
	AllMatching: "كل المطابق (%s) في جميع الصفحات", Range: "%d إلى %d من %s", Tries: "المحاولات: %d.", VerifiedTimes: "جرى التحقق %s مرة",

	Replace: "استبدال", OwnedBy: "تابع للوثيقة", OwnedText: "يُعلَّق ويُلغى ويُستبدل مع تلك الوثيقة لا وحده.", OpenDocument: "فتح الوثيقة",
	Facts: "الوثيقة", External: "رقمك", ByWhom: "بواسطة", Expires: "تنتهي", Signed: "موقّع", Mail: "البريد الإلكتروني", Key: "مفتاح التوقيع", Fingerprint: "SHA-256 للملف", Symbol: "الرمز", Page: "صفحة", Grade: "درجة",
	Chain: "الاستبدالات", ThisOne: "هذه", Warnings: "ملاحظات الختم", Timeline: "التسلسل الزمني", Changes: "التغييرات", Scans: "عمليات المسح", Scanned: "مُسحت:", DeviceSaid: "قال الجهاز", GatewaySaid: "وقالت البوابة", Device: "الجهاز",
	Gateway: "البوابة", NoLines: "لم يحدث شيء من هذا النوع.",
	PublicSees: "ما يراه الجمهور", Open: "فتح", Issuer: "المُصدِر", ItsStamp: "ختمها", Files: "الملفات", LinksEnd: "تعمل العناوين 15 دقيقة.", NoFiles: "لا يوجد ملف.", NeverVerified: "لم يبحث عنها أحد بعد.",

	ReasonHint: "يُحفظ في السجل والتدقيق وwebhooks. لا تعرضه أجهزة المسح.", TypeLast: "اكتب الأحرف الأربعة الأخيرة:", TypeThis: "للتأكيد اكتب", TheFilter: "كل ما يطابق:", NoFilter: "بلا مرشّح",
	UntilNow: "ما يصدر من الآن لا يتغيّر.", LeftOwned: "متروك: تابع لوثائق Trust", LeftOther: "متروك: لا يغيّره هذا الإجراء", TooMany: "يطابق أكثر من 10,000 سجل.", TooManyText: "ضيّق المرشّح، بالتواريخ مثلًا، ونفّذ على أجزاء.",
	BackToList: "العودة إلى القائمة", NothingToDo: "لن يتغيّر أي منها.",
	NeedReason: "اذكر سببًا.", BadReason: "هذا طويل جدًا أو فيه أحرف لا يمكن حفظها.", Mistyped: "ليس هذا ما يجب كتابته.", Moved: "تغيّر الاختيار منذ رأيته. لم يُنفَّذ شيء. راجع الأعداد أدناه.",
	Progress: "التقدّم", OfTotal: "تم من", Changed: "تغيّر", LeftOut: "متروك", Begun: "بدأ", StopWhy: "توقف لأن", Refresh: "تحديث", StopOrder: "إيقاف",

	ReplaceTitle: "الاستبدال بوثيقة جديدة", ReplaceText: "تحصل الجديدة على مرجعها. وتُلغى هذه في اللحظة نفسها وتقول إنها استُبدلت.", ChooseTemplate: "اختر قالبًا", UseTemplate: "استخدام هذا القالب",
	NoTemplates: "لا يوجد قالب Trust بعد", NoTemplatesText: "القالب يحدد حقول الوثيقة.", ToTemplates: "إلى القوالب", NeedTemplate: "اختر قالبًا.",
	Recipient: "المستلم", Title: "العنوان", Optional: "(اختياري)", EndOfDay: "تسري حتى نهاية ذلك اليوم بتوقيت UTC.", Way: "الشكل", File: "الملف", FileMay: "ملف PDF أو صورة (PNG أو JPEG أو TIFF). لازم للوثيقة المختومة. اختره مرة أخرى بعد الرفض.", FileMust: "ملف PDF الجديد أو الصورة الجديدة (PNG أو JPEG أو TIFF). اختره مرة أخرى بعد الرفض.", Generate: "ارسم صفحة شهادة بدلًا منه", GenerateHint: "من دون ملف ترسم البوابة صفحة فيها المُصدِر والمستلم والحقول ثم تختمها.", IssueIt: "إصدار",

	Address: "العنوان", SendMail: "إرسال", SendMailHint: "يرسل الوثيقة إلى هذا العنوان حتى لو أُرسلت من قبل. ويُحفظ العنوان الجديد.",
	Erase: "محو", ErasedOn: "مُحيت الملفات والبيانات الشخصية في", ErasedText: "يبقى المرجع والبصمة والتوقيع والحالة: يجري التحقق كما قبل.", Erasing: "ما زالت نسخ تُزال.",

	BadFilter: frame.Note{Title: "المرشّح غير صالح", Text: "جزء منه لا يمكن استخدامه وقد تُرك."},

	States:     map[string]string{"Active": "سارٍ", "Suspended": "معلّق", "Revoked": "ملغى", "Expired": "منتهٍ", "Replaced": "مستبدل"},
	Acts:       map[string]string{"suspend": "تعليق", "reactivate": "إعادة تفعيل", "reinstate": "إعادة تفعيل", "revoke": "إبطال", "expire": "إنهاء الآن"},
	Verb:       map[string]string{"suspend": "تعليق", "reactivate": "تفعيل", "reinstate": "تفعيل", "revoke": "إبطال", "expire": "إنهاء"},
	Effect:     map[string]string{"suspend": "تقول أجهزة المسح والصفحة العامة إنه معلّق حتى يعاد تفعيله. تعلم الأجهزة بذلك عند تحديثها التالي.", "reactivate": "يسري من جديد. تعلم الأجهزة بذلك عند تحديثها التالي.", "reinstate": "يسري من جديد. تعلم الأجهزة بذلك عند تحديثها التالي.", "revoke": "الإبطال نهائي. تعلم به الأجهزة عند تحديثها التالي؛ وما لا شبكة له يبقى كهرمانيًا حتى 7 أيام.", "expire": "تنتهي الوثيقة الآن نهائيًا."},
	Ask:        map[string]string{"suspend": "تعليق هذا السجل؟", "reactivate": "إعادة تفعيل هذا السجل؟", "reinstate": "إعادة تفعيل هذا السجل؟", "revoke": "إبطال هذا السجل نهائيًا؟", "expire": "إنهاء هذه الوثيقة الآن؟"},
	AskMany:    map[string]string{"suspend": "تعليق %s سجلات؟", "reactivate": "إعادة تفعيل %s سجلات؟", "reinstate": "إعادة تفعيل %s سجلات؟", "revoke": "إبطال %s سجلات نهائيًا؟", "expire": "إنهاء %s وثائق الآن؟"},
	OrderTitle: map[string]string{"suspend": "تعليق %s سجلات", "reactivate": "إعادة تفعيل %s سجلات", "reinstate": "إعادة تفعيل %s سجلات", "revoke": "إبطال %s سجلات", "expire": "إنهاء %s وثائق"},
	Events:     map[string]string{"create": "خُتمت", "issue": "صدرت", "suspend": "عُلّقت", "reactivate": "أُعيد تفعيلها", "reinstate": "أُعيد تفعيلها", "revoke": "أُلغيت", "replace": "استُبدلت", "expire": "انتهت"},
	Done:       map[string]string{"mailed": "البريد في الطريق.", "suspend": "تم التعليق.", "reactivate": "أُعيد التفعيل.", "reinstate": "أُعيد التفعيل.", "revoke": "تم الإبطال.", "expire": "انتهت.", "replaced": "هذه هي الوثيقة الجديدة. القديمة ملغاة.", "issued": "صدرت الوثيقة.", "erased": "مُحيت الملفات والبيانات الشخصية.", "already": "تغيّرت في هذه الأثناء. هذه حالتها الآن.", "nothing": "اختر السجلات بمربعاتها أولًا."},
	Verdicts:   map[string]string{"valid": "سليم", "suspended": "معلّق", "revoked": "ملغى", "expired": "منتهٍ", "not_found": "غير أصلي", "unverified": "غير متحقَّق"},
	Public:     map[string]string{"compare": "المرجع سليم، قارِن", "not_found": "وثيقة اختبار: لا يعرفها الجمهور", "Suspended": "معلّق", "Revoked": "ملغى", "Replaced": "مستبدل", "Expired": "منتهٍ"},
	FileKinds:  map[string]string{"stamped": "PDF المختوم", "original": "الملف الأصلي", "barcode": "الرمز كصورة", "payload": "محتوى الرمز"},
	Ways:       map[string]string{"digital": "رقمي", "tcode": "مختوم، للورق", "both": "كلاهما"},

	OrderStates: map[batch.State]string{batch.Running: "قيد التنفيذ", batch.Done: "تم", batch.Stopped: "توقف: ما تغيّر يبقى متغيّرًا"},
	Mails: map[delivery.State]string{
		delivery.NotConfigured: "لم يُرسل: هذه البوابة لا ترسل بريدًا", delivery.Waiting: "البريد ينتظر المحاولة التالية", delivery.Sending: "يجري إرسال البريد", delivery.Sent: "أُرسل بالبريد",
		delivery.Refused: "رُفض البريد", delivery.Failed: "تعذّر إرسال البريد", delivery.Dropped: "لم يُرسل: كانت الوثيقة قد انتهت",
	},
	Findings: map[wire.Finding]string{
		wire.TestDocument: "عُرضت وثيقة اختبار.", wire.PayloadOnOtherFile: "كان الختم على ملف آخر.", wire.AcceptedUnknown: "قبل الجهاز ما لا تعرفه البوابة.", wire.RevokedWhenScanned: "كانت ملغاة عند المسح.",
		wire.SuspendedWhenScanned: "كانت معلّقة عند المسح.", wire.RefusedOnDevice: "رفض الجهاز ما هو سليم.", wire.RevokedSince: "أُلغيت منذ ذلك الحين.", wire.SuspendedSince: "عُلّقت منذ ذلك الحين.",
		wire.AddedToFile: "أُضيف شيء إلى الملف.", wire.ClockWasAhead: "كانت ساعة الجهاز متقدّمة.", wire.UndecidedOnDevice: "لم يستطع الجهاز أن يقرر.",
	},
}
