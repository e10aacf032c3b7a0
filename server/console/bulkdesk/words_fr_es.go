package bulkdesk

import (
	"tcode/server/console/frame"
	"tcode/server/issue/bulk"
)

var french = words{
	Bulk: "Lots", Intro: "Beaucoup de documents d’un fichier CSV et d’une archive ZIP. Rien n’est fait avant que toutes les lignes soient bonnes.", New: "Nouveau lot",
	Job: "Lot", State: "État", Rows: "Lignes", Made: "Faites", Failed: "Échecs", OrderedAt: "Commandé, UTC", Kind: "Documents", Any: "Tous",
	Products: map[string]string{"tcode": "Timbres", "trust": "Documents Trust"},
	States: map[bulk.Status]string{
		bulk.Scheduled: "Planifié", bulk.Pending: "En attente", bulk.Validating: "En vérification", bulk.Processing: "En cours", bulk.Completed: "Terminé",
		bulk.CompletedWithErrors: "Terminé avec des erreurs", bulk.Failed: "Échoué", bulk.Cancelling: "En annulation", bulk.Cancelled: "Annulé",
	},
	Test: "Test", Check: "Vérification seule", Untitled: "Lot du %s",
	Empty:       frame.Note{Title: "Aucun lot", Text: "Prenez le fichier CSV avec les colonnes de votre modèle, remplissez une ligne par document et envoyez-le avec les PDF dans une archive ZIP."},
	EmptyFilter: frame.Note{Title: "Aucun lot de ce genre", Text: "Aucun lot n’a cet état et ce type de documents."},

	NewTitle: "Nouveau lot", Name: "Nom du lot", NameHint: "Pour votre liste. Vide : le nom du fichier CSV.", Tdoc: "Modèle TDoc", NoTemplate: "Aucun : les colonnes de tout timbre", Placement: "Emplacement", DefaultPlace: "Emplacement habituel",
	TypeHint: "Le type de chaque document est dans la colonne documentTypeCode.", Template: "Modèle Trust", Path: "Émettre comme", Validity: "Valable",
	Paths:      map[string]string{"digital": "enregistrement, avec le PDF tel quel", "tcode": "PDF timbré", "both": "PDF timbré et enregistrement"},
	Validities: map[string]string{"None": "sans fin", "Duration": "pour une durée dès l’émission", "Until": "jusqu’à la fin d’un jour"},
	Units:      map[string]string{"days": "jours", "months": "mois", "years": "années"},
	Value:      "Combien de temps", Unit: "Unité", Until: "Dernier jour, UTC", When: "Début, UTC", WhenHint: "Vide : tout de suite. Dans l’année.", TestDocs: "Documents de test", TestHint: "Aucun lecteur ne les prend pour authentiques.", Columns: "CSV avec ses colonnes à remplir",
	CSV: "Fichier CSV", ZIP: "Archive ZIP des PDF", CSVHint: "Une ligne par document, au plus %d lignes et 8 Mio.", ZIPHint: "Au plus 200 Mio. La colonne fileName nomme un fichier qu’elle contient.", Drop: "Ou déposez le fichier ici",
	CheckOnly: "Vérifier seulement", Make: "Vérifier et faire", Sending: "Envoi des fichiers", SendLost: "La ligne a été coupée pendant l’envoi. Rien n’a été commandé. Envoyez les fichiers à nouveau.", TooBig: "Ce fichier est trop grand.",
	NoTrust: frame.Note{Title: "Il n’y a pas de modèle Trust", Text: "Les documents Trust se font d’un modèle. Créez-en un d’abord."},
	Refused: frame.Note{Title: "La commande n’a pas été prise", Text: "Rien n’a été commandé. Corrigez ce qui est marqué ci-dessous et choisissez à nouveau les fichiers."},

	By: "commandé par %s", ByKey: "commandé avec la clé d’API %s", Progress: "Avancement", Live: "En direct", Ago: "s", MadeLabel: "faites", FailedLabel: "échouées", Left: "restent, environ", RateLabel: "lignes par seconde",
	Goes:   "Vous pouvez fermer cette page : le lot continue, et son avancement est ici à votre retour.",
	RowsOf: "%d sur %d lignes", Minutes: "%d min", Seconds: "%d s",
	Says: map[string]string{
		"Scheduled": "Le lot attend son heure.", "Pending": "Le lot attend son tour.", "Validating": "Les fichiers sont vérifiés. Rien n’est fait avant que toutes les lignes soient bonnes.", "Processing": "Les documents sont en train d’être faits.",
		"Cancelling": "Le lot s’arrête après les lignes en cours.", "Completed": "Tout est fait.", "CompletedWithErrors": "Des lignes ont échoué.", "Failed": "Aucun document n’a été fait.", "Cancelled": "Le lot a été annulé.",
	},
	Begins: "Commence le %s", Refresh: "Actualiser", LostTitle: "Pas de nouvelles de la passerelle", LostText: "Le lot continue sur la passerelle. Cette page réessaie dans", Again: "s.", Now: "Maintenant",
	Finished: "%d documents sur %d sont faits, %d lignes ont échoué.", Took: "Durée : %s.", NotMade: "%d lignes n’ont pas été faites, car le lot a été annulé.",
	Good: "Les %d lignes sont bonnes", GoodText: "Rien n’a encore été fait. La commande utilise les mêmes fichiers : inutile de les renvoyer.", ProceedTo: "Faire les documents", OrderedAs: "Commandé : vers le lot", Bad: "%d problèmes",
	BadText:   "Rien n’a été fait. Faites ce que dit le tableau, dans les lignes de errors.csv ou dans l’archive, et envoyez les deux comme nouveau lot. « Vérifier à nouveau » aide si seul un modèle ou un type de document était en cause.",
	Unmatched: "Noms de fichiers différents", NoFile: "Lignes dont le fichier n’est pas dans l’archive", NoRow: "Fichiers qu’aucune ligne ne nomme", Nearest: "Ressemble le plus à", NotListed: "%d autres ne sont pas énumérés.",
	MendText: "Corrigez errors.csv et envoyez-le comme nouveau lot avec la même archive : il ne contient que les lignes échouées, et ce qui est fait n’est pas fait deux fois.",
	Problems: "Problèmes", Line: "Ligne", Column: "Colonne", Found: "Valeur trouvée", Wrong: "Ce qui ne va pas", More: "autres problèmes, non énumérés", Whole: "tout",
	RowsTitle: "Lignes du fichier", File: "Fichier", ExternalID: "Identifiant externe", Outcome: "Résultat",
	RowStates: map[bulk.RowState]string{bulk.RowFailed: "Échouées", bulk.RowSucceeded: "Faites", bulk.RowPending: "En attente", bulk.RowSkipped: "Non faites"},
	NoRows:    "Aucune ligne n’est dans cet état.", Cancel: "Annuler", CheckAgain: "Vérifier à nouveau", Like: "Nouveau lot comme celui-ci", Order: "Commande", Nothing: "aucun", Retry: "Refaire %d lignes",
	Files: "Fichiers", Began: "Début", Ended: "Fin",
	Done:           map[string]string{"ordered": "Le lot est commandé.", "cancelled": "Le lot est annulé, ou s’arrête après les lignes en cours.", "retried": "Le lot est repris."},
	TooManyStreams: frame.Note{Title: "Trop de pages en direct", Text: "Fermez-en quelques-unes, ou actualisez cette page de temps en temps."},
}

var spanish = words{
	Bulk: "Lotes", Intro: "Muchos documentos de un archivo CSV y un archivo ZIP. No se hace nada hasta que todas las filas estén bien.", New: "Lote nuevo",
	Job: "Lote", State: "Estado", Rows: "Filas", Made: "Hechas", Failed: "Fallos", OrderedAt: "Encargado, UTC", Kind: "Documentos", Any: "Todos",
	Products: map[string]string{"tcode": "Sellos", "trust": "Documentos Trust"},
	States: map[bulk.Status]string{
		bulk.Scheduled: "Programado", bulk.Pending: "En espera", bulk.Validating: "En comprobación", bulk.Processing: "En curso", bulk.Completed: "Terminado",
		bulk.CompletedWithErrors: "Terminado con errores", bulk.Failed: "Fallido", bulk.Cancelling: "En cancelación", bulk.Cancelled: "Cancelado",
	},
	Test: "Prueba", Check: "Solo comprobar", Untitled: "Lote del %s",
	Empty:       frame.Note{Title: "Aún no hay lotes", Text: "Tome el archivo CSV con las columnas de su plantilla, rellene una fila por documento y envíelo con los PDF en un archivo ZIP."},
	EmptyFilter: frame.Note{Title: "No hay tal lote", Text: "Ningún lote tiene este estado y este tipo de documentos."},

	NewTitle: "Lote nuevo", Name: "Nombre del lote", NameHint: "Para su lista. Vacío: el nombre del archivo CSV.", Tdoc: "Plantilla TDoc", NoTemplate: "Ninguna: las columnas de todo sello", Placement: "Colocación", DefaultPlace: "Lugar habitual",
	TypeHint: "El tipo de cada documento está en la columna documentTypeCode.", Template: "Plantilla Trust", Path: "Emitir como", Validity: "Válido",
	Paths:      map[string]string{"digital": "registro, con el PDF tal como se envía", "tcode": "PDF sellado", "both": "PDF sellado y registro"},
	Validities: map[string]string{"None": "sin fin", "Duration": "por un tiempo desde la emisión", "Until": "hasta el final de un día"},
	Units:      map[string]string{"days": "días", "months": "meses", "years": "años"},
	Value:      "Cuánto tiempo", Unit: "Unidad", Until: "Último día, UTC", When: "Comienzo, UTC", WhenHint: "Vacío: ahora mismo. Dentro de un año.", TestDocs: "Documentos de prueba", TestHint: "Ningún lector los toma por auténticos.", Columns: "CSV con sus columnas para rellenar",
	CSV: "Archivo CSV", ZIP: "Archivo ZIP de los PDF", CSVHint: "Una fila por documento, como máximo %d filas y 8 MiB.", ZIPHint: "Como máximo 200 MiB. La columna fileName nombra un archivo en él.", Drop: "O suelte aquí el archivo",
	CheckOnly: "Solo comprobar", Make: "Comprobar y hacer", Sending: "Enviando los archivos", SendLost: "La línea se cortó durante el envío. No se encargó nada. Envíelos de nuevo.", TooBig: "Este archivo es demasiado grande.",
	NoTrust: frame.Note{Title: "No hay plantilla Trust", Text: "Los documentos Trust se hacen de una plantilla. Cree una primero."},
	Refused: frame.Note{Title: "El encargo no se aceptó", Text: "No se encargó nada. Corrija lo marcado abajo y elija los archivos de nuevo."},

	By: "encargado por %s", ByKey: "encargado con la clave de API %s", Progress: "Progreso", Live: "En directo", Ago: "s", MadeLabel: "hechas", FailedLabel: "fallidas", Left: "quedan, unos", RateLabel: "filas por segundo",
	Goes:   "Puede cerrar esta página: el lote sigue, y su progreso estará aquí cuando vuelva.",
	RowsOf: "%d de %d filas", Minutes: "%d min", Seconds: "%d s",
	Says: map[string]string{
		"Scheduled": "El lote espera su hora.", "Pending": "El lote espera su turno.", "Validating": "Se comprueban los archivos. No se hace nada hasta que todas las filas estén bien.", "Processing": "Se están haciendo los documentos.",
		"Cancelling": "El lote se detiene tras las filas en curso.", "Completed": "Todo está hecho.", "CompletedWithErrors": "Algunas filas fallaron.", "Failed": "No se hizo ningún documento.", "Cancelled": "El lote se canceló.",
	},
	Begins: "Comienza el %s", Refresh: "Actualizar", LostTitle: "Sin noticias de la pasarela", LostText: "El lote sigue en la pasarela. Esta página lo intenta de nuevo en", Again: "s.", Now: "Ahora",
	Finished: "%d de %d documentos están hechos, %d filas fallaron.", Took: "Duración: %s.", NotMade: "%d filas no se hicieron, porque el lote se canceló.",
	Good: "Las %d filas están bien", GoodText: "Aún no se ha hecho nada. El encargo usa los mismos archivos: no hace falta enviarlos de nuevo.", ProceedTo: "Hacer los documentos", OrderedAs: "Encargado: al lote", Bad: "%d problemas",
	BadText:   "No se hizo nada. Haga lo que dice la tabla, en las filas de errors.csv o en el ZIP, y envíe ambos como lote nuevo. «Comprobar de nuevo» sirve si solo fallaba una plantilla o un tipo de documento.",
	Unmatched: "Nombres de archivo distintos", NoFile: "Filas cuyo archivo no está en el ZIP", NoRow: "Archivos que ninguna fila nombra", Nearest: "Se parece más a", NotListed: "%d más no se muestran.",
	MendText: "Corrija errors.csv y envíelo como lote nuevo con el mismo archivo ZIP: solo tiene las filas fallidas, y lo hecho no se hace dos veces.",
	Problems: "Problemas", Line: "Línea", Column: "Columna", Found: "Valor encontrado", Wrong: "Qué está mal", More: "problemas más, que no se enumeran", Whole: "todo",
	RowsTitle: "Filas del archivo", File: "Archivo", ExternalID: "Identificador externo", Outcome: "Resultado",
	RowStates: map[bulk.RowState]string{bulk.RowFailed: "Fallidas", bulk.RowSucceeded: "Hechas", bulk.RowPending: "En espera", bulk.RowSkipped: "No hechas"},
	NoRows:    "Ninguna fila está en este estado.", Cancel: "Cancelar", CheckAgain: "Comprobar de nuevo", Like: "Lote nuevo como este", Order: "Encargo", Nothing: "ninguna", Retry: "Repetir %d filas",
	Files: "Archivos", Began: "Comienzo", Ended: "Final",
	Done:           map[string]string{"ordered": "El lote está encargado.", "cancelled": "El lote está cancelado, o se detiene tras las filas en curso.", "retried": "El lote se ejecuta de nuevo."},
	TooManyStreams: frame.Note{Title: "Demasiadas páginas en directo", Text: "Cierre algunas, o actualice esta página de vez en cuando."},
}
