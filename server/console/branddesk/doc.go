// Package branddesk has the screen of how a tenant looks on public pages: logo, colour,
// contact, and whether pages show the names of stamps. Call [New] first; its result goes to
// console.Config.
//
//	/console/brand ─▶ form, with a preview of what was typed (GET) ─▶ saved (POST)
//	           ├────▶ logo: sent, decoded and encoded again, removed
//	           ├────▶ example: a public page as people will see it
//	           └────▶ remove: everything
//
// The preview is drawn by the gateway with the values that package brand accepts; a script
// fetches it while a person types.
package branddesk
