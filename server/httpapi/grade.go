package httpapi

import (
	"tcode/server/issue/stamp"

	"tcode/server/httpapi/api"
)

// gradeRecord returns a grade as the contract shows it, nil if there is none.
func gradeRecord(g *stamp.Grade) *api.TCodeGrade {
	if g == nil {
		return nil
	}
	out := &api.TCodeGrade{
		Letter: api.TCodeGradeLetter(g.Letter), Meaning: g.Letter.Meaning(), ModuleMm: g.ModuleMM,
		QuietZoneModules: g.QuietModules, InkPercent: g.InkPercent, ContrastPercent: g.Contrast, SparePercent: g.Spare,
		TargetDpi: int32(g.TargetDPI), ProvedPages: pageList(g.Proved), Checks: make([]api.TCodeGradeCheck, 0, len(g.Checks)),
	}
	if g.ReadsAtDPI > 0 {
		dpi := int32(g.ReadsAtDPI)
		out.ReadsAtDpi = &dpi
	}
	for _, c := range g.Checks {
		out.Checks = append(out.Checks, api.TCodeGradeCheck{Name: api.TCodeGradeCheckName(c.Name), Letter: api.TCodeGradeCheckLetter(c.Letter), Detail: c.Detail})
	}
	return out
}
