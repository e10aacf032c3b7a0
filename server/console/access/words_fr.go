package access

import (
	"tcode/server/outbound/webhook"
	"tcode/server/tenant"
)

var french = texts{
	Keys: "Clés d’API", KeysText: "Une clé agit pour votre organisation. Elle est affichée une fois, à sa création, et conservée seulement sous forme d’empreinte.",
	NewKey: "Nouvelle clé", Name: "Nom", NameHint: "Où elle sert, pour la reconnaître", Begins: "Commence par", May: "Permet", LastUsed: "Dernière utilisation",
	From: "depuis", Expires: "Expire", Actions: "Actions", Renew: "Renouveler", RevokeKey: "Révoquer la clé",
	MadeKey: "La clé est créée. Copiez-la maintenant : elle ne sera plus jamais affichée.", CopyNow: "Copier", SendIt: "Envoyez-la dans l’en-tête",
	Today: "%d requêtes aujourd’hui", Over: "Clés terminées", InDays: "dans %d jours", NoKeys: "Pas encore de clé",
	NoKeysText: "Vos propres systèmes tamponnent des documents avec une clé d’API. Commencez par une clé de test.", MakeKey: "Créer la clé", TestKey: "Clé de test",
	TestHint: "Tout ce qu’elle produit est un document de test.", DaysLife: "dans %d jours", NoLife: "jamais", NoScope: "Choisissez-en au moins un.",
	Mistyped: "Ce n’est pas le même texte.", ToType: "Tapez ceci pour confirmer :",
	RevokeEffect: "Dernière utilisation : %s ; requêtes aujourd’hui : %d. Les programmes qui ont cette clé reçoivent 401 dès maintenant. Les documents qu’elle a produits restent valides.",
	RenewText:    "Une nouvelle clé prend sa place, avec le même nom et les mêmes droits. L’ancienne fonctionne encore un temps, pour que vous puissiez changer vos programmes.",
	Overlap:      "L’ancienne clé se termine", OverlapNow: "immédiatement", OverlapHours: "après %d heures", Webhooks: "Webhooks",
	WebhooksText: "Vos systèmes apprennent les événements à ces adresses. Chaque envoi est signé et répété pendant 17 heures.", NewHook: "Nouvelle adresse", URL: "Adresse",
	URLHint: "https seulement ; répond 2xx en moins de 10 secondes", Events: "Événements", AllEvents: "tous les événements", State: "État", Delivered24: "Acceptés, 24 h",
	NoHooks: "Pas encore d’adresse", NoHooksText: "Donnez une adresse de votre propre système : il apprendra les révocations, les travaux finis et les anomalies.",
	NoEvent: "Choisissez au moins un événement.", On: "Actif", Off: "Arrêté", FailingSince: "Échoue depuis", SwitchOn: "Activer", SwitchOff: "Arrêter",
	SendTest: "Envoyer un test", ChangeSecret: "Changer le secret", Change: "Enregistrer", Remove: "Supprimer l’adresse",
	RemoveEffect: "L’adresse et tous ses envois sont supprimés. Les événements en attente ne seront jamais envoyés.",
	NewSecret:    "Le secret : copiez-le maintenant, il ne sera plus jamais affiché.", SecretText: "Il signe chaque envoi, dans l’en-tête TCode-Signature.",
	OldSecret: "L’ancien secret signe aussi, jusqu’au", TestWent: "Le destinataire a accepté le test : %d après %v.",
	TestFailed: "Le destinataire n’a pas accepté le test : %s", Resent: "%d envois sont répétés.", RedeliverFailed: "Répéter les échecs", Redeliver: "Envoyer encore",
	Deliveries: "Envois", AllStates: "Tous", When: "Quand", Tries: "Essais", Answer: "Dernière réponse", Next: "Prochain essai", NoDeliveries: "Aucun envoi ici.",
	Newer: "Plus récents", Older: "Plus anciens", Event: "Événement", Body: "Contenu envoyé", Took: "Durée", Number: "Numéro", Signing: "Clés de signature",
	SigningText: "Chaque tampon est signé avec la clé qui signe à ce moment. Les lecteurs connaissent les moitiés publiques.", RotateAnnounced: "Annoncer une nouvelle clé",
	RotateNow:        "Utiliser une nouvelle clé maintenant",
	RotateText:       "Une clé annoncée commence à signer dans 8 jours, quand chaque lecteur la connaît. Une clé qui signe maintenant est inconnue des lecteurs qui n’ont pas actualisé : ils répondent UNVERIFIED pour ses tampons.",
	Retire:           "Retirer la clé",
	RetireEffect:     "Elle ne signe plus dès maintenant. Ses tampons restent bons. Si elle signe à présent, la clé annoncée prend sa place, ou une nouvelle.",
	Compromise:       "Déclarer la clé compromise",
	CompromiseEffect: "Dites-le si d’autres peuvent avoir la clé. Dès maintenant, seuls les tampons inscrits dans cette passerelle restent bons ; les lecteurs refusent tout autre tampon de cette clé après leur prochaine actualisation. Si elle signe à présent, une autre prend sa place immédiatement. On ne peut pas revenir en arrière.",
	Since:            "D’autres peuvent l’avoir depuis (UTC)", NoTime: "Donnez une date et une heure.", AgeDays: "%d jours", ValidFrom: "Signe à partir du", Until: "jusqu’au",
	CompromisedSince: "compromise depuis", Survivors: "%d tampons de la clé restent bons.", Omitted: "%d plus anciens non : remplacez-les.", Algorithm: "Algorithme",
	Scopes:        map[tenant.Scope]string{tenant.ScopeStamp: "Tamponner", tenant.ScopeHistory: "Historique", tenant.ScopeManage: "Gérer"},
	ScopeHints:    map[tenant.Scope]string{tenant.ScopeStamp: "tamponner, émettre, suspendre, révoquer, remplacer", tenant.ScopeHistory: "lire qui a vérifié quoi", tenant.ScopeManage: "clés, webhooks, appareils : rarement nécessaire"},
	KeyStates:     map[tenant.APIKeyState]string{tenant.KeyActive: "active", tenant.KeyExpired: "expirée", tenant.KeyRevoked: "révoquée"},
	States:        map[webhook.State]string{webhook.Waiting: "En attente", webhook.Delivered: "Accepté", webhook.Failed: "Échoué"},
	SigningStates: map[tenant.KeyState]string{tenant.KeyAnnounced: "annoncée", tenant.KeySigning: "signe", tenant.KeyVerifying: "retirée, ses tampons restent bons", tenant.KeyCompromised: "compromise"},
	Done:          map[string]string{"revoked": "La clé est révoquée.", "changed": "L’adresse est changée.", "on": "L’adresse est active.", "off": "L’adresse est arrêtée.", "removed": "L’adresse est supprimée.", "redelivered": "L’envoi est répété.", "rotated": "Une nouvelle clé de signature est créée.", "retired": "La clé de signature est retirée."},
}
