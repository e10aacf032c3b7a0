package sandbox

// Stats returns the largest number of children and the number that work now.
func (p *Pool) Stats() (size, busy int) { return p.cfg.Size, p.cfg.Size - len(p.slots) }
