package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"

	"tcode/cmd/internal/about"
)

// builds returns what the programs of a target contain, as the files themselves say.
func (r *release) builds(t target, programs []string) ([]about.Build, error) {
	var all []about.Build
	for _, p := range programs {
		info, err := buildinfo.ReadFile(filepath.Join(r.folder(t), t.exe(p)))
		if err != nil {
			return nil, err
		}
		b := about.FromInfo(p, info)
		if len(b.Unknown) > 0 {
			return nil, fmt.Errorf("%s for %s: no licence of %s: run \"go run ./cmd/release licences\"", p, t, strings.Join(b.Unknown, ", "))
		}
		if !t.cgo && len(b.OtherAGPL) > 0 {
			return nil, fmt.Errorf("%s for %s links %s, which is under the AGPL", p, t, strings.Join(b.OtherAGPL, ", "))
		}
		all = append(all, b)
	}
	return all, nil
}

// licences returns the licence texts of all that the programs of a target link.
func (r *release) licences(t target, programs []string) ([]byte, error) {
	all, err := r.builds(t, programs)
	if err != nil {
		return nil, err
	}
	var texts bytes.Buffer
	// This program itself was built before the texts were collected, if the checkout is new.
	err = union(all).LicencesFrom(&texts, os.DirFS(filepath.Join(r.source.top, "cmd", "internal", "about", "licences")))
	return texts.Bytes(), err
}

// union returns a build that links all modules of several.
func union(all []about.Build) about.Build {
	var u about.Build
	for _, b := range all {
		for _, m := range b.Modules {
			if !slices.Contains(u.Modules, m) {
				u.Modules = append(u.Modules, m)
			}
		}
	}
	slices.SortFunc(u.Modules, func(a, b about.Module) int { return strings.Compare(a.Path, b.Path) })
	return u
}

// bill returns the bill of materials of a target, in CycloneDX 1.6: the
// programs, the modules that each links, and the components in these.
func (r *release) bill(t target) ([]byte, error) {
	all, err := r.builds(t, programs)
	if err != nil {
		return nil, err
	}
	root := "pkg:golang/tcode@" + r.source.version
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: r.source.at.Format(time.RFC3339),
		Component: &cyclonedx.Component{
			BOMRef: root, Type: cyclonedx.ComponentTypeApplication, Name: "tcode", Version: r.source.version, Licenses: expression(about.OwnLicence),
			Properties: &[]cyclonedx.Property{{Name: "commit", Value: r.source.commit}, {Name: "os", Value: t.os}, {Name: "arch", Value: t.arch}, {Name: "goVersion", Value: all[0].Go}},
		},
	}
	var components []cyclonedx.Component
	var dependencies []cyclonedx.Dependency
	var refs []string
	for _, b := range all {
		ref := root + "#cmd/" + b.Program
		refs = append(refs, ref)
		components = append(components, cyclonedx.Component{
			BOMRef: ref, Type: cyclonedx.ComponentTypeApplication, Name: b.Program, Version: r.source.version, Licenses: expression(about.OwnLicence),
		})
		var links []string
		for _, m := range b.Modules {
			links = append(links, purl(m))
		}
		dependencies = append(dependencies, cyclonedx.Dependency{Ref: ref, Dependencies: &links})
	}
	for _, m := range union(all).Modules {
		c := cyclonedx.Component{BOMRef: purl(m), Type: cyclonedx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: purl(m), Licenses: expression(m.Licence)}
		if m.Sum != "" {
			c.Properties = &[]cyclonedx.Property{{Name: "go.sum", Value: m.Sum}}
		}
		if inside := within(m.Path); len(inside) > 0 {
			c.Components = &inside
		}
		components = append(components, c)
	}
	dependencies = append(dependencies, cyclonedx.Dependency{Ref: root, Dependencies: &refs})
	bom.Components, bom.Dependencies = &components, &dependencies
	var b bytes.Buffer
	err = cyclonedx.NewBOMEncoder(&b, cyclonedx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).EncodeVersion(bom, cyclonedx.SpecVersion1_6)
	return b.Bytes(), err
}

// expression is a licence in the form of the bill.
func expression(spdx string) *cyclonedx.Licenses {
	if spdx == "" {
		return nil
	}
	return &cyclonedx.Licenses{{Expression: spdx}}
}

// purl is the package address of a module.
func purl(m about.Module) string {
	return "pkg:golang/" + m.Path + "@" + strings.ReplaceAll(m.Version, "+", "%2B")
}

// within returns the components that a module contains in another form than Go.
func within(module string) (inside []cyclonedx.Component) {
	for _, c := range contained {
		if c.module == module && c.licence != "" {
			inside = append(inside, cyclonedx.Component{BOMRef: module + "#" + fmt.Sprint(len(inside)), Type: cyclonedx.ComponentTypeLibrary, Name: c.name, Licenses: expression(c.licence)})
		}
	}
	return inside
}
