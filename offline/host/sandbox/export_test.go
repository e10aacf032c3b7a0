package sandbox

var (
	ReadFrame  = readFrame
	WriteFrame = writeFrame
)
