// Package operator has the screens of the platform's operators: the state of the gateway,
// tenants with their plans, document types, and mails that did not arrive. Call [New] first;
// its result goes to console.Config.
//
//	/console/operator                 publication, root, mail queue, backup, fsck, versions
//	/console/operator/tenants         list, create ─▶ one: plan; suspend by typing its reference
//	/console/operator/document-types  list, add, retire
//	/console/operator/mail            mails of a tenant by state, send again
package operator
