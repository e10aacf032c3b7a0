package door

import (
	"context"
	"encoding/json"
	"time"
	"unicode/utf8"

	"tcode/offline"
)

const (
	maxDeviceName = 64       // characters
	maxPage       = 16 << 10 // bytes of the page's own settings
)

// Settings are what a person chose, as they are stored.
type Settings struct {
	Language     string          `json:"language"`     // BCP 47
	FreshMs      int64           `json:"freshMs"`      // age up to which trust documents are fresh
	HardExpiryMs int64           `json:"hardExpiryMs"` // age from which they say nothing any more
	AcceptTest   bool            `json:"acceptTest"`
	DeviceName   string          `json:"deviceName"`
	Page         json.RawMessage `json:"page,omitempty"` // of the page alone
}

// loadSettings reads the stored settings; what does not read is the default.
func loadSettings(raw []byte, language string) Settings {
	var s Settings
	if json.Unmarshal(raw, &s) != nil || s.check() != nil {
		s = Settings{}
	}
	if s.FreshMs == 0 {
		s.FreshMs = offline.DefaultFresh.Milliseconds()
	}
	if s.HardExpiryMs == 0 {
		s.HardExpiryMs = offline.DefaultHardExpiry.Milliseconds()
	}
	if language != "" {
		s.Language = language
	}
	return s
}

// check refuses settings that would make answers greener than the rules allow.
func (s Settings) check() error {
	switch {
	case s.FreshMs < 0 || s.FreshMs > offline.DefaultFresh.Milliseconds():
		return &Failure{Code: "request", Message: "freshMs is at most 24 hours"}
	case s.HardExpiryMs < 0 || s.HardExpiryMs > offline.DefaultHardExpiry.Milliseconds():
		return &Failure{Code: "request", Message: "hardExpiryMs is at most 7 days"}
	case utf8.RuneCountInString(s.DeviceName) > maxDeviceName:
		return &Failure{Code: "request", Message: "a device name has at most 64 characters"}
	case len(s.Page) > maxPage:
		return &Failure{Code: "request", Message: "settings of the page have at most 16 KiB"}
	case len(s.Language) > 35: // RFC 5646, section 4.4.1
		return &Failure{Code: "request", Message: "no language tag is that long"}
	}
	return nil
}

func (s Settings) policy() offline.Policy {
	return offline.Policy{
		Fresh: time.Duration(s.FreshMs) * time.Millisecond, HardExpiry: time.Duration(s.HardExpiryMs) * time.Millisecond,
		AcceptTest: s.AcceptTest, Language: s.Language,
	}
}

// current returns the settings as they are now.
func (p *phone) current() Settings {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.settings
}

// change stores the settings with the members of set replaced.
func (p *phone) change(ctx context.Context, set json.RawMessage) (Settings, error) {
	p.setting.Lock() // one change after the other, or one is lost
	defer p.setting.Unlock()
	s := p.current()
	if len(set) > 0 {
		if err := json.Unmarshal(set, &s); err != nil {
			return s, &Failure{Code: "request", Message: err.Error()}
		}
	}
	if err := s.check(); err != nil {
		return s, err
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return s, err
	}
	if err := p.notes.SetSettings(ctx, raw); err != nil {
		return s, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settings = s
	p.engine.SetPolicy(s.policy())
	return s, nil
}
