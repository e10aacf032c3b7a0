package door_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"tcode/scanner/web/engine"
	"tcode/scanner/web/engine/door"
)

// TestPanic: a picture on which the program panics costs itself: the reply says so, and the next request is answered.
func TestPanic(t *testing.T) {
	t.Parallel()
	d := door.New(door.Config{Picture: func(context.Context, int64) (engine.Decoded, error) { panic("a fault of the decoder") }})
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 100, 100))); err != nil {
		t.Fatal(err)
	}
	asked := func(request string, data []byte) (r struct {
		OK    bool
		Error struct{ Code, Document, Message string }
	},
	) {
		t.Helper()
		reply, _ := d.Ask(t.Context(), []byte(request), data)
		if err := json.Unmarshal(reply, &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := asked(`{"id":1,"op":"start","guest":true}`, nil); !r.OK {
		t.Fatalf("start: %+v", r)
	}
	for id := range 12 { // more than may wait
		r := asked(fmt.Sprintf(`{"id":%d,"op":"still","name":"a.png","source":"photo","size":%d}`, id+2, picture.Len()), picture.Bytes())
		if r.OK || r.Error.Code != "document" || r.Error.Document != "crashed" || !strings.Contains(r.Error.Message, "a fault of the decoder; that says nothing about the document") {
			t.Fatalf("%+v, want that the reader failed", r)
		}
	}
	if r := asked(`{"id":20,"op":"close"}`, nil); !r.OK {
		t.Errorf("close: %+v", r)
	}
}
