package intake_test

import (
	"testing"

	"tcode/server/issue/bulk/intake"
)

// unclear stands for a cell that may have several values.
const unclear = "?"

func TestDate(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"2027-12-31": "2027-12-31", "2027-12-31 00:00:00": "2027-12-31", "2027-12-31T00:00:00": "2027-12-31", "31.12.2027": "2027-12-31",
		"1.2.2027": "2027-02-01", "01. 02. 2027": "2027-02-01", "31.12.2027 00:00": "2027-12-31", "2027/12/31": "2027-12-31", "2027/1/2": "2027-01-02", "2027.1.2": "2027-01-02",
		"12/31/2027": unclear, "31/12/2027": unclear, "1/2/2027 12:00:00 AM": unclear, "31-12-2027": unclear, "31.12.27": unclear, "12.31.2027": "12.31.2027", "46752": unclear, "46752,0": unclear,
		"": "", "soon": "soon", "2027-12-31 08:00:00": "2027-12-31 08:00:00", "2027-12-31T12:00:00Z": "2027-12-31T12:00:00Z", "31.2.2027": "31.2.2027", "2027": "2027", "2027-02-30": "2027-02-30",
	} {
		got, why := intake.Date(in)
		if why != nil {
			if got != in {
				t.Errorf("%q became %q", in, got)
			}
			got = unclear
		}
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"12.5": "12.5", "-12.50": "-12.50", "1e3": "1e3", "1.234": "1.234", "12,5": "12.5", "-0,125": "-0.125", "1234,567": "1234.567", "1.234,56": "1234.56", "1,234.56": "1234.56",
		"1.234.567": "1234567", "1,234,567": "1234567", "1 234,5": "1234.5", "1\u00a0234": "1234", "1\u202f234.5": "1234.5", "12'345.60": "12345.60", "1’234": "1234", "\u22125": "-5",
		"1,234": unclear, "-999,000": unclear,
		"": "", "good": "good", "1,2,3": "1,2,3", "12 34": "12 34", "1.23.456": "1.23.456", "1,5 %": "1,5 %",
	} {
		got, why := intake.Number(in)
		if why != nil {
			got = unclear
		}
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if _, why := intake.Number("1,234"); why == nil || why.Error() != "may be 1234 or 1.234; write the one that is meant" {
		t.Error(why)
	}
}

func TestTruth(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"true": "yes", "TRUE": "yes", "Wahr": "yes", "VRAI": "yes", "si\u0301": "yes", "نعم": "yes", "1": "yes",
		"FALSCH": "no", "nein": "no", "Faux": "no", "0": "no", "لا": "no", "maybe": "", "": "", "x": "",
	} {
		value, ok := intake.Truth(in)
		if got := map[[2]bool]string{{true, true}: "yes", {false, true}: "no"}[[2]bool{value, ok}]; got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	names := intake.NewNames([]string{"out/Müller, Anna.pdf", "Meier.pdf", "letter 17.pdf", "b.pdf"})
	for in, want := range map[string]string{
		"Mueller, Anna.pdf": "out/Müller, Anna.pdf", "anna muller": "out/Müller, Anna.pdf", "Maier.pdf": "Meier.pdf", "letter-17.pdf": "letter 17.pdf", "a.pdf": "", "": "", "zzz": "",
	} {
		if got := names.Nearest(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
