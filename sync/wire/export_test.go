package wire

// AppendAnswersForTest writes a list in the form of FORMAT.md section 5.
func AppendAnswersForTest(list []byte, scannerID string, answers []Answered) []byte {
	list = append(list, resultsDomain...)
	list = appendString(list, scannerID)
	for _, a := range answers {
		list = appendString(list, a.ScanID)
		list = append(list, a.Digest[:]...)
		for _, word := range []string{string(a.Result), a.Code, a.Verdict, a.VerdictAtScan} {
			list = appendString(list, word)
		}
	}
	return list
}

// SignedMessage returns the bytes that a device signs.
func SignedMessage(b Batch) []byte { return b.signedMessage() }
