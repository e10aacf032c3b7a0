package branddesk

var french = texts{
	Brand: "Pages publiques", BrandText: "L’aspect de votre organisation sur la page publique de chacun de ses tampons et documents.", Example: "Voir une page d’exemple", Look: "Couleur et contact", Colour: "Couleur du trait",
	ColourHint: "# et six chiffres hexadécimaux. Ni rouge, orange, ambre, jaune ou vert : ce sont les couleurs des verdicts.", Email: "E-mail pour les questions", Phone: "Téléphone", Web: "Adresse web", WebHint: "Elle commence par https://.",
	Names: "Montrer les noms des tampons", NamesHint: "Le nom affiché d’un tampon est alors sur sa page publique. Il peut nommer des personnes.", Preview: "Aperçu", Logo: "Logo", NoLogo: "Il n’y a pas de logo.",
	File: "Image", FileHint: "PNG ou JPEG, au plus 512 × 512 px et 1 Mio. Elle est redessinée, sans le reste du fichier.", Upload: "Envoyer", RemoveLogo: "Retirer le logo", RemoveAll: "Tout retirer",
	RemoveAsk: "Retirer logo, couleur et contact ?", RemoveText: "Les pages publiques ne montrent alors que le nom de votre organisation. L’effet est immédiat.", IssuedBy: "Émis par", VerdictHere: "Ici se trouve la réponse. Sa couleur n’est jamais la vôtre.", Title: "Titre",
	Questions: "Des questions sur ce document ? L’émetteur y répond :", NoContact: "Sans contact, les gens ne savent pas où demander.", Contrast: "Contraste du trait", OnLight: "Sur les pages claires", OnDark: "Sur les pages sombres",
	Seen: "bien visible", Faint: "peu visible : moins de 3 : 1", NoColour: "Sans couleur, il n’y a pas de trait.", ExampleName: "Diplôme d’Ada Lovelace", ExampleType: "Diplôme",
	Done: map[string]string{"saved": "La page est enregistrée.", "logo": "Le logo est sur vos pages publiques.", "logoRemoved": "Le logo est retiré.", "removed": "Tout est retiré."},
}

var spanish = texts{
	Brand: "Páginas públicas", BrandText: "Cómo se ve su organización en la página pública de cada uno de sus sellos y documentos.", Example: "Ver una página de ejemplo", Look: "Color y contacto", Colour: "Color de la línea",
	ColourHint: "# y seis dígitos hexadecimales. Ni rojo, naranja, ámbar, amarillo ni verde: son los colores de los veredictos.", Email: "Correo para preguntas", Phone: "Teléfono", Web: "Dirección web", WebHint: "Empieza por https://.",
	Names: "Mostrar los nombres de los sellos", NamesHint: "El nombre visible de un sello está entonces en su página pública. Puede nombrar a personas.", Preview: "Vista previa", Logo: "Logotipo", NoLogo: "No hay logotipo.",
	File: "Imagen", FileHint: "PNG o JPEG, como máximo 512 × 512 px y 1 MiB. Se dibuja de nuevo, sin lo demás del archivo.", Upload: "Subir", RemoveLogo: "Quitar el logotipo", RemoveAll: "Quitar todo",
	RemoveAsk: "¿Quitar logotipo, color y contacto?", RemoveText: "Las páginas públicas muestran entonces solo el nombre de su organización. Tiene efecto inmediato.", IssuedBy: "Emitido por", VerdictHere: "Aquí está la respuesta. Su color nunca es el suyo.", Title: "Título",
	Questions: "¿Preguntas sobre este documento? El emisor las responde:", NoContact: "Sin contacto, la gente no sabe dónde preguntar.", Contrast: "Contraste de la línea", OnLight: "En páginas claras", OnDark: "En páginas oscuras",
	Seen: "se ve bien", Faint: "se ve mal: menos de 3 : 1", NoColour: "Sin color no hay línea.", ExampleName: "Diploma de Ada Lovelace", ExampleType: "Diploma",
	Done: map[string]string{"saved": "La página está guardada.", "logo": "El logotipo está en sus páginas públicas.", "logoRemoved": "El logotipo está quitado.", "removed": "Todo está quitado."},
}

var arabic = texts{
	Brand: "الصفحات العامة", BrandText: "مظهر جهتك في الصفحة العامة لكل ختم ووثيقة لها.", Example: "عرض صفحة مثال", Look: "اللون والاتصال", Colour: "لون الخط",
	ColourHint: "# وستة أرقام ست عشرية. لا أحمر ولا برتقالي ولا كهرماني ولا أصفر ولا أخضر: تلك ألوان الأحكام.", Email: "البريد للأسئلة", Phone: "الهاتف", Web: "عنوان الويب", WebHint: "يبدأ بـ \u2066https://\u2069.",
	Names: "إظهار أسماء الأختام", NamesHint: "يظهر عندئذ اسم الختم في صفحته العامة. وقد يسمّي أشخاصًا.", Preview: "معاينة", Logo: "الشعار", NoLogo: "لا يوجد شعار.",
	File: "الصورة", FileHint: "PNG أو JPEG، على الأكثر 512 × 512 px و1 MiB. تُرسم من جديد دون ما سواها في الملف.", Upload: "رفع", RemoveLogo: "إزالة الشعار", RemoveAll: "إزالة كل شيء",
	RemoveAsk: "إزالة الشعار واللون والاتصال؟", RemoveText: "تُظهر الصفحات العامة عندئذ اسم جهتك وحده. ويسري ذلك فورًا.", IssuedBy: "صادر عن", VerdictHere: "هنا يقف الجواب. ولونه ليس لونك أبدًا.", Title: "العنوان",
	Questions: "أسئلة عن هذه الوثيقة؟ تجيب عنها الجهة المصدرة:", NoContact: "من دون وسيلة اتصال لا يعرف الناس أين يسألون.", Contrast: "تباين الخط", OnLight: "على الصفحات الفاتحة", OnDark: "على الصفحات الداكنة",
	Seen: "سهل الرؤية", Faint: "صعب الرؤية: أقل من 3:1", NoColour: "لا خط من دون لون.", ExampleName: "شهادة آدا لوفلايس", ExampleType: "شهادة",
	Done: map[string]string{"saved": "حُفظت الصفحة.", "logo": "الشعار الآن في صفحاتك العامة.", "logoRemoved": "أُزيل الشعار.", "removed": "أُزيل كل شيء."},
}
