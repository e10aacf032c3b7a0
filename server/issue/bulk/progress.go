package bulk

import "time"

// Progress holds the progress of a job.
type Progress struct {
	Status     Status
	Counts     Counts
	Percent    float64       // of the rows, 0 to 100
	ETA        time.Duration // time for the rest at the present rate; negative: not known
	Rate       float64       // rows a second since the start; 0: not known
	StartedAt  time.Time     // zero: not yet
	FinishedAt time.Time     // zero: not yet
}

// Progress returns how far the job is at now.
func (j Job) Progress(now time.Time) Progress {
	p := Progress{Status: j.Status, Counts: j.Counts, ETA: -1, StartedAt: j.StartedAt, FinishedAt: j.FinishedAt}
	if j.Counts.Total > 0 {
		p.Percent = 100 * float64(j.Counts.Processed()) / float64(j.Counts.Total)
	}
	end := now
	if !j.FinishedAt.IsZero() {
		end = j.FinishedAt
	}
	done, elapsed := j.Counts.Succeeded+j.Counts.Failed, end.Sub(j.StartedAt)
	if done > 0 && !j.StartedAt.IsZero() && elapsed > 0 {
		p.Rate = float64(done) / elapsed.Seconds()
	}
	if j.Status.Over() {
		p.ETA = 0
		if j.Status == Completed {
			p.Percent = 100 // of a dry run too
		}
		return p
	}
	if p.Rate > 0 {
		p.ETA = time.Duration(float64(elapsed) / float64(done) * float64(j.Counts.Pending())).Round(time.Second)
	}
	return p
}
