package brand_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tcode/server/brand"
	"tcode/server/fault"
	"tcode/server/store/storetest"
)

// TestChange: a brand is stored on both engines with an audit entry, what it lacks stays,
// and each bad member is refused by its name.
func TestChange(t *testing.T) {
	t.Parallel()
	logo, err := brand.NewLogo(picture(t, "png", 64, 32))
	if err != nil {
		t.Fatal(err)
	}
	want := brand.Brand{Colour: "#7a1f3d", Web: "https://acme.example", Email: "registry@acme.example", Phone: "+49 30 123-456", Names: true, Logo: logo}
	storetest.EachEngine(t, func(t *testing.T, e storetest.Engine) {
		b := storetest.NewOn(t, e)
		b.Tenant(t, "Tenant ACME01", "ACME01")
		b.Tenant(t, "Tenant SPY001", "SPY001")
		s := brand.New(b.DB, nil)
		if got, err := s.Brand(t.Context(), "ACME01"); err != nil || got.Logo.SHA256 != "" || got.Colour != "" {
			t.Errorf("before: %+v, %v", got, err)
		}
		if _, err := s.Change(t.Context(), "acme01", func(x *brand.Brand) { *x = want }); err != nil {
			t.Fatal(err)
		}
		got, err := s.Change(t.Context(), "ACME01", func(x *brand.Brand) { x.Phone = "" })
		if err != nil || got.Phone != "" || got.Web != want.Web || got.Logo.SHA256 != logo.SHA256 || !got.Names {
			t.Errorf("after a change of one member: %+v, %v", got, err)
		}
		kept, err := s.Logo(t.Context(), "ACME01", logo.SHA256)
		if err != nil || !bytes.Equal(kept.Data, logo.Data) || kept.Type != "image/png" || kept.Width != 64 || kept.Height != 32 {
			t.Errorf("logo: %d bytes, %v", len(kept.Data), err)
		}
		for _, x := range [][2]string{{"SPY001", logo.SHA256}, {"ACME01", strings.Repeat("0", 64)}, {"NOBODY", logo.SHA256}} {
			if _, err := s.Logo(t.Context(), x[0], x[1]); !fault.Is(err, fault.NotFound) {
				t.Errorf("logo %v: %v", x, err)
			}
		}
		if _, err := s.Change(t.Context(), "NOBODY", func(*brand.Brand) {}); !fault.Is(err, fault.NotFound) {
			t.Errorf("no tenant: %v", err)
		}
		_, err = s.Change(t.Context(), "ACME01", func(x *brand.Brand) {
			*x = brand.Brand{Colour: "blue", Web: "http://acme.example", Email: "Acme <a@acme.example>", Phone: "call us"}
		})
		if names := slices.Sorted(maps.Keys(fault.As(err).Fields)); !slices.Equal(names, []string{"colour", "email", "phone", "web"}) {
			t.Errorf("bad members %q, %v", names, err)
		}
		if again, _ := s.Brand(t.Context(), "ACME01"); again.Colour != want.Colour {
			t.Errorf("a refused change was stored: %+v", again)
		}
	})
}

// TestColours: no brand has a colour of verdicts.
func TestColours(t *testing.T) {
	t.Parallel()
	b := storetest.New(t)
	b.Tenant(t, "Tenant ACME01", "ACME01")
	s := brand.New(b.DB, nil)
	for colour, good := range map[string]bool{
		"#3440a8": true, "#7a1f3d": true, "#000000": true, "#ffffff": true, "#8a8a8a": true, "#00a0b0": true, "#800080": true,
		"#a80f19": false, "#ff0000": false, "#0a6132": false, "#00ff00": false, "#ffc233": false, "#ff8800": false, "#ffff00": false, "#556b2f": false,
	} {
		_, err := s.Change(t.Context(), "ACME01", func(x *brand.Brand) { x.Colour = colour })
		if (err == nil) != good {
			t.Errorf("%s: %v", colour, err)
		}
	}
}

func TestContrast(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want string // to two digits
	}{
		{"#000000", "#ffffff", "21.00"},
		{"#ffffff", "#000000", "21.00"},
		{"#777777", "#ffffff", "4.48"},
		{"#3440a8", "#3440a8", "1.00"},
		{"#0000ff", "#ffffff", "8.59"},
		{"", "#ffffff", "0.00"},
		{"#fff", "#ffffff", "0.00"},
	} {
		if got := fmt.Sprintf("%.2f", brand.Contrast(tt.a, tt.b)); got != tt.want {
			t.Errorf("%s on %s: %s, want %s", tt.a, tt.b, got, tt.want)
		}
	}
}

// TestLogo: a picture is encoded again, so that nothing that stands behind or inside of it
// is served, and others are refused.
func TestLogo(t *testing.T) {
	t.Parallel()
	const hidden = "<script>alert(1)</script>"
	for _, kind := range []string{"png", "jpeg"} {
		logo, err := brand.NewLogo(append(picture(t, kind, 512, 512), hidden...))
		if err != nil || logo.Type != "image/"+kind || bytes.Contains(logo.Data, []byte(hidden)) {
			t.Errorf("%s: %s of %d bytes, %v", kind, logo.Type, len(logo.Data), err)
		}
	}
	var animated bytes.Buffer
	if err := gif.Encode(&animated, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string][]byte{
		"empty": nil, "SVG": []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), "GIF": animated.Bytes(), "wide": picture(t, "png", 513, 8),
		"cut": picture(t, "png", 64, 64)[:80], "noise": noise(t), "huge": bytes.Repeat([]byte{0}, brand.MaxUpload+1),
	} {
		if _, err := brand.NewLogo(file); fault.As(err).Fields["logo"] == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzLogo: no file makes the program panic, and what is taken is a small picture.
func FuzzLogo(f *testing.F) {
	f.Add(picture(f, "png", 4, 4))
	f.Add(picture(f, "jpeg", 4, 4))
	f.Fuzz(func(t *testing.T, file []byte) {
		logo, err := brand.NewLogo(file)
		if err != nil {
			return
		}
		config, _, err := image.DecodeConfig(bytes.NewReader(logo.Data))
		if err != nil || config.Width != logo.Width || config.Height != logo.Height || logo.Width > brand.MaxSide || len(logo.Data) > brand.MaxLogo {
			t.Errorf("%d x %d, %d bytes: %v", logo.Width, logo.Height, len(logo.Data), err)
		}
	})
}

func picture(t testing.TB, kind string, width, height int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = byte(i / 64)
	}
	return encoded(t, kind, m)
}

// noise is a picture that cannot be made small.
func noise(t testing.TB) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 256, 256))
	random := rand.New(rand.NewPCG(1, 2))
	for y := range 256 {
		for x := range 256 {
			m.Set(x, y, color.RGBA{byte(random.Uint32()), byte(random.Uint32()), byte(random.Uint32()), 255})
		}
	}
	return encoded(t, "png", m)
}

func encoded(t testing.TB, kind string, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	err := png.Encode(&out, m)
	if kind == "jpeg" {
		out.Reset()
		err = jpeg.Encode(&out, m, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
