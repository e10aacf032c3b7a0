package transporttest

import "fmt"

// CutModes are the ways in which [Cut] cuts an answer: after fewer bytes than its length, between and in chunks, without any length, and
// each kind of gzip. With close and gzip the connection itself is in order, so the transport may see no fault.
var CutModes = []string{"length", "chunk", "chunk-middle", "close", "gzip", "gzip-length", "gzip-chunk"}

// CutPath returns the begin of a path at which [Cut] cuts the answer of that number, from 1, of those with this begin, after
// percent of its bytes. key tells the runs of a test from one another.
func CutPath(key, mode string, number, percent int) string {
	return fmt.Sprintf("/cut/%s/%s/%d/%d", key, mode, number, percent)
}
