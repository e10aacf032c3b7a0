package httpapi

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"

	"tcode/offline/jsontext"
	"tcode/server/httpapi/api"
)

// published returns the contract as the gateway serves it, in YAML and in JSON. It is
// OpenAPI 3.1, which has webhooks. The source is OpenAPI 3.0.3, because checks of bodies
// report all problems of a request only with that version.
var published = sync.OnceValues(func() (contract, error) { return upgrade(api.YAML) })

// A contract is the published document in both of its forms.
type contract struct{ yaml, json []byte }

// upgrade returns the OpenAPI 3.1 form of an OpenAPI 3.0 document.
func upgrade(source []byte) (contract, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(source, &doc); err != nil {
		return contract{}, fmt.Errorf("read openapi.yaml: %w", err)
	}
	root := doc.Content[0]
	for i := 0; i < len(root.Content); i += 2 {
		switch name, value := root.Content[i], root.Content[i+1]; name.Value {
		case "openapi":
			value.Value = "3.1.0"
		case "x-webhooks":
			name.Value = "webhooks"
		}
	}
	upgradeNode(root)
	var text bytes.Buffer
	enc := yaml.NewEncoder(&text)
	enc.SetIndent(2)
	if err := enc.Encode(&doc); err != nil {
		return contract{}, fmt.Errorf("write openapi.yaml: %w", err)
	}
	data, err := appendJSON(nil, root)
	return contract{text.Bytes(), data}, err
}

// upgradeNode changes the keywords of schemas in n that version 3.1 writes in another way.
func upgradeNode(n *yaml.Node) {
	for _, c := range n.Content {
		upgradeNode(c)
	}
	if n.Kind != yaml.MappingNode {
		return
	}
	if i := keyOf(n, "nullable"); i >= 0 && n.Content[i+1].Value == "true" {
		if t := keyOf(n, "type"); t >= 0 {
			null := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "null", Style: yaml.SingleQuotedStyle}
			n.Content[t+1] = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle, Content: []*yaml.Node{n.Content[t+1], null}}
		}
		n.Content = slices.Delete(n.Content, i, i+2)
	}
	if i := keyOf(n, "format"); i >= 0 && n.Content[i+1].Value == "byte" {
		n.Content[i].Value, n.Content[i+1].Value = "contentEncoding", "base64"
	}
}

// keyOf returns the place of a scalar member in a mapping, or -1.
func keyOf(n *yaml.Node, name string) int {
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == name && n.Content[i+1].Kind == yaml.ScalarNode {
			return i
		}
	}
	return -1
}

// appendJSON appends n to b. The members keep their order, in which Swagger UI shows them.
func appendJSON(b []byte, n *yaml.Node) ([]byte, error) {
	var err error
	switch n.Kind {
	case yaml.AliasNode:
		return appendJSON(b, n.Alias)
	case yaml.MappingNode:
		b = append(b, '{')
		for i := 0; i < len(n.Content) && err == nil; i += 2 {
			if i > 0 {
				b = append(b, ',')
			}
			name, _ := jsontext.Marshal(n.Content[i].Value) // a string has no error
			b = append(append(b, name...), ':')
			b, err = appendJSON(b, n.Content[i+1])
		}
		return append(b, '}'), err
	case yaml.SequenceNode:
		b = append(b, '[')
		for i := 0; i < len(n.Content) && err == nil; i++ {
			if i > 0 {
				b = append(b, ',')
			}
			b, err = appendJSON(b, n.Content[i])
		}
		return append(b, ']'), err
	}
	var v any = n.Value
	switch n.Tag {
	case "!!null", "!!bool", "!!int", "!!float":
		if err := n.Decode(&v); err != nil {
			return b, fmt.Errorf("openapi.yaml, line %d: %w", n.Line, err)
		}
	}
	text, err := jsontext.Marshal(v)
	if err != nil {
		return b, fmt.Errorf("openapi.yaml, line %d: %w", n.Line, err)
	}
	return append(b, text...), nil
}
