// Package oversight has the screens that show what happened and how much: the audit log, and
// the plan with its use. Call [New] first; its result goes to console.Config.
//
//	/console/audit, /console/audit.csv   tenant's log: filters in the address, pages, export
//	/console/plan                        quotas and use by month and by day
//	/console/operator/audit              the log of every tenant, for operators
package oversight
