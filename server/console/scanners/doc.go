// Package scanners has the screens of devices: which ones scanned stamps of the tenant, how
// old their data was, whether their clocks are right, and what is wrong. Call [New] first;
// its result goes to console.Config.
//
//	/console/scanners            list by freshness and findings ─▶ one: name, refuse, accept
//	/console/scanners/enrolment  a sheet to print, with the codes that enrol a device
//
// Names and refusals are the tenant's own: see verify.TenantDevice.
package scanners
