package httpapi

import "tcode/server/issue/stamp"

// gradeRecord is a grade as the contract shows it; nil where there is none.
func gradeRecord(g *stamp.Grade) *TCodeGrade {
	if g == nil {
		return nil
	}
	out := &TCodeGrade{
		Letter: TCodeGradeLetter(g.Letter), Meaning: g.Letter.Meaning(), ModuleMm: g.ModuleMM,
		QuietZoneModules: g.QuietModules, InkPercent: g.InkPercent, ContrastPercent: g.Contrast, SparePercent: g.Spare,
		TargetDpi: int32(g.TargetDPI), ProvedPages: pageList(g.Proved), Checks: make([]TCodeGradeCheck, 0, len(g.Checks)),
	}
	if g.ReadsAtDPI > 0 {
		dpi := int32(g.ReadsAtDPI)
		out.ReadsAtDpi = &dpi
	}
	for _, c := range g.Checks {
		out.Checks = append(out.Checks, TCodeGradeCheck{Name: TCodeGradeCheckName(c.Name), Letter: TCodeGradeCheckLetter(c.Letter), Detail: c.Detail})
	}
	return out
}
