package httpapi

import (
	"maps"
	"slices"

	"tcode/server/httpapi/api"
	"tcode/server/issue/bulk"
)

// bulkPaths maps a product to the beginning of the paths of its jobs.
var bulkPaths = map[bulk.Product]string{bulk.TCode: "/v1/tcode/bulk-jobs/", bulk.Trust: "/v1/trust/bulk-jobs/"}

func bulkPath(j bulk.Job) string { return bulkPaths[j.Product] + j.ID }

// bulkRecord returns a job as the contract shows it.
func bulkRecord(j bulk.Job) api.BulkJob {
	return api.BulkJob{
		Id: mustUUID(j.ID), Product: api.BulkJobProduct(j.Product), Status: api.BulkJobStatus(j.Status), DryRun: j.DryRun, Test: j.Test,
		Settings: settingsRecord(j.Order), Counts: countsRecord(j), Message: optional(j.Message), CreatedBy: j.By,
		ScheduledFor: optionalTime(j.ScheduledFor), CreatedAt: wholeMillis(j.CreatedAt), StartedAt: optionalTime(j.StartedAt),
		FinishedAt: optionalTime(j.FinishedAt), UpdatedAt: wholeMillis(j.UpdatedAt),
	}
}

// bulkDetailRecord returns a job with the columns and problems of its files.
func bulkDetailRecord(j bulk.Job) api.BulkJobDetail {
	b := bulkRecord(j)
	out := api.BulkJobDetail{
		Id: b.Id, Product: api.BulkJobDetailProduct(b.Product), Status: b.Status, DryRun: b.DryRun, Test: b.Test, Settings: b.Settings, Counts: b.Counts,
		Message: b.Message, CreatedBy: b.CreatedBy, ScheduledFor: b.ScheduledFor, CreatedAt: b.CreatedAt, StartedAt: b.StartedAt,
		FinishedAt: b.FinishedAt, UpdatedAt: b.UpdatedAt,
		Columns:  append([]string{}, j.Columns...),
		Problems: make([]api.BulkProblem, 0, len(j.Problems)), MoreProblems: int32(j.MoreProblems), Unmatched: unmatchedRecord(j.Unmatched),
		Csv: api.BulkFile{Sha256: j.CSV.SHA256, SizeBytes: max(0, j.CSV.Bytes)}, Zip: api.BulkFile{Sha256: j.ZIP.SHA256, SizeBytes: max(0, j.ZIP.Bytes)},
	}
	for _, p := range j.Problems {
		out.Problems = append(out.Problems, api.BulkProblem{Line: int32(p.Line), Column: optional(p.Column), Message: p.Message})
	}
	return out
}

func unmatchedRecord(u bulk.Unmatched) api.BulkUnmatched {
	out := api.BulkUnmatched{
		Rows: make([]api.BulkUnmatchedRow, 0, len(u.Rows)), Files: make([]api.BulkUnmatchedFile, 0, len(u.Files)),
		MoreRows: int32(u.MoreRows), MoreFiles: int32(u.MoreFiles),
	}
	for _, r := range u.Rows {
		out.Rows = append(out.Rows, api.BulkUnmatchedRow{Line: int32(r.Line), FileName: r.Name, Nearest: optional(r.Nearest)})
	}
	for _, f := range u.Files {
		out.Files = append(out.Files, api.BulkUnmatchedFile{FileName: f.Name, Nearest: optional(f.Nearest)})
	}
	return out
}

func settingsRecord(o bulk.Order) api.BulkSettings {
	return api.BulkSettings{
		TdocTemplateId: optionalUUID(o.TdocTemplateID), PlacementTemplateId: optionalUUID(o.PlacementTemplateID), TemplateId: optionalUUID(o.TemplateID),
		IssuancePath: optional(api.BulkSettingsIssuancePath(o.Path)), ValidityType: optional(api.BulkSettingsValidityType(o.Validity.Type)),
		ValidityValue: optional(int32(o.Validity.Value)), ValidityUnit: optional(api.BulkSettingsValidityUnit(o.Validity.Unit)),
		ValidUntil: optionalTime(o.Validity.Until),
	}
}

func countsRecord(j bulk.Job) api.BulkCounts {
	c := j.Counts
	out := api.BulkCounts{
		Total: int32(c.Total), Processed: int32(c.Processed()), Succeeded: int32(c.Succeeded), Failed: int32(c.Failed), Skipped: int32(c.Skipped),
	}
	if !j.Status.Over() { // a job that is over has no pending rows, processed or not
		out.Pending = int32(c.Pending())
	}
	return out
}

func progressRecord(p bulk.Progress) api.BulkProgress {
	out := api.BulkProgress{
		Status: api.BulkJobStatus(p.Status), Total: int32(p.Counts.Total), Processed: int32(p.Counts.Processed()),
		Succeeded: int32(p.Counts.Succeeded), Failed: int32(p.Counts.Failed), Skipped: int32(p.Counts.Skipped),
		Percent: p.Percent, StartedAt: optionalTime(p.StartedAt), FinishedAt: optionalTime(p.FinishedAt),
	}
	if p.ETA >= 0 {
		seconds := int64(p.ETA.Seconds())
		out.EtaSeconds = &seconds
	}
	return out
}

func bulkRowRecord(row bulk.Row) api.BulkRow {
	out := api.BulkRow{
		Number: int32(row.Number), Line: int32(row.Line), State: api.BulkRowState(row.State), FileName: optional(row.File),
		Cells: make([]api.BulkCell, 0, len(row.Cells)), Id: optionalUUID(row.Made.ID), Reference: optional(row.Made.Reference),
		Code: optional(row.Code), Message: optional(row.Message), Warnings: append([]string{}, row.Warnings...), UpdatedAt: wholeMillis(row.UpdatedAt),
	}
	for _, name := range slices.Sorted(maps.Keys(row.Cells)) {
		out.Cells = append(out.Cells, api.BulkCell{Column: name, Value: row.Cells[name]})
	}
	return out
}
