package sandbox

// memory is the resident memory of a process, in bytes.
type memory struct {
	own   uint64 // only this process has it
	files uint64 // pages of files, most of them of the program: all processes of the program share them
}

func (m memory) resident() uint64 { return m.own + m.files }
