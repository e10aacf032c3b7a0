package outbox

// FarRecord returns a whole record of s under key, with a number that the book does not assign.
func FarRecord(key string, s *Scan) []byte {
	row := *s
	row.ScanID = "00000009-0190-7000-8000-000000000009"
	row.Seq, _ = numberOf(keyScan, key)
	return encodeEntry(key, &Entry{Scan: row, Digest: row.item().Digest(), State: Queued})
}

// FarFacts returns the record of the last number.
func FarFacts(last uint64) []byte { return facts{last: last}.encode() }
