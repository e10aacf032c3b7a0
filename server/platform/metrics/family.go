package metrics

import (
	"bytes"
	"strings"

	"github.com/VictoriaMetrics/metrics"
)

// A family is all samples of one name, which have the same labels.
type family struct {
	name   string
	labels []string
}

// A sampler takes one sample of a family, with the values of its labels.
type sampler func(f *family, v float64, labels ...string)

// helps are the help texts of families, by name.
var helps = make(map[string]string)

func newFamily(name, help string, labels ...string) *family {
	f := &family{"tcode_" + name, labels}
	helps[f.name] = help
	return f
}

// escapes are those of the text format: https://prometheus.io/docs/instrumenting/exposition_formats/
var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// sample returns the name of one sample, as in tcode_child_processes{state="busy"}. There are
// as many values as labels.
func (f *family) sample(values ...string) string {
	if len(values) != len(f.labels) {
		panic("metrics: " + f.name + " has other labels")
	}
	if len(values) == 0 {
		return f.name
	}
	pairs := make([]string, len(values))
	for i, v := range values {
		pairs[i] = f.labels[i] + `="` + escapes.Replace(v) + `"`
	}
	return f.name + "{" + strings.Join(pairs, ",") + "}"
}

func init() { metrics.ExposeMetadata(true) }

// described adds the help texts to the output of the library, which leaves them empty.
func described(text []byte) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(text) {
		name, is := bytes.CutPrefix(bytes.TrimSuffix(line, []byte("\n")), []byte("# HELP "))
		if help := helps[string(name)]; is && help != "" {
			b.Write(bytes.TrimSuffix(line, []byte("\n")))
			b.WriteString(" " + help + "\n")
			continue
		}
		b.Write(line)
	}
	return b.Bytes()
}
