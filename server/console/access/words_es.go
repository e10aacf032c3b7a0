package access

import (
	"tcode/server/outbound/webhook"
	"tcode/server/tenant"
)

var spanish = texts{
	Keys: "Claves de API", KeysText: "Una clave actúa en nombre de su organización. Se muestra una vez, al crearla, y solo se guarda su huella.", NewKey: "Nueva clave",
	Name: "Nombre", NameHint: "Dónde se usa, para reconocerla", Begins: "Empieza por", May: "Permite", LastUsed: "Último uso", From: "desde", Expires: "Caduca",
	Actions: "Acciones", Renew: "Renovar", RevokeKey: "Revocar la clave", MadeKey: "La clave está creada. Cópiela ahora: no se volverá a mostrar.", CopyNow: "Copiar",
	SendIt: "Envíela en la cabecera", Today: "%d solicitudes hoy", Over: "Claves terminadas", InDays: "en %d días", NoKeys: "Aún no hay claves",
	NoKeysText: "Sus propios sistemas sellan documentos con una clave de API. Empiece con una clave de prueba.", MakeKey: "Crear la clave", TestKey: "Clave de prueba",
	TestHint: "Todo lo que crea es un documento de prueba.", DaysLife: "en %d días", NoLife: "nunca", NoScope: "Elija al menos uno.", Mistyped: "No es el mismo texto.",
	ToType:       "Escriba esto para confirmar:",
	RevokeEffect: "Último uso: %s; solicitudes hoy: %d. Los programas con esta clave reciben 401 desde ahora. Los documentos que creó siguen siendo válidos.",
	RenewText:    "Una clave nueva ocupa su lugar, con el mismo nombre y los mismos derechos. La antigua funciona todavía un tiempo, para que pueda cambiar sus programas.",
	Overlap:      "La clave antigua termina", OverlapNow: "inmediatamente", OverlapHours: "después de %d horas", Webhooks: "Webhooks",
	WebhooksText: "Sus sistemas conocen los sucesos en estas direcciones. Cada envío va firmado y se repite durante 17 horas.", NewHook: "Nueva dirección", URL: "Dirección",
	URLHint: "solo https; responde 2xx en 10 segundos", Events: "Sucesos", AllEvents: "todos los sucesos", State: "Estado", Delivered24: "Aceptados, 24 h",
	NoHooks: "Aún no hay direcciones", NoHooksText: "Indique una dirección de su propio sistema y sabrá de revocaciones, trabajos terminados y hallazgos.",
	NoEvent: "Elija al menos un suceso.", On: "Activa", Off: "Apagada", FailingSince: "Falla desde", SwitchOn: "Activar", SwitchOff: "Apagar", SendTest: "Enviar una prueba",
	ChangeSecret: "Cambiar el secreto", Change: "Guardar", Remove: "Eliminar la dirección",
	RemoveEffect: "Se eliminan la dirección y todos sus envíos. Los sucesos que esperan no se enviarán nunca.",
	NewSecret:    "El secreto: cópielo ahora, no se volverá a mostrar.", SecretText: "Firma cada envío, en la cabecera TCode-Signature.",
	OldSecret: "El secreto antiguo también firma, hasta", TestWent: "El receptor aceptó la prueba: %d después de %v.", TestFailed: "El receptor no aceptó la prueba: %s",
	Resent: "%d envíos se repiten.", RedeliverFailed: "Repetir los fallidos", Redeliver: "Enviar de nuevo", Deliveries: "Envíos", AllStates: "Todos", When: "Cuándo",
	Tries: "Intentos", Answer: "Última respuesta", Next: "Próximo intento", NoDeliveries: "Aquí no hay envíos.", Newer: "Más recientes", Older: "Más antiguos",
	Event: "Suceso", Body: "Contenido que se envía", Took: "Duración", Number: "Número", Signing: "Claves de firma",
	SigningText: "Cada sello se firma con la clave que firma en ese momento. Los lectores conocen las mitades públicas.", RotateAnnounced: "Anunciar una clave nueva",
	RotateNow:  "Usar una clave nueva ahora",
	RotateText: "Una clave anunciada empieza a firmar en 8 días, cuando todos los lectores la conocen. Una clave que firma ahora es desconocida para los lectores que no se han actualizado: responden UNVERIFIED para sus sellos.",
	Retire:     "Retirar la clave", RetireEffect: "Deja de firmar desde ahora. Sus sellos siguen siendo buenos. Si firma ahora, la clave anunciada ocupa su lugar, o una nueva.",
	Compromise:       "Declarar la clave comprometida",
	CompromiseEffect: "Dígalo si otros pueden tener la clave. Desde ahora solo siguen siendo buenos los sellos que constan en esta pasarela; los lectores rechazan cualquier otro sello de esta clave después de su próxima actualización. Si firma ahora, otra ocupa su lugar inmediatamente. No se puede deshacer.",
	Since:            "Otros pueden tenerla desde (UTC)", NoTime: "Indique fecha y hora.", AgeDays: "%d días", ValidFrom: "Firma desde", Until: "hasta",
	CompromisedSince: "comprometida desde", Survivors: "%d sellos de la clave siguen siendo buenos.", Omitted: "%d más antiguos no: sustitúyalos.", Algorithm: "Algoritmo",
	Scopes:        map[tenant.Scope]string{tenant.ScopeStamp: "Sellar", tenant.ScopeHistory: "Historial", tenant.ScopeManage: "Gestionar"},
	ScopeHints:    map[tenant.Scope]string{tenant.ScopeStamp: "sellar, emitir, suspender, revocar, sustituir", tenant.ScopeHistory: "leer quién verificó qué", tenant.ScopeManage: "claves, webhooks, dispositivos: pocas veces necesario"},
	KeyStates:     map[tenant.APIKeyState]string{tenant.KeyActive: "activa", tenant.KeyExpired: "caducada", tenant.KeyRevoked: "revocada"},
	States:        map[webhook.State]string{webhook.Waiting: "En espera", webhook.Delivered: "Aceptado", webhook.Failed: "Fallido"},
	SigningStates: map[tenant.KeyState]string{tenant.KeyAnnounced: "anunciada", tenant.KeySigning: "firma", tenant.KeyVerifying: "retirada, sus sellos siguen siendo buenos", tenant.KeyCompromised: "comprometida"},
	Done:          map[string]string{"revoked": "La clave está revocada.", "changed": "La dirección está cambiada.", "on": "La dirección está activa.", "off": "La dirección está apagada.", "removed": "La dirección está eliminada.", "redelivered": "El envío se repite.", "rotated": "Se ha creado una nueva clave de firma.", "retired": "La clave de firma está retirada."},
}
