// Package placement holds placement templates: where on a page the symbol goes,
// on which pages, how large, and what is drawn with it.
//
//	Spec ─▶ Check ─▶ Template (version 1) ── Update ──▶ version 2, 3, ...  ── Delete ──▶ hidden
//	                     │                                                                    │
//	                     └──────────────── stamps made with it name it permanently ◀──────────┘
//
// A template is data: package pdfstamp knows the geometry, and the gateway
// hands it over. What a template leaves out is the default
// that applies when there is no template at all.
package placement

import "time"

// Limits on a template, in characters.
const (
	MaxName        = 200
	MaxDescription = 500
	MaxCustomPages = 200
	MaxCaption     = 200
)

// An Anchor is one of the nine points of a page or box. The words stand in the
// API and in the database.
type Anchor string

// The nine anchors.
const (
	TopLeft     Anchor = "top-left"
	Top         Anchor = "top"
	TopRight    Anchor = "top-right"
	Left        Anchor = "left"
	Center      Anchor = "center"
	Right       Anchor = "right"
	BottomLeft  Anchor = "bottom-left"
	Bottom      Anchor = "bottom"
	BottomRight Anchor = "bottom-right"
)

// Anchors are all nine, in reading order.
func Anchors() []Anchor {
	return []Anchor{TopLeft, Top, TopRight, Left, Center, Right, BottomLeft, Bottom, BottomRight}
}

// A Scope says which pages carry the symbol.
type Scope string

// The scopes. ScopeCustom takes its pages from Spec.CustomPages.
const (
	ScopeFirst  Scope = "first"
	ScopeLast   Scope = "last"
	ScopeAll    Scope = "all"
	ScopeOdd    Scope = "odd"
	ScopeEven   Scope = "even"
	ScopeCustom Scope = "custom"
)

// Scopes are all there are.
func Scopes() []Scope {
	return []Scope{ScopeFirst, ScopeLast, ScopeAll, ScopeOdd, ScopeEven, ScopeCustom}
}

// A Spec is what a template says. Members that are nil or empty were left out.
// The JSON form is how the store keeps it.
//
// Fractions are of the visible page (its CropBox, turned as it is shown),
// origin at the top left. With a page size, WNorm and HNorm are fractions of
// that page instead: the symbol then has the size in mm that it was designed
// with, whatever page it comes to lie on.
type Spec struct {
	Name        string `json:"-"`
	Description string `json:"-"`

	XNorm       *float64    `json:"xNorm,omitempty"` // where the box's anchor point lies; both or none
	YNorm       *float64    `json:"yNorm,omitempty"`
	WNorm       *float64    `json:"wNorm,omitempty"` // bounds of the box with quiet zone
	HNorm       *float64    `json:"hNorm,omitempty"`
	Anchor      Anchor      `json:"anchor,omitempty"`
	PageScope   Scope       `json:"pageScope,omitempty"`
	CustomPages string      `json:"customPages,omitempty"`
	Rotation    *int        `json:"rotation,omitempty"` // degrees clockwise: 0, 90, 180, 270
	PageSizeMM  *Size       `json:"pageSizeMm,omitempty"`
	SafeMargins *Margins    `json:"safeMargins,omitempty"`
	WhiteBox    *WhiteBox   `json:"whiteBox,omitempty"`
	Caption     *Caption    `json:"caption,omitempty"`
	ScanSafety  *ScanSafety `json:"scanSafety,omitempty"`
}

// A Size is a page's, in mm as it is shown.
type Size struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Margins are distances from the edges of the visible page, in mm.
type Margins struct {
	Top    float64 `json:"top"`
	Right  float64 `json:"right"`
	Bottom float64 `json:"bottom"`
	Left   float64 `json:"left"`
}

// A WhiteBox is the ground under the symbol.
type WhiteBox struct {
	Enabled   bool    `json:"enabled"`
	PaddingMM float64 `json:"paddingMm"` // beyond the quiet zone
	Opacity   float64 `json:"opacity"`   // 0 to 1
}

// A Caption is text beside the symbol.
type Caption struct {
	Enabled       bool            `json:"enabled"`
	Text          string          `json:"text,omitempty"`
	Position      CaptionPosition `json:"position"`
	FontSizePt    float64         `json:"fontSizePt"`
	ShowReference bool            `json:"showReference"`
}

// A CaptionPosition is a side of the box.
type CaptionPosition string

// The sides a caption may stand at.
const (
	Above   CaptionPosition = "above"
	Below   CaptionPosition = "below"
	LeftOf  CaptionPosition = "left"
	RightOf CaptionPosition = "right"
)

// ScanSafety is what must hold for the symbol to be readable.
type ScanSafety struct {
	MinModuleMM      *float64  `json:"minModuleMm,omitempty"`
	QuietZoneModules float64   `json:"quietZoneModules"`
	Collision        Collision `json:"collision"`
	TargetDPI        int       `json:"targetDpi"`
	Rendering        Rendering `json:"rendering,omitempty"` // empty: as in DefaultScanSafety
}

// A Collision policy says what happens where the page is not empty.
type Collision string

// The policies.
const (
	CollisionAllow    Collision = "allow"
	CollisionWarn     Collision = "warn"
	CollisionReject   Collision = "reject"
	CollisionRelocate Collision = "relocate"
)

// A Rendering policy says what happens to a document that two engines draw
// differently. A page that looks different once it is stamped is always refused.
type Rendering string

// The policies.
const (
	RenderingReject Rendering = "reject" // refuse it, also where not all pages could be compared
	RenderingWarn   Rendering = "warn"   // stamp it and say so
	RenderingOff    Rendering = "off"    // do not compare: no stamp says that its document is plain
)

// The parts as they are where a member of them is left out.
var (
	DefaultMargins    = Margins{Top: 10, Right: 10, Bottom: 10, Left: 10}
	DefaultWhiteBox   = WhiteBox{Enabled: true, Opacity: 1}
	DefaultCaption    = Caption{Enabled: true, Position: Below, FontSizePt: 7, ShowReference: true}
	DefaultScanSafety = ScanSafety{QuietZoneModules: 2, Collision: CollisionWarn, TargetDPI: 300, Rendering: RenderingWarn}
)

// A Template is a stored [Spec].
type Template struct {
	Spec

	ID        string // UUIDv7
	Tenant    string
	Version   int64 // from 1, one more with each update
	Hidden    bool  // deleted: it is found only by the stamps that name it
	CreatedAt time.Time
	UpdatedAt time.Time
}
