package sandbox

// Stats returns how many children there may be and how many are at work now.
func (p *Pool) Stats() (size, busy int) { return p.cfg.Size, p.cfg.Size - len(p.slots) }
