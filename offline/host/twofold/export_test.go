package twofold

// SetBatch sets the bytes of a commit while a copy is rebuilt.
func SetBatch(n int) { batch = n }
