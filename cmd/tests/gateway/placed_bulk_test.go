package gateway_test

import (
	"archive/zip"
	"bytes"
	"maps"
	"net/http"
	"slices"
	"time"

	"tcode/cmd/internal/world"
)

// bulk stamps the file of a trial again in a bulk job. Its row becomes what the stamp became.
func (c trial) bulk(placed map[string]any, pdf []byte, status int, stamp, preview map[string]any) {
	c.Helper()
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	file, err := z.Create("a.pdf")
	if err == nil {
		_, err = file.Write(pdf)
	}
	if err != nil || z.Close() != nil {
		c.Fatal(err)
	}
	order := maps.Clone(placed)
	order["csvFileBase64"] = world.Base64([]byte("fileName,name,documentTypeCode\na.pdf,bulk,DIP\n"))
	order["zipFileBase64"] = world.Base64(archive.Bytes())
	made, answer := c.send("bulk", "/v1/tcode/bulk-jobs", order)
	if made != http.StatusCreated {
		c.bad("bulk job: %d %v", made, answer)
		return
	}
	path := "/v1/tcode/bulk-jobs/" + answer["data"].(map[string]any)["id"].(string)
	var job struct{ Data struct{ Status string } }
	over := []string{"Completed", "CompletedWithErrors", "Failed", "Cancelled"}
	for deadline := time.Now().Add(time.Minute); !slices.Contains(over, job.Data.Status); {
		if time.Now().After(deadline) {
			c.bad("the bulk job is %s after a minute", job.Data.Status)
			return
		}
		time.Sleep(50 * time.Millisecond)
		c.w.Call(c.by, http.MethodGet, path, nil, &job)
	}
	var rows struct {
		Items []struct{ State, ID, Code, Message string }
	}
	c.w.Call(c.by, http.MethodGet, path+"/rows", nil, &rows)
	if len(rows.Items) != 1 {
		c.bad("%d rows of the bulk job, which is %s", len(rows.Items), job.Data.Status)
		return
	}
	row := rows.Items[0]
	c.counts["bulk "+row.State]++
	became := row.State == "Succeeded"
	if became != (status == http.StatusCreated) || !became && (row.Code != stamp["code"] || row.Message == "") {
		c.bad("stamp %d %v, row %+v", status, stamp["code"], row)
	}
	if became {
		c.stamped(row.ID, preview)
	}
}
