package wire

// AppendAnswersForTest writes a list as FORMAT.md section 5 says.
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

// SignedMessage is what a device signs.
func SignedMessage(b Batch) []byte { return b.signedMessage() }
