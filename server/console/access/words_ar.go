package access

import (
	"tcode/server/outbound/webhook"
	"tcode/server/tenant"
)

var arabic = texts{
	Keys: "مفاتيح API", KeysText: "يعمل المفتاح نيابة عن جهتك. يظهر مرة واحدة عند إنشائه، ولا يُحفظ منه إلا بصمته.", NewKey: "مفتاح جديد", Name: "الاسم",
	NameHint: "أين يُستخدم، كي تتعرف عليه", Begins: "يبدأ بـ", May: "يسمح بـ", LastUsed: "آخر استخدام", From: "من", Expires: "ينتهي", Actions: "إجراءات", Renew: "تجديد",
	RevokeKey: "إلغاء المفتاح", MadeKey: "أُنشئ المفتاح. انسخه الآن: لن يظهر مرة أخرى.", CopyNow: "نسخ", SendIt: "أرسله في الترويسة", Today: "%d طلبات اليوم",
	Over: "مفاتيح منتهية", InDays: "خلال %d أيام", NoKeys: "لا مفاتيح بعد", NoKeysText: "تختم أنظمتك المستندات بمفتاح API. ابدأ بمفتاح تجريبي.", MakeKey: "إنشاء المفتاح",
	TestKey: "مفتاح تجريبي", TestHint: "كل ما ينشئه مستند تجريبي.", DaysLife: "خلال %d يومًا", NoLife: "أبدًا", NoScope: "اختر واحدًا على الأقل.",
	Mistyped: "هذا ليس النص نفسه.", ToType: "اكتب هذا للتأكيد:",
	RevokeEffect: "آخر استخدام: %s؛ الطلبات اليوم: %d. البرامج التي لديها هذا المفتاح تتلقى 401 من الآن. المستندات التي أنشأها تبقى صالحة.",
	RenewText:    "يحل مفتاح جديد محله بالاسم والحقوق نفسها. يعمل القديم لبعض الوقت كي تغيّر برامجك.", Overlap: "ينتهي المفتاح القديم", OverlapNow: "فورًا",
	OverlapHours: "بعد %d ساعة", Webhooks: "روابط webhook", WebhooksText: "تعلم أنظمتك بالأحداث على هذه العناوين. كل إرسال موقّع ويُعاد لمدة 17 ساعة.", NewHook: "عنوان جديد",
	URL: "العنوان", URLHint: "https فقط؛ يجيب 2xx خلال 10 ثوانٍ", Events: "الأحداث", AllEvents: "كل الأحداث", State: "الحالة", Delivered24: "المقبول خلال 24 ساعة",
	NoHooks: "لا عنوان بعد", NoHooksText: "أعطِ عنوانًا من نظامك ليعلم بالإلغاءات والمهام المنتهية والملاحظات.", NoEvent: "اختر حدثًا واحدًا على الأقل.", On: "يعمل",
	Off: "متوقف", FailingSince: "يفشل منذ", SwitchOn: "تشغيل", SwitchOff: "إيقاف", SendTest: "إرسال تجربة", ChangeSecret: "تغيير السر", Change: "حفظ", Remove: "حذف العنوان",
	RemoveEffect: "يُحذف العنوان وكل إرسالاته. الأحداث التي تنتظره لن تُرسل أبدًا.", NewSecret: "السر: انسخه الآن، لن يظهر مرة أخرى.",
	SecretText: "يوقّع كل إرسال في الترويسة TCode-Signature.", OldSecret: "السر القديم يوقّع أيضًا حتى", TestWent: "قبل المستلم التجربة: %d بعد %v.",
	TestFailed: "لم يقبل المستلم التجربة: %s", Resent: "تُعاد %d إرسالات.", RedeliverFailed: "إعادة إرسال ما فشل", Redeliver: "إرسال مرة أخرى", Deliveries: "الإرسالات",
	AllStates: "الكل", When: "متى", Tries: "المحاولات", Answer: "آخر إجابة", Next: "المحاولة التالية", NoDeliveries: "لا إرسالات هنا.", Newer: "الأحدث", Older: "الأقدم",
	Event: "الحدث", Body: "المحتوى المرسل", Took: "المدة", Number: "الرقم", Signing: "مفاتيح التوقيع",
	SigningText: "كل ختم يوقّعه المفتاح الذي يوقّع في ذلك الوقت. أجهزة المسح تعرف الأنصاف العامة.", RotateAnnounced: "الإعلان عن مفتاح جديد",
	RotateNow:  "استخدام مفتاح جديد الآن",
	RotateText: "المفتاح المعلن يبدأ بالتوقيع بعد 8 أيام، حين يعرفه كل جهاز مسح. المفتاح الذي يوقّع الآن لا تعرفه الأجهزة التي لم تُحدَّث: تجيب UNVERIFIED عن أختامه.",
	Retire:     "سحب المفتاح", RetireEffect: "لا يوقّع من الآن. أختامه تبقى صالحة. إن كان يوقّع الآن، يحل محله المفتاح المعلن أو مفتاح جديد.",
	Compromise:       "إعلان أن المفتاح مكشوف",
	CompromiseEffect: "أعلن هذا إن كان المفتاح قد وصل إلى آخرين. من الآن لا تبقى صالحة إلا الأختام المسجلة في هذه البوابة؛ وترفض الأجهزة كل ختم آخر بهذا المفتاح بعد تحديثها التالي. إن كان يوقّع الآن، يحل محله غيره فورًا. لا رجوع عن ذلك.",
	Since:            "قد يكون عند آخرين منذ (UTC)", NoTime: "أعطِ تاريخًا ووقتًا.", AgeDays: "عمره %d يومًا", ValidFrom: "يوقّع من", Until: "حتى", CompromisedSince: "مكشوف منذ",
	Survivors: "تبقى %d أختام من المفتاح صالحة.", Omitted: "%d أقدم لا تبقى: استبدلها.", Algorithm: "الخوارزمية",
	Scopes:        map[tenant.Scope]string{tenant.ScopeStamp: "الختم", tenant.ScopeHistory: "سجل التحقق", tenant.ScopeManage: "الإدارة"},
	ScopeHints:    map[tenant.Scope]string{tenant.ScopeStamp: "الختم والإصدار والتعليق والإلغاء والاستبدال", tenant.ScopeHistory: "قراءة من تحقق من ماذا", tenant.ScopeManage: "المفاتيح والروابط والأجهزة: نادرًا ما يلزم"},
	KeyStates:     map[tenant.APIKeyState]string{tenant.KeyActive: "فعال", tenant.KeyExpired: "منتهٍ", tenant.KeyRevoked: "ملغى"},
	States:        map[webhook.State]string{webhook.Waiting: "ينتظر", webhook.Delivered: "مقبول", webhook.Failed: "فشل"},
	SigningStates: map[tenant.KeyState]string{tenant.KeyAnnounced: "معلن", tenant.KeySigning: "يوقّع", tenant.KeyVerifying: "مسحوب، أختامه صالحة", tenant.KeyCompromised: "مكشوف"},
	Done:          map[string]string{"revoked": "أُلغي المفتاح.", "changed": "غُيّر العنوان.", "on": "العنوان يعمل.", "off": "العنوان متوقف.", "removed": "حُذف العنوان.", "redelivered": "يُعاد الإرسال.", "rotated": "أُنشئ مفتاح توقيع جديد.", "retired": "سُحب مفتاح التوقيع."},
}
