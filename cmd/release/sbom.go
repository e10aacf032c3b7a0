package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

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

// The types of a bill of materials are the part of CycloneDX 1.6 that a bill needs, in the order of
// its members.
type (
	bom struct {
		Schema       string          `json:"$schema"`
		Format       string          `json:"bomFormat"`
		SpecVersion  string          `json:"specVersion"`
		Version      int             `json:"version"` // of the bill
		Metadata     bomMetadata     `json:"metadata"`
		Components   []bomComponent  `json:"components"`
		Dependencies []bomDependency `json:"dependencies"`
	}
	bomMetadata struct {
		Timestamp string       `json:"timestamp"`
		Component bomComponent `json:"component"`
	}
	bomComponent struct {
		Ref        string         `json:"bom-ref"`
		Type       string         `json:"type"` // application or library
		Name       string         `json:"name"`
		Version    string         `json:"version,omitempty"`
		Licences   []bomLicence   `json:"licenses,omitempty"`
		Purl       string         `json:"purl,omitempty"`
		Properties []bomProperty  `json:"properties,omitempty"`
		Components []bomComponent `json:"components,omitempty"`
	}
	bomLicence struct {
		Expression string `json:"expression"` // SPDX
	}
	bomProperty struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	bomDependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

// bill returns the bill of materials of a target: the programs, the modules that each links, and
// the components in these.
func (r *release) bill(t target) ([]byte, error) {
	all, err := r.builds(t, programs)
	if err != nil {
		return nil, err
	}
	return r.billOf(t, all)
}

// billOf returns the bill of these builds.
func (r *release) billOf(t target, all []about.Build) ([]byte, error) {
	root := "pkg:golang/tcode@" + r.source.version
	app := func(ref, name string) bomComponent {
		c := bomComponent{Ref: ref, Type: "application", Name: name, Version: r.source.version}
		c.Licences = expression(about.OwnLicence)
		return c
	}
	b := bom{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
		Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata: bomMetadata{r.source.at.Format(time.RFC3339), app(root, "tcode")},
	}
	b.Metadata.Component.Properties = []bomProperty{
		{"commit", r.source.commit}, {"os", t.os}, {"arch", t.arch}, {"goVersion", all[0].Go},
	}
	var refs []string
	for _, p := range all {
		ref := root + "#cmd/" + p.Program
		refs = append(refs, ref)
		b.Components = append(b.Components, app(ref, p.Program))
		var links []string
		for _, m := range p.Modules {
			links = append(links, purl(m))
		}
		b.Dependencies = append(b.Dependencies, bomDependency{ref, links})
	}
	for _, m := range union(all).Modules {
		c := bomComponent{
			Ref: purl(m), Type: "library", Name: m.Path, Version: m.Version, Purl: purl(m),
			Licences: expression(m.Licence), Components: within(m.Path),
		}
		if m.Sum != "" {
			c.Properties = []bomProperty{{"go.sum", m.Sum}}
		}
		b.Components = append(b.Components, c)
	}
	b.Dependencies = append(b.Dependencies, bomDependency{root, refs})
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(b)
	return text.Bytes(), err
}

// expression is a licence in the form of the bill.
func expression(spdx string) []bomLicence {
	if spdx == "" {
		return nil
	}
	return []bomLicence{{spdx}}
}

// purl is the package address of a module.
func purl(m about.Module) string {
	return "pkg:golang/" + m.Path + "@" + strings.ReplaceAll(m.Version, "+", "%2B")
}

// within returns the components that a module contains in another form than Go.
func within(module string) (inside []bomComponent) {
	for _, c := range contained {
		if c.module == module && c.licence != "" {
			in := bomComponent{Type: "library", Name: c.name, Licences: expression(c.licence)}
			in.Ref = fmt.Sprintf("%s#%d", module, len(inside))
			inside = append(inside, in)
		}
	}
	return inside
}
