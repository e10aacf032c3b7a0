package console

import (
	"tcode/server/account"
	"tcode/server/console/frame"
)

var french = texts{
	SignInTitle: "Se connecter à la console", SignInWho: "Pour les émetteurs et les exploitants. Aucun compte n’est nécessaire pour vérifier un document.",
	Email: "E-mail", Password: "Mot de passe", SignIn: "Se connecter",
	Forgotten: "Mot de passe ou téléphone perdu ? L’exploitant de cette passerelle peut vous donner un nouveau lien.",
	Wrong:     "L’adresse ou le mot de passe est faux.", WaitMinutes: "Attendez %d min",
	CodeTitle: "Code de votre application", CodeLabel: "Six chiffres, ou un code de secours", CodeHint: "L’application affiche un nouveau code toutes les 30 secondes. Chaque code sert une fois.", GoOn: "Continuer",
	WrongCode: "Le code est faux ou a déjà servi.",
	Welcome:   "Bienvenue,", InvitedAs: "Vous êtes invité à la console avec le rôle", GoodUntil: "Le lien est valable jusqu’au",
	NewPassword: "Nouveau mot de passe", Again: "Le même encore une fois", PasswordRules: "Au moins 12 caractères, dont 6 différents, sans votre adresse.", SavePassword: "Enregistrer le mot de passe",
	Weak: "Choisissez un autre mot de passe : celui-ci est trop court, trop simple ou contient votre adresse.", Differs: "Les deux mots de passe sont différents.",
	EnrolTitle: "Configurer le second facteur", EnrolText: "Scannez l’image avec une application d’authentification, puis tapez les six chiffres qu’elle affiche.",
	EnrolPicture: "Code QR pour l’application d’authentification", EnrolKey: "Pas de caméra ? Tapez cette clé dans l’application :", SixDigits: "Six chiffres",
	RecoveryTitle: "Gardez ces codes de secours", RecoveryText: "Chacun sert une fois, quand l’application n’est pas à portée. Ils ne seront plus affichés.", RecoveryDone: "Je les ai : vers la console",
	Overview: "Vue d’ensemble", Account: "Votre compte", Issuer: "Émetteur", Role: "Rôle", Person: "Nom", LastSignIn: "Connecté", Rights: "Ce que vous pouvez faire",
	Actions: map[account.Action]string{
		account.Self: "voir et fermer vos propres sessions", account.See: "voir les documents, les lectures et l’utilisation", account.Issue: "émettre, suspendre, révoquer et remplacer des documents",
		account.Integrate: "gérer les clés d’API et les webhooks", account.Manage: "gérer les utilisateurs et les clés de signature", account.Audit: "lire le journal d’audit", account.Operate: "exploiter la passerelle : organisations, forfaits, clés",
	},
	SessionsText: "Tous les navigateurs connectés sous votre nom. Fermez une session que vous ne connaissez pas, et demandez à l’exploitant de réinitialiser votre compte.",
	This:         "celle-ci", Began: "Début", LastUsed: "Dernière utilisation", Browser: "Navigateur", Address: "Adresse", End: "Fermer",
	BadLink: frame.Note{Title: "Ce lien ne fonctionne pas", Text: "Il a déjà servi, a expiré ou est incomplet. Demandez-en un nouveau à la personne qui vous l’a donné."},
}

var spanish = texts{
	SignInTitle: "Iniciar sesión en la consola", SignInWho: "Para emisores y operadores. Para comprobar un documento no hace falta una cuenta.",
	Email: "Correo electrónico", Password: "Contraseña", SignIn: "Iniciar sesión",
	Forgotten: "¿Ha perdido la contraseña o el teléfono? El operador de esta pasarela puede darle un enlace nuevo.",
	Wrong:     "La dirección o la contraseña es incorrecta.", WaitMinutes: "Espere %d min",
	CodeTitle: "Código de su aplicación", CodeLabel: "Seis cifras, o un código de recuperación", CodeHint: "La aplicación muestra un código nuevo cada 30 segundos. Cada código sirve una vez.", GoOn: "Continuar",
	WrongCode: "El código es incorrecto o ya se ha usado.",
	Welcome:   "Bienvenida o bienvenido,", InvitedAs: "Le han invitado a la consola con el papel de", GoodUntil: "El enlace vale hasta el",
	NewPassword: "Contraseña nueva", Again: "La misma otra vez", PasswordRules: "Al menos 12 caracteres, 6 de ellos distintos, sin su dirección.", SavePassword: "Guardar la contraseña",
	Weak: "Elija otra contraseña: esta es demasiado corta, demasiado sencilla o contiene su dirección.", Differs: "Las dos contraseñas son distintas.",
	EnrolTitle: "Configurar el segundo factor", EnrolText: "Escanee la imagen con una aplicación de autenticación y escriba las seis cifras que muestra.",
	EnrolPicture: "Código QR para la aplicación de autenticación", EnrolKey: "¿Sin cámara? Escriba esta clave en la aplicación:", SixDigits: "Seis cifras",
	RecoveryTitle: "Guarde estos códigos de recuperación", RecoveryText: "Cada uno sirve una vez, cuando no tenga la aplicación a mano. No se muestran de nuevo.", RecoveryDone: "Los tengo: a la consola",
	Overview: "Resumen", Account: "Su cuenta", Issuer: "Emisor", Role: "Papel", Person: "Nombre", LastSignIn: "Sesión iniciada", Rights: "Lo que puede hacer",
	Actions: map[account.Action]string{
		account.Self: "ver y cerrar sus propias sesiones", account.See: "ver documentos, lecturas y uso", account.Issue: "emitir, suspender, revocar y sustituir documentos",
		account.Integrate: "gestionar claves de API y webhooks", account.Manage: "gestionar usuarios y claves de firma", account.Audit: "leer el registro de auditoría", account.Operate: "operar la pasarela: organizaciones, planes, claves",
	},
	SessionsText: "Todos los navegadores con una sesión a su nombre. Cierre la que no conozca y pida al operador que restablezca su cuenta.",
	This:         "esta", Began: "Inicio", LastUsed: "Último uso", Browser: "Navegador", Address: "Dirección", End: "Cerrar",
	BadLink: frame.Note{Title: "Este enlace no funciona", Text: "Ya se ha usado, ha caducado o está incompleto. Pida otro a la persona que se lo dio."},
}

var arabic = texts{
	SignInTitle: "تسجيل الدخول إلى لوحة التحكم", SignInWho: "للجهات المُصدِرة والمشغّلين. لا تحتاج إلى حساب للتحقق من مستند.",
	Email: "البريد الإلكتروني", Password: "كلمة المرور", SignIn: "تسجيل الدخول",
	Forgotten: "هل فقدت كلمة المرور أو الهاتف؟ يمكن لمشغّل هذه البوابة أن يعطيك رابطًا جديدًا.",
	Wrong:     "العنوان أو كلمة المرور غير صحيحة.", WaitMinutes: "انتظر %d دقيقة",
	CodeTitle: "الرمز من تطبيقك", CodeLabel: "ستة أرقام، أو رمز استرداد", CodeHint: "يعرض التطبيق رمزًا جديدًا كل 30 ثانية. كل رمز يعمل مرة واحدة.", GoOn: "متابعة",
	WrongCode: "الرمز غير صحيح أو استُخدم من قبل.",
	Welcome:   "مرحبًا،", InvitedAs: "أنت مدعو إلى لوحة التحكم بدور", GoodUntil: "الرابط صالح حتى",
	NewPassword: "كلمة مرور جديدة", Again: "الكلمة نفسها مرة أخرى", PasswordRules: "12 حرفًا على الأقل، 6 منها مختلفة، ومن دون عنوانك.", SavePassword: "حفظ كلمة المرور",
	Weak: "اختر كلمة مرور أخرى: هذه قصيرة جدًا أو بسيطة جدًا أو تحتوي على عنوانك.", Differs: "كلمتا المرور مختلفتان.",
	EnrolTitle: "إعداد العامل الثاني", EnrolText: "امسح الصورة بتطبيق مصادقة، ثم اكتب الأرقام الستة التي يعرضها.",
	EnrolPicture: "رمز QR لتطبيق المصادقة", EnrolKey: "لا توجد كاميرا؟ اكتب هذا المفتاح في التطبيق:", SixDigits: "ستة أرقام",
	RecoveryTitle: "احتفظ برموز الاسترداد هذه", RecoveryText: "كل رمز يعمل مرة واحدة عندما لا يكون التطبيق في متناول يدك. لن تُعرض مرة أخرى.", RecoveryDone: "احتفظت بها: إلى لوحة التحكم",
	Overview: "نظرة عامة", Account: "حسابك", Issuer: "الجهة المُصدِرة", Role: "الدور", Person: "الاسم", LastSignIn: "وقت الدخول", Rights: "ما يمكنك فعله",
	Actions: map[account.Action]string{
		account.Self: "عرض جلساتك وإنهاؤها", account.See: "عرض المستندات وعمليات المسح والاستخدام", account.Issue: "إصدار المستندات وتعليقها وإلغاؤها واستبدالها",
		account.Integrate: "إدارة مفاتيح API وروابط webhook", account.Manage: "إدارة المستخدمين ومفاتيح التوقيع", account.Audit: "قراءة سجل التدقيق", account.Operate: "تشغيل البوابة: الجهات والخطط والمفاتيح",
	},
	SessionsText: "كل متصفح سُجّل فيه الدخول باسمك. أنهِ الجلسة التي لا تعرفها، واطلب من المشغّل إعادة ضبط حسابك.",
	This:         "هذه", Began: "بدأت", LastUsed: "آخر استخدام", Browser: "المتصفح", Address: "العنوان", End: "إنهاء",
	BadLink: frame.Note{Title: "هذا الرابط لا يعمل", Text: "استُخدم من قبل أو انتهت صلاحيته أو هو غير كامل. اطلب رابطًا جديدًا ممن أعطاك إياه."},
}
