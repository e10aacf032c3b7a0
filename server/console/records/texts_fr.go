package records

import (
	"tcode/server/console/frame"
	"tcode/server/issue/batch"
	"tcode/server/outbound/delivery"
	"tcode/sync/wire"
)

var french = words{
	Stamps: "Timbres", Documents: "Documents Trust", Export: "Exporter en CSV", IssueTitle: "Émettre un document Trust", StampOne: "Timbrer un document",
	OrderRuns: "C’est en cours.", OrderOpen: "Voir l’avancement", Status: "État", All: "Tous", SearchHint: "Référence, nom, identifiant externe", Type: "Type", Any: "tous", Template: "Modèle",
	From: "Émis du", To: "au", Kinds: "Usage", Live: "réel", Test: "test", Sort: "Ordre", Newest: "récents d’abord", Oldest: "anciens d’abord", SelectPage: "Choisir toute cette page",
	Reference: "Référence", Name: "Nom", Issued: "Émis", Select: "Choisir", Pages: "Pages",
	NoneMatch: "Rien ne correspond", NoneMatchText: "Aucun élément n’a tout ce que le filtre demande.", NoneYet: "Aucun pour l’instant",
	FirstDocument: "Émettez un document ici, beaucoup par un lot, ou laissez votre système le faire avec une clé d’API.", FirstStamp: "Timbrez un document ici, beaucoup par un lot, ou laissez votre système le faire avec une clé d’API.",
	AllMatching: "Les %s qui correspondent, sur toutes les pages", Range: "%d à %d sur %s", Tries: "Essais : %d.", VerifiedTimes: "Vérifié %s fois",

	Replace: "Remplacer", OwnedBy: "Appartient à", OwnedText: "Il est suspendu, révoqué et remplacé avec ce document, jamais seul.", OpenDocument: "Ouvrir le document",
	Facts: "Document", External: "Votre numéro", ByWhom: "par", Expires: "Expire", Signed: "signé", Mail: "E-mail", Key: "Clé de signature", Fingerprint: "SHA-256 du fichier", Symbol: "Symbole", Page: "page", Grade: "note",
	Chain: "Remplacements", ThisOne: "celui-ci", Warnings: "Remarques du timbrage", Timeline: "Chronologie", Changes: "Changements", Scans: "Lectures", Scanned: "Lu :", DeviceSaid: "L’appareil a dit", GatewaySaid: "la passerelle a dit", Device: "Appareil",
	Gateway: "La passerelle", NoLines: "Rien de tel n’a eu lieu.",
	PublicSees: "Ce que le public voit", Open: "Ouvrir", Issuer: "Émetteur", ItsStamp: "Son timbre", Files: "Fichiers", LinksEnd: "Les adresses valent 15 minutes.", NoFiles: "Il n’y a pas de fichier.", NeverVerified: "Personne ne l’a encore vérifié.",

	ReasonHint: "Il reste dans l’historique, le journal et les webhooks. Les lecteurs ne le montrent pas.", TypeLast: "Tapez les quatre derniers caractères :", TypeThis: "Pour confirmer, tapez", TheFilter: "Tout ce qui correspond :", NoFilter: "aucun filtre",
	UntilNow: "Ce qui sera émis désormais ne change pas.", LeftOwned: "Laissés : ils appartiennent à des documents Trust", LeftOther: "Laissés : l’action ne les change pas", TooMany: "Plus de 10 000 éléments correspondent.", TooManyText: "Resserrez le filtre, par exemple par dates, et procédez par parties.",
	BackToList: "Retour à la liste", NothingToDo: "Aucun ne serait changé.",
	NeedReason: "Donnez un motif.", BadReason: "C’est trop long, ou il y a des caractères qui ne peuvent être gardés.", Mistyped: "Ce n’est pas ce qu’il faut taper.", Moved: "La sélection a changé entre-temps. Rien n’a été fait. Vérifiez les nombres ci-dessous.",
	Progress: "Avancement", OfTotal: "faits sur", Changed: "changés", LeftOut: "laissés", Begun: "Commencé", StopWhy: "Arrêté car", Refresh: "Actualiser", StopOrder: "Arrêter",

	ReplaceTitle: "Remplacer par un nouveau document", ReplaceText: "Le nouveau reçoit sa propre référence. Celui-ci est révoqué au même instant et dit qu’il a été remplacé.", ChooseTemplate: "Choisissez un modèle", UseTemplate: "Utiliser ce modèle",
	NoTemplates: "Il n’y a pas encore de modèle Trust", NoTemplatesText: "Un modèle dit quels champs a un document.", ToTemplates: "Vers les modèles", NeedTemplate: "Choisissez un modèle.",
	Recipient: "Destinataire", Title: "Titre", Optional: "(facultatif)", EndOfDay: "Il vaut jusqu’à la fin de ce jour, en UTC.", Way: "Forme", File: "Fichier", FileMay: "Un PDF ou une image (PNG, JPEG, TIFF). Nécessaire pour un document avec timbre. À choisir de nouveau après un refus.", FileMust: "Le nouveau PDF ou la nouvelle image (PNG, JPEG, TIFF). À choisir de nouveau après un refus.", Generate: "Dessiner un certificat à la place", GenerateHint: "Sans fichier, la passerelle dessine une page avec l’émetteur, le destinataire et les champs, et la timbre.", IssueIt: "Émettre",

	Address: "Adresse", SendMail: "Envoyer", SendMailHint: "Envoie le document à cette adresse, même s’il l’a déjà été. Une nouvelle adresse est gardée.",
	Erase: "Effacer", ErasedOn: "Fichiers et données personnelles effacés le", ErasedText: "Référence, empreinte, signature et statut restent : la vérification est la même qu’avant.", Erasing: "Des copies sont encore en cours de suppression.",

	BadFilter: frame.Note{Title: "Le filtre n’est pas valable", Text: "Une partie est inutilisable et a été laissée de côté."},

	States:     map[string]string{"Active": "Valable", "Suspended": "Suspendu", "Revoked": "Révoqué", "Expired": "Expiré", "Replaced": "Remplacé"},
	Acts:       map[string]string{"suspend": "Suspendre", "reactivate": "Réactiver", "reinstate": "Réactiver", "revoke": "Révoquer", "expire": "Terminer"},
	Verb:       map[string]string{"suspend": "suspendre", "reactivate": "réactiver", "reinstate": "réactiver", "revoke": "révoquer", "expire": "terminer"},
	Effect:     map[string]string{"suspend": "Les lecteurs et la page publique le disent suspendu, jusqu’à sa réactivation. Les lecteurs l’apprennent à leur prochaine mise à jour.", "reactivate": "Il vaut de nouveau. Les lecteurs l’apprennent à leur prochaine mise à jour.", "reinstate": "Il vaut de nouveau. Les lecteurs l’apprennent à leur prochaine mise à jour.", "revoke": "Une révocation est définitive. Les lecteurs l’apprennent à leur prochaine mise à jour ; ceux sans réseau restent à l’orange jusqu’à 7 jours.", "expire": "Le document se termine maintenant, définitivement."},
	Ask:        map[string]string{"suspend": "Suspendre cet élément ?", "reactivate": "Réactiver cet élément ?", "reinstate": "Réactiver cet élément ?", "revoke": "Révoquer définitivement cet élément ?", "expire": "Terminer ce document maintenant ?"},
	AskMany:    map[string]string{"suspend": "Suspendre %s éléments ?", "reactivate": "Réactiver %s éléments ?", "reinstate": "Réactiver %s éléments ?", "revoke": "Révoquer définitivement %s éléments ?", "expire": "Terminer %s documents maintenant ?"},
	OrderTitle: map[string]string{"suspend": "Suspendre %s éléments", "reactivate": "Réactiver %s éléments", "reinstate": "Réactiver %s éléments", "revoke": "Révoquer %s éléments", "expire": "Terminer %s documents"},
	Events:     map[string]string{"create": "Timbré", "issue": "Émis", "suspend": "Suspendu", "reactivate": "Réactivé", "reinstate": "Réactivé", "revoke": "Révoqué", "replace": "Remplacé", "expire": "Expiré"},
	Done:       map[string]string{"mailed": "L’e-mail est en route.", "suspend": "Il est suspendu.", "reactivate": "Il vaut de nouveau.", "reinstate": "Il vaut de nouveau.", "revoke": "Il est révoqué.", "expire": "Il est terminé.", "replaced": "Voici le nouveau document. L’ancien est révoqué.", "issued": "Le document est émis.", "erased": "Les fichiers et données personnelles sont effacés.", "already": "Il a été changé entre-temps. Voici son état.", "nothing": "Choisissez d’abord des éléments par leurs cases."},
	Verdicts:   map[string]string{"valid": "VALABLE", "suspended": "SUSPENDU", "revoked": "RÉVOQUÉ", "expired": "EXPIRÉ", "not_found": "PAS AUTHENTIQUE", "unverified": "NON VÉRIFIÉ"},
	Public:     map[string]string{"compare": "Référence valable, COMPAREZ", "not_found": "Document de test : inconnu du public", "Suspended": "SUSPENDU", "Revoked": "RÉVOQUÉ", "Replaced": "REMPLACÉ", "Expired": "EXPIRÉ"},
	FileKinds:  map[string]string{"stamped": "PDF timbré", "original": "Fichier original", "barcode": "Symbole en image", "payload": "Contenu du symbole"},
	Ways:       map[string]string{"digital": "numérique", "tcode": "timbré, pour le papier", "both": "les deux"},

	OrderStates: map[batch.State]string{batch.Running: "En cours", batch.Done: "Terminé", batch.Stopped: "Arrêté : ce qui est changé le reste"},
	Mails: map[delivery.State]string{
		delivery.NotConfigured: "Pas envoyé : cette passerelle n’envoie pas d’e-mail", delivery.Waiting: "L’e-mail attend le prochain essai", delivery.Sending: "L’e-mail part", delivery.Sent: "Envoyé par e-mail",
		delivery.Refused: "L’e-mail a été refusé", delivery.Failed: "L’e-mail n’a pu être envoyé", delivery.Dropped: "Pas envoyé : le document était terminé",
	},
	Findings: map[wire.Finding]string{
		wire.TestDocument: "Un document de test a été montré.", wire.PayloadOnOtherFile: "Le timbre était sur un autre fichier.", wire.AcceptedUnknown: "L’appareil a accepté ce que la passerelle ne connaît pas.", wire.RevokedWhenScanned: "Il était déjà révoqué à la lecture.",
		wire.SuspendedWhenScanned: "Il était suspendu à la lecture.", wire.RefusedOnDevice: "L’appareil a refusé ce qui est valable.", wire.RevokedSince: "Il a été révoqué depuis.", wire.SuspendedSince: "Il a été suspendu depuis.",
		wire.AddedToFile: "Quelque chose a été ajouté au fichier.", wire.ClockWasAhead: "L’horloge de l’appareil avançait.", wire.UndecidedOnDevice: "L’appareil n’a pu décider.",
	},
}
