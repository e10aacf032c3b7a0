package sandbox

// Replaced returns the number of children that a pool ended after an error of a task, or that died, since its start.
func (p *Pool) Replaced() uint64 { return p.replaced.Load() }

// Stats returns the largest number of children and the number that work now.
func (p *Pool) Stats() (size, busy int) { return p.cfg.Size, p.cfg.Size - len(p.slots) }
