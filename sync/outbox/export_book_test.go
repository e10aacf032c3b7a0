package outbox

// FarRecord returns a whole record of s under key, with a number that the book does not assign.
func FarRecord(key string, s *Scan) []byte {
	row := *s
	row.ScanID = "00000009-0190-7000-8000-000000000009"
	row.Seq, _ = numberOf(keyScan, key)
	return encodeEntry(key, &Entry{Scan: row, Digest: row.item().Digest(), State: Queued})
}

// MadeUp returns a whole record of s under the number seq, whatever s contains.
func MadeUp(seq uint64, s *Scan) (key string, record []byte) {
	row := *s
	row.Seq, key = seq, scanKey(seq)
	return key, encodeEntry(key, &Entry{Scan: row, Digest: row.item().Digest(), State: Queued})
}

// MadeUpEvent returns a whole record of e under the number n, whatever e contains.
func MadeUpEvent(n int, e ClockEvent) (key string, record []byte) {
	return eventKey(n), encodeEvent(eventKey(n), &e)
}

// FarReceipt returns a whole record of a receipt under key.
func FarReceipt(key string) []byte {
	return encodeReceipt(key, &ReceiptRow{BatchID: "far", Note: "far"})
}

// FarRepair returns a whole record of a repair under key.
func FarRepair(key string) []byte {
	p := repaired{Repair: Repair{Reason: "far"}}
	return p.encode(key)
}

// FarFacts returns the record of the last number.
func FarFacts(last uint64) []byte { return facts{last: last}.encode() }
