// Command provider is an OpenID provider for the tests of the console: that of the zitadel/oidc
// library, with users that a test gives. It is a module of its own, so that the library is no
// dependency of the product.
//
// It writes its issuer address on a line, and then "ok" for each line of standard input that it
// has done: first the address to which it may send a browser back, then users as JSON. It ends
// with standard input.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
)

// users are those of the provider, by name, which is their number too.
type users struct {
	mu   sync.Mutex
	list map[string]*storage.User
}

// GetUserByID finds a user.
func (u *users) GetUserByID(id string) *storage.User {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.list[id]
}

// GetUserByUsername finds a user.
func (u *users) GetUserByUsername(name string) *storage.User { return u.GetUserByID(name) }

// ExampleClientID is the name of a client that the library requires.
func (*users) ExampleClientID() string { return "service" }

func main() {
	all := &users{list: map[string]*storage.User{}}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	fmt.Println(server.URL)
	lines := bufio.NewScanner(os.Stdin)
	for first := true; lines.Scan(); first = false {
		if first {
			client := storage.WebClient("tcode", "a secret", lines.Text())
			store := storage.NewStorageWithClients(all, map[string]*storage.Client{"tcode": client})
			mux.Handle("/", exampleop.SetupServer(server.URL, store, nil, false))
		} else {
			user := &storage.User{Password: "a password"}
			if err := json.Unmarshal(lines.Bytes(), user); err != nil {
				log.Fatal(err)
			}
			user.ID = user.Username
			all.mu.Lock()
			all.list[user.ID] = user
			all.mu.Unlock()
		}
		fmt.Println("ok")
	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}
}
