package httpapi

import (
	"maps"
	"slices"

	"tcode/server/issue/bulk"
)

// bulkPaths is what the address of a job begins with.
var bulkPaths = map[bulk.Product]string{bulk.TCode: "/v1/tcode/bulk-jobs/", bulk.Trust: "/v1/trust/bulk-jobs/"}

func bulkPath(j bulk.Job) string { return bulkPaths[j.Product] + j.ID }

// bulkRecord is a job as the contract shows it.
func bulkRecord(j bulk.Job) BulkJob {
	return BulkJob{
		Id: mustUUID(j.ID), Product: BulkJobProduct(j.Product), Status: BulkJobStatus(j.Status), DryRun: j.DryRun, Test: j.Test,
		Settings: settingsRecord(j.Order), Counts: countsRecord(j), Message: optional(j.Message), CreatedBy: j.By,
		ScheduledFor: optionalTime(j.ScheduledFor), CreatedAt: wholeMillis(j.CreatedAt), StartedAt: optionalTime(j.StartedAt),
		FinishedAt: optionalTime(j.FinishedAt), UpdatedAt: wholeMillis(j.UpdatedAt),
	}
}

// bulkDetailRecord is a job with what was found in its files.
func bulkDetailRecord(j bulk.Job) BulkJobDetail {
	b := bulkRecord(j)
	out := BulkJobDetail{
		Id: b.Id, Product: BulkJobDetailProduct(b.Product), Status: b.Status, DryRun: b.DryRun, Test: b.Test, Settings: b.Settings, Counts: b.Counts,
		Message: b.Message, CreatedBy: b.CreatedBy, ScheduledFor: b.ScheduledFor, CreatedAt: b.CreatedAt, StartedAt: b.StartedAt,
		FinishedAt: b.FinishedAt, UpdatedAt: b.UpdatedAt,
		Columns: append([]string{}, j.Columns...), Warnings: append([]string{}, j.Warnings...),
		Problems: make([]BulkProblem, 0, len(j.Problems)), MoreProblems: int32(j.MoreProblems),
		Csv: BulkFile{Sha256: j.CSV.SHA256, SizeBytes: j.CSV.Bytes}, Zip: BulkFile{Sha256: j.ZIP.SHA256, SizeBytes: j.ZIP.Bytes},
	}
	for _, p := range j.Problems {
		out.Problems = append(out.Problems, BulkProblem{Line: int32(p.Line), Column: optional(p.Column), Message: p.Message})
	}
	return out
}

func settingsRecord(o bulk.Order) BulkSettings {
	return BulkSettings{
		TdocTemplateId: optionalUUID(o.TdocTemplateID), PlacementTemplateId: optionalUUID(o.PlacementTemplateID), TemplateId: optionalUUID(o.TemplateID),
		IssuancePath: optional(BulkSettingsIssuancePath(o.Path)), ValidityType: optional(BulkSettingsValidityType(o.Validity.Type)),
		ValidityValue: optional(int32(o.Validity.Value)), ValidityUnit: optional(BulkSettingsValidityUnit(o.Validity.Unit)),
		ValidUntil: optionalTime(o.Validity.Until),
	}
}

func countsRecord(j bulk.Job) BulkCounts {
	c := j.Counts
	out := BulkCounts{
		Total: int32(c.Total), Processed: int32(c.Processed()), Succeeded: int32(c.Succeeded), Failed: int32(c.Failed), Skipped: int32(c.Skipped),
	}
	if !j.Status.Over() { // else nothing waits, whether rows were made or not
		out.Pending = int32(c.Pending())
	}
	return out
}

func progressRecord(p bulk.Progress) BulkProgress {
	out := BulkProgress{
		Status: BulkJobStatus(p.Status), Total: int32(p.Counts.Total), Processed: int32(p.Counts.Processed()),
		Succeeded: int32(p.Counts.Succeeded), Failed: int32(p.Counts.Failed), Skipped: int32(p.Counts.Skipped),
		Percent: p.Percent, StartedAt: optionalTime(p.StartedAt), FinishedAt: optionalTime(p.FinishedAt),
	}
	if p.ETA >= 0 {
		seconds := int64(p.ETA.Seconds())
		out.EtaSeconds = &seconds
	}
	return out
}

func bulkRowRecord(row bulk.Row) BulkRow {
	out := BulkRow{
		Number: int32(row.Number), Line: int32(row.Line), State: BulkRowState(row.State), FileName: optional(row.File),
		Cells: make([]BulkCell, 0, len(row.Cells)), Id: optionalUUID(row.Made.ID), Reference: optional(row.Made.Reference),
		Code: optional(row.Code), Message: optional(row.Message), UpdatedAt: wholeMillis(row.UpdatedAt),
	}
	for _, name := range slices.Sorted(maps.Keys(row.Cells)) {
		out.Cells = append(out.Cells, BulkCell{Column: name, Value: row.Cells[name]})
	}
	return out
}
