// Command pocketbase is the program that a user would build instead of the gateway's
// look-up: PocketBase with a collection of stamps, looked up by an indexed field, and a
// collection of verifications with a record for each look-up. It uses PocketBase's default
// settings.
//
//	pocketbase DIR STAMPS    makes DIR with so many stamps and serves it; prints the address
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/types"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pocketbase:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("want DIR STAMPS, got %d arguments", len(args))
	}
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	app := pocketbase.NewWithConfig(pocketbase.Config{DefaultDataDir: args[0], HideStartBanner: true})
	if err := app.Bootstrap(); err != nil {
		return err
	}
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	if err := seed(app, n); err != nil {
		return err
	}
	history, err := app.FindCollectionByNameOrId("verifications")
	if err != nil {
		return err
	}
	// With ?history=1 a look-up writes a record of itself, as the gateway's look-up does.
	app.OnRecordsListRequest("stamps").BindFunc(func(e *core.RecordsListRequestEvent) error {
		if e.Request.URL.Query().Get("history") == "1" {
			for _, found := range e.Records {
				r := core.NewRecord(history)
				r.Set("reference", found.GetString("reference"))
				r.Set("verdict", "valid")
				r.Set("method", "reference")
				r.Set("verifiedAt", time.Now().UnixMilli())
				if err := e.App.Save(r); err != nil {
					return err
				}
			}
		}
		return e.Next()
	})
	return serve(app)
}

// seed makes the collections and n stamps, whose references are TCR- and 16
// decimal digits.
func seed(app core.App, n int) error {
	stamps := core.NewBaseCollection("stamps")
	stamps.ListRule = types.Pointer("")
	stamps.ViewRule = types.Pointer("")
	for _, name := range []string{"reference", "status", "name", "documentType", "issuerReference", "issuerName"} {
		stamps.Fields.Add(&core.TextField{Name: name})
	}
	stamps.Fields.Add(&core.NumberField{Name: "issuedAt"})
	stamps.AddIndex("stamps_reference", true, "reference", "")
	if err := app.Save(stamps); err != nil {
		return err
	}
	history := core.NewBaseCollection("verifications")
	for _, name := range []string{"reference", "verdict", "method"} {
		history.Fields.Add(&core.TextField{Name: name})
	}
	history.Fields.Add(&core.NumberField{Name: "verifiedAt"})
	history.AddIndex("verifications_newest", false, "reference, verifiedAt", "")
	if err := app.Save(history); err != nil {
		return err
	}
	_, err := app.DB().NewQuery(`
		INSERT INTO stamps (id, reference, status, name, documentType, issuerReference, issuerName, issuedAt)
		SELECT printf('%015d', i), printf('TCR-%016d', i), 'Active', 'Diploma number ' || i, 'DIP', 'ACME01', 'Acme', 1795000000000
		FROM (WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < {:n}) SELECT i FROM s)`).Bind(dbx.Params{"n": n}).Execute()
	return err
}

// serve answers on a free port of this machine until the process ends.
func serve(app core.App) error {
	router, err := apis.NewRouter(app)
	if err != nil {
		return err
	}
	handler, err := router.BuildMux()
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	return (&http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}).Serve(l)
}
