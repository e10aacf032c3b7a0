package outbox

import "time"

// CodeKeyLost is the code of a dead scan that a lost device key may have sent already.
const CodeKeyLost = "key_lost"

// rebind is the rule of [Book.Rebind]. The numbers go on: a number means one scan in the history of a person, and the gateway compares
// those of one key alone, so higher ones never look like a copy of the device. Numbers from 1 on would do so if the lost key came back.
func rebind(r *bookRows, scannerID string) error {
	if have, err := r.scannerID(); err != nil || have == scannerID {
		return err
	}
	if err := r.setScannerID(scannerID); err != nil {
		return err
	}
	tried, err := r.inflight()
	if err != nil {
		return err
	}
	waiting, err := r.waiting()
	if err != nil {
		return err
	}
	for _, e := range waiting {
		if e.Attempts > 0 {
			tried = append(tried, e)
		}
	}
	for _, e := range tried {
		if e.State, err = e.State.Next(Orphaned); err != nil {
			return err
		}
		e.NextAt, e.LeaseUntil, e.Code = time.Time{}, time.Time{}, CodeKeyLost
		e.Message = "the device key was lost after a try to send this scan: the gateway may have it from the device before"
		if err := r.save(e); err != nil {
			return err
		}
	}
	return nil
}
