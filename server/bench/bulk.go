package main

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// A bulkRow is one bulk job of stamps, from its upload to its end.
type bulkRow struct {
	Engine    string  `json:"engine"`
	Rows      int     `json:"rows"`
	Upload    float64 `json:"uploadSeconds"`
	Checked   float64 `json:"checkedSeconds"` // from the upload's end until the first row was begun
	PerSecond float64 `json:"perSecond"`      // rows, from then until the last one had its outcome
	CPU       float64 `json:"cpuMillis"`      // of a row, of all the gateway's processes, including the upload
	Gateway   float64 `json:"gatewayMiB"`     // largest resident memory of its own process since before the upload
	All       float64 `json:"allMiB"`         // the same with its child processes, sampled every lookEvery
}

// lookEvery is the interval between samples of memory, and followEvery between those of the job.
const (
	lookEvery   = 50 * time.Millisecond
	followEvery = 250 * time.Millisecond
)

// warmUp is the number of rows that a gateway has done before the measurement: by then all
// of its child processes have started.
const warmUp = 20

// buildGateway builds the gateway's program, which includes the reader that proves stamps:
// this program must not import it.
func buildGateway(h *host) (string, error) {
	program := filepath.Join(h.TempDir(), "tcode-gateway")
	cmd := exec.CommandContext(h.ctx, "go", "build", "-o", program, "tcode/cmd/tcode-gateway") //nolint:gosec // a name of our own
	if said, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the gateway: %w: %s", err, said)
	}
	return program, nil
}

// bulkJobs runs a job of each size on a new gateway with one engine.
func bulkJobs(ctx context.Context, o options, e storetest.Engine, program string, tell func(string, ...any)) (out []bulkRow, err error) {
	pdf, err := os.ReadFile(o.pdf)
	if err != nil {
		return nil, err
	}
	for _, n := range o.rows {
		err := with(ctx, func(h *host) error {
			r, err := bulkJob(h, e, n, program, pdf)
			out = append(out, r)
			return err
		})
		if err != nil {
			return out, fmt.Errorf("%d rows: %w", n, err)
		}
		tell("a bulk job of %d rows done", n)
	}
	return out, nil
}

// bulkJob measures one job of n rows, each with a PDF of its own.
func bulkJob(h *host, e storetest.Engine, n int, program string, pdf []byte) (r bulkRow, err error) {
	dir := h.TempDir()
	storetest.Begin(h, e, dir)
	key, err := bulkTenant(h, dir)
	if err != nil {
		return r, err
	}
	cmd := exec.CommandContext(h.ctx, program, "serve", "--json", "--log-level", "warn", "--addr", "127.0.0.1:0", "--requests-per-minute", "0", "--data", dir, "--database-url", storetest.Database(h, dir).DatabaseURL) //nolint:gosec // built by us
	p, err := start(h, roleGateway, cmd)
	if err != nil {
		return r, err
	}
	var ready struct{ URL string }
	if err := json.Unmarshal([]byte(p.addr), &ready); err != nil {
		return r, err
	}
	if e == storetest.Postgres {
		p.tb = h
	}
	c := bulkClient{ctx: h.ctx, url: ready.URL + "/v1/tcode/bulk-jobs", key: key}
	if _, _, err := c.do(h, warmUp, pdf); err != nil {
		return r, fmt.Errorf("warm-up: %w", err)
	}
	w, err := watch(h.ctx, p)
	if err != nil {
		return r, err
	}
	upload, j, err := c.do(h, n, pdf)
	if err != nil {
		return r, err
	}
	used, err := w.end()
	if err != nil {
		return r, err
	}
	if j.Counts.Succeeded != n {
		return r, fmt.Errorf("%s: %d of %d rows succeeded", j.Status, j.Counts.Succeeded, n)
	}
	return bulkRow{
		Engine: string(e), Rows: n, Upload: upload.Seconds(), Checked: j.StartedAt.Sub(j.CreatedAt).Seconds(),
		PerSecond: float64(n) / j.FinishedAt.Sub(j.StartedAt).Seconds(), CPU: micros(used.cpu) / 1000 / float64(n),
		Gateway: float64(used.gateway) / (1 << 20), All: float64(used.all) / (1 << 20),
	}, nil
}

// bulkTenant makes the tenant for the jobs.
func bulkTenant(h *host, dir string) (key string, err error) {
	err = with(h.ctx, func(set *host) error {
		b := storetest.Open(set, dir, storetest.NewClock(time.Now()))
		if _, err := b.Tenants.CreateTenant(h.ctx, "Acme", tenantRef); err != nil {
			return err
		}
		k, err := b.Tenants.CreateKey(h.ctx, tenantRef, tenant.KeyOptions{Name: "bench"})
		key = k.Secret
		return err
	})
	return key, err
}

// A bulkClient orders bulk jobs.
type bulkClient struct {
	ctx      context.Context //nolint:containedctx // it lives as long as one measurement
	url, key string
}

// An orderedJob is the part of a job's record that the bench reads.
type orderedJob struct {
	ID                               string
	Status                           string
	Message                          string
	Counts                           struct{ Succeeded int }
	CreatedAt, StartedAt, FinishedAt time.Time
}

// do orders a job of n rows and waits for its end.
func (c bulkClient) do(h *host, n int, pdf []byte) (upload time.Duration, j orderedJob, err error) {
	body, err := bulkBody(h, n, pdf)
	if err != nil {
		return 0, j, err
	}
	begin := time.Now()
	if j, err = c.call(http.MethodPost, c.url, body, http.StatusCreated); err != nil {
		return 0, j, err
	}
	upload = time.Since(begin)
	for j.FinishedAt.IsZero() {
		select {
		case <-time.After(followEvery):
		case <-c.ctx.Done():
			return 0, j, c.ctx.Err()
		}
		if j, err = c.call(http.MethodGet, c.url+"/"+j.ID, http.NoBody, http.StatusOK); err != nil {
			return 0, j, err
		}
	}
	return upload, j, nil
}

func (c bulkClient) call(method, url string, body io.Reader, want int) (j orderedJob, err error) {
	req, err := http.NewRequestWithContext(c.ctx, method, url, body)
	if err != nil {
		return j, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("x-api-key", c.key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return j, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != want {
		return j, errors.Join(err, fmt.Errorf("answered %s: %.200s", res.Status, raw))
	}
	var env struct{ Data *orderedJob }
	env.Data = &j
	return j, json.Unmarshal(raw, &env)
}

// bulkBody returns the body of an order of n rows, in a file.
func bulkBody(h *host, n int, pdf []byte) (io.Reader, error) {
	f, err := os.Create(filepath.Join(h.TempDir(), "order.json"))
	if err != nil {
		return nil, err
	}
	h.Cleanup(func() { f.Close() })
	out := bufio.NewWriter(f)
	var rows strings.Builder
	rows.WriteString("fileName,name,documentTypeCode,externalId\n")
	for i := range n {
		fmt.Fprintf(&rows, "%d.pdf,Diploma of graduate %d,DIP,%d-%d\n", i, i, n, i)
	}
	fmt.Fprintf(out, `{"csvFileBase64":%q,"zipFileBase64":"`, base64.StdEncoding.EncodeToString([]byte(rows.String())))
	enc := base64.NewEncoder(base64.StdEncoding, out)
	z := zip.NewWriter(enc)
	for i := range n {
		w, err := z.Create(fmt.Sprintf("%d.pdf", i))
		if err != nil {
			return nil, err
		}
		// The bytes after the end belong to the file, and make each copy different.
		if _, err := fmt.Fprintf(w, "%s\n%% %d\n", pdf, i); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(z.Close(), enc.Close()); err != nil {
		return nil, err
	}
	fmt.Fprint(out, `"}`)
	if err := out.Flush(); err != nil {
		return nil, err
	}
	_, err = f.Seek(0, io.SeekStart)
	return f, err
}
