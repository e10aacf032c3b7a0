package records

import (
	"tcode/server/console/frame"
	"tcode/server/issue/batch"
	"tcode/server/outbound/delivery"
	"tcode/sync/wire"
)

var spanish = words{
	Stamps: "Sellos", Documents: "Documentos Trust", Export: "Exportar CSV", IssueTitle: "Emitir un documento Trust", StampOne: "Sellar un documento",
	OrderRuns: "Está en curso.", OrderOpen: "Ver el avance", Status: "Estado", All: "Todos", SearchHint: "Referencia, nombre, identificador externo", Type: "Tipo", Any: "cualquiera", Template: "Plantilla",
	From: "Emitido desde", To: "hasta", Kinds: "Uso", Live: "real", Test: "prueba", Sort: "Orden", Newest: "recientes primero", Oldest: "antiguos primero", SelectPage: "Elegir toda esta página",
	Reference: "Referencia", Name: "Nombre", Issued: "Emitido", Select: "Elegir", Pages: "Páginas",
	NoneMatch: "Nada coincide", NoneMatchText: "Ningún registro tiene todo lo que pide el filtro.", NoneYet: "Todavía ninguno",
	FirstDocument: "Emita aquí un documento, muchos en un lote, o deje que lo haga su propio sistema con una clave de API.", FirstStamp: "Selle aquí un documento, muchos en un lote, o deje que lo haga su propio sistema con una clave de API.",
	AllMatching: "Los %s que coinciden, en todas las páginas", Range: "%d a %d de %s", Tries: "Intentos: %d.", VerifiedTimes: "Verificado %s veces",

	Replace: "Reemplazar", OwnedBy: "Pertenece a", OwnedText: "Se suspende, revoca y reemplaza con ese documento, no solo.", OpenDocument: "Abrir el documento",
	Facts: "Documento", External: "Su número", ByWhom: "por", Expires: "Caduca", Signed: "firmado", Mail: "Correo", Key: "Clave de firma", Fingerprint: "SHA-256 del archivo", Symbol: "Símbolo", Page: "página", Grade: "nota",
	Chain: "Reemplazos", ThisOne: "este", Warnings: "Notas del sellado", Timeline: "Cronología", Changes: "Cambios", Scans: "Lecturas", Scanned: "Leído:", DeviceSaid: "El dispositivo dijo", GatewaySaid: "la pasarela dijo", Device: "Dispositivo",
	Gateway: "La pasarela", NoLines: "No ha ocurrido nada así.",
	PublicSees: "Lo que ve el público", Open: "Abrir", Issuer: "Emisor", ItsStamp: "Su sello", Files: "Archivos", LinksEnd: "Las direcciones valen 15 minutos.", NoFiles: "No hay archivo.", NeverVerified: "Nadie lo ha consultado aún.",

	ReasonHint: "Queda en el historial, el registro y los webhooks. Los lectores no lo muestran.", TypeLast: "Escriba los cuatro últimos caracteres:", TypeThis: "Para confirmar, escriba", TheFilter: "Todo lo que coincide:", NoFilter: "sin filtro",
	UntilNow: "Lo que se emita desde ahora no cambia.", LeftOwned: "Omitidos: pertenecen a documentos Trust", LeftOther: "Omitidos: la acción no los cambia", TooMany: "Coinciden más de 10.000 registros.", TooManyText: "Acote el filtro, por ejemplo por fechas, y hágalo por partes.",
	BackToList: "Volver a la lista", NothingToDo: "Ninguno cambiaría.",
	NeedReason: "Dé un motivo.", BadReason: "Es demasiado largo o tiene caracteres que no se pueden guardar.", Mistyped: "Esto no es lo que hay que escribir.", Moved: "La selección ha cambiado entretanto. No se ha hecho nada. Compruebe los números de abajo.",
	Progress: "Avance", OfTotal: "hechos de", Changed: "cambiados", LeftOut: "omitidos", Begun: "Comenzado", StopWhy: "Detenido porque", Refresh: "Actualizar", StopOrder: "Detener",

	ReplaceTitle: "Reemplazar por un documento nuevo", ReplaceText: "El nuevo recibe su propia referencia. Este se revoca en el mismo momento y dice que fue reemplazado.", ChooseTemplate: "Elija una plantilla", UseTemplate: "Usar esta plantilla",
	NoTemplates: "Aún no hay plantilla Trust", NoTemplatesText: "Una plantilla dice qué campos tiene un documento.", ToTemplates: "A las plantillas", NeedTemplate: "Elija una plantilla.",
	Recipient: "Destinatario", Title: "Título", Optional: "(opcional)", EndOfDay: "Vale hasta el final de ese día, en UTC.", Way: "Forma", File: "Archivo", FileMay: "Un PDF o una imagen (PNG, JPEG, TIFF). Necesario para un documento con sello. Elíjalo de nuevo tras un rechazo.", FileMust: "El PDF o la imagen (PNG, JPEG, TIFF) que sustituye al anterior. Elíjalo de nuevo tras un rechazo.", Generate: "Dibujar un certificado en su lugar", GenerateHint: "Sin archivo, la pasarela dibuja una página con el emisor, el destinatario y los campos, y la sella.", IssueIt: "Emitir",

	Address: "Dirección", SendMail: "Enviar", SendMailHint: "Envía el documento a esta dirección, aunque ya se haya enviado. Una dirección nueva se guarda.",
	Erase: "Borrar", ErasedOn: "Archivos y datos personales borrados el", ErasedText: "Quedan referencia, hash, firma y estado: se verifica como antes.", Erasing: "Aún se están eliminando copias.",

	BadFilter: frame.Note{Title: "El filtro no es válido", Text: "Una parte no se puede usar y se ha dejado fuera."},

	States:     map[string]string{"Active": "Vigente", "Suspended": "Suspendido", "Revoked": "Revocado", "Expired": "Caducado", "Replaced": "Reemplazado"},
	Acts:       map[string]string{"suspend": "Suspender", "reactivate": "Reactivar", "reinstate": "Reactivar", "revoke": "Revocar", "expire": "Terminar ya"},
	Verb:       map[string]string{"suspend": "suspender", "reactivate": "reactivar", "reinstate": "reactivar", "revoke": "revocar", "expire": "terminar"},
	Effect:     map[string]string{"suspend": "Los lectores y la página pública dicen que está suspendido, hasta que se reactive. Los lectores lo saben en su próxima actualización.", "reactivate": "Vuelve a valer. Los lectores lo saben en su próxima actualización.", "reinstate": "Vuelve a valer. Los lectores lo saben en su próxima actualización.", "revoke": "Revocar es definitivo. Los lectores lo saben en su próxima actualización; los que no tienen red siguen en ámbar hasta 7 días.", "expire": "El documento termina ahora, definitivamente."},
	Ask:        map[string]string{"suspend": "¿Suspender este?", "reactivate": "¿Reactivar este?", "reinstate": "¿Reactivar este?", "revoke": "¿Revocar este definitivamente?", "expire": "¿Terminar ahora este documento?"},
	AskMany:    map[string]string{"suspend": "¿Suspender %s registros?", "reactivate": "¿Reactivar %s registros?", "reinstate": "¿Reactivar %s registros?", "revoke": "¿Revocar definitivamente %s registros?", "expire": "¿Terminar ahora %s documentos?"},
	OrderTitle: map[string]string{"suspend": "Suspender %s registros", "reactivate": "Reactivar %s registros", "reinstate": "Reactivar %s registros", "revoke": "Revocar %s registros", "expire": "Terminar %s documentos"},
	Events:     map[string]string{"create": "Sellado", "issue": "Emitido", "suspend": "Suspendido", "reactivate": "Reactivado", "reinstate": "Reactivado", "revoke": "Revocado", "replace": "Reemplazado", "expire": "Caducado"},
	Done:       map[string]string{"mailed": "El correo está en camino.", "suspend": "Está suspendido.", "reactivate": "Vuelve a valer.", "reinstate": "Vuelve a valer.", "revoke": "Está revocado.", "expire": "Ha terminado.", "replaced": "Este es el documento nuevo. El anterior está revocado.", "issued": "El documento está emitido.", "erased": "Los archivos y datos personales están borrados.", "already": "Se cambió entretanto. Así está ahora.", "nothing": "Elija primero registros con sus casillas."},
	Verdicts:   map[string]string{"valid": "VÁLIDO", "suspended": "SUSPENDIDO", "revoked": "REVOCADO", "expired": "CADUCADO", "not_found": "NO AUTÉNTICO", "unverified": "SIN VERIFICAR"},
	Public:     map[string]string{"compare": "Referencia válida, COMPARE", "not_found": "Documento de prueba: el público no lo conoce", "Suspended": "SUSPENDIDO", "Revoked": "REVOCADO", "Replaced": "REEMPLAZADO", "Expired": "CADUCADO"},
	FileKinds:  map[string]string{"stamped": "PDF sellado", "original": "Archivo original", "barcode": "Símbolo como imagen", "payload": "Contenido del símbolo"},
	Ways:       map[string]string{"digital": "digital", "tcode": "sellado, para papel", "both": "ambas"},

	OrderStates: map[batch.State]string{batch.Running: "En curso", batch.Done: "Hecho", batch.Stopped: "Detenido: lo cambiado sigue cambiado"},
	Mails: map[delivery.State]string{
		delivery.NotConfigured: "Sin correo: esta pasarela no envía correo", delivery.Waiting: "El correo espera el próximo intento", delivery.Sending: "Se está enviando el correo", delivery.Sent: "Enviado por correo",
		delivery.Refused: "El correo fue rechazado", delivery.Failed: "No se pudo enviar el correo", delivery.Dropped: "Sin correo: el documento había terminado",
	},
	Findings: map[wire.Finding]string{
		wire.TestDocument: "Se mostró un documento de prueba.", wire.PayloadOnOtherFile: "El sello estaba en otro archivo.", wire.AcceptedUnknown: "El dispositivo aceptó lo que la pasarela no conoce.", wire.RevokedWhenScanned: "Ya estaba revocado al leerlo.",
		wire.SuspendedWhenScanned: "Estaba suspendido al leerlo.", wire.RefusedOnDevice: "El dispositivo rechazó lo que es válido.", wire.RevokedSince: "Se revocó desde entonces.", wire.SuspendedSince: "Se suspendió desde entonces.",
		wire.AddedToFile: "Se añadió algo al archivo.", wire.ClockWasAhead: "El reloj del dispositivo iba adelantado.", wire.UndecidedOnDevice: "El dispositivo no pudo decidir.",
	},
}
