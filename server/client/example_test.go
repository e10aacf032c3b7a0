package client_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"tcode/server"
	"tcode/server/client"
	"tcode/server/httpapi/api"
	"tcode/server/store/storetest"
	"tcode/server/tenant"
)

// exampleGateway serves until stop and returns its address and a key.
func exampleGateway() (address, key string, stop func()) {
	dir, err := os.MkdirTemp("", "tcode-example-")
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan net.Addr, 1), make(chan error, 1)
	cfg := server.Config{Init: true, Addr: "127.0.0.1:0", Data: dir, Readback: storetest.Readback{}, Ready: func(a net.Addr) { ready <- a }}
	g, err := server.Open(ctx, cfg)
	if err != nil {
		panic(err)
	}
	if _, err := g.Tenants.CreateTenant(ctx, "Acme University", "ACME01"); err != nil {
		panic(err)
	}
	made, err := g.Tenants.CreateKey(ctx, "ACME01", tenant.KeyOptions{Name: "office"})
	if err := errors.Join(err, g.Close()); err != nil {
		panic(err)
	}
	go func() { done <- server.Run(ctx, cfg) }()
	return "http://" + (<-ready).String(), made.Secret, func() {
		cancel()
		<-done
		os.RemoveAll(dir)
	}
}

// A client stamps a PDF and reads the status of the stamp.
func Example() {
	address, key, stop := exampleGateway()
	defer stop()
	pdf, err := os.ReadFile("../../testdata/documents/letter.pdf")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	c, err := client.New(address, client.WithKey(key))
	if err != nil {
		fmt.Println(err)
		return
	}
	stamped, err := c.CreateStampWithResponse(ctx, nil, api.CreateStampJSONRequestBody{Name: "Letter", DocumentTypeCode: "LTR", Pdf: pdf})
	if err := client.Check(err, stamped); err != nil {
		fmt.Println(err)
		return
	}
	stamp, err := c.GetStampWithResponse(ctx, stamped.JSON201.Data.Id)
	if err := client.Check(err, stamp); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(stamp.JSON200.Data.Name, stamp.JSON200.Data.Status)
	// Output:
	// Letter Active
}

// An error of the gateway has a fixed code, and a sentence for people.
func ExampleCheck() {
	address, _, stop := exampleGateway()
	defer stop()
	c, err := client.New(address, client.WithKey("tck_live_unknown"))
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := c.ListStampsWithResponse(context.Background(), nil)
	var refused *client.Error
	fmt.Println(errors.As(client.Check(err, list), &refused), refused.Status, refused.Code)
	// Output:
	// true 401 UNAUTHORIZED
}
