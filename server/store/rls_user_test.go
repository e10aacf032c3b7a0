package store_test

import (
	"context"
	"crypto/sha256"
	"testing"
	"time"

	"tcode/server/account"
	"tcode/server/fault"
	"tcode/server/store"
	"tcode/server/store/storetest"
)

// person names the things of one user.
type person struct{ id, session string }

// furnishUser makes a user who is signed in, with a link and recovery codes.
func furnishUser(t *testing.T, b *storetest.Bundle, ref, mark string) person {
	t.Helper()
	ctx, now := t.Context(), b.Clock.Now()
	inv, err := b.Accounts.Create(ctx, account.Spec{Tenant: ref, Email: mark + "@example.org", Name: mark, Role: account.Issuer})
	if err != nil {
		t.Fatal(err)
	}
	s := account.Session{
		ID: "0196fb7e-0000-7000-8000-0000000000c1", Hash: sha256.Sum256([]byte(mark)), Stage: account.StageIn, Agent: mark,
		CreatedAt: now, SeenAt: now, ExpiresAt: now.AddDate(10, 0, 0),
	}
	err = b.DB.ChangeUser(ctx, ref, inv.ID, now, func(u *account.User) (account.Change, error) {
		u.State, u.Password = account.Active, "hash"
		return account.Change{
			Session: &s, Passkey: &account.Passkey{ID: s.ID, Name: mark, Credential: []byte(mark), PublicKey: []byte{1}, CreatedAt: now},
			Identity: &account.Identity{Issuer: "https://login.example", Subject: mark}, Recovery: []account.Hash{sha256.Sum256([]byte(mark))}, Audit: entry(ctx, ref),
		}, nil
	})
	if err == nil {
		err = b.DB.PutSignInProvider(ctx, account.Provider{Tenant: ref, Issuer: "https://login.example", ClientID: mark, Sealed: []byte{1}}, now, entry(ctx, ref))
	}
	if err != nil {
		t.Fatal(err)
	}
	return person{inv.ID, s.ID}
}

// userCalls are the methods of [tenantCalls] about users.
var userCalls = map[string]func(ctx context.Context, db *store.DB, tenantRef string, x things) (any, error){
	"User": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return db.User(ctx, ref, x.user.id)
	},
	"TenantUsers": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		us, err := db.TenantUsers(ctx, ref)
		return len(us), err
	},
	"Members": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		ms, err := db.Members(ctx, ref)
		return len(ms), err
	},
	"Passkeys": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		ps, err := db.Passkeys(ctx, ref, x.user.id)
		return len(ps), err
	},
	"SignInProvider": func(ctx context.Context, db *store.DB, ref string, _ things) (any, error) {
		p, ok, err := db.SignInProvider(ctx, ref)
		if err == nil && (!ok || p.Tenant != ref) {
			err = fault.New(fault.NotFound, fault.CodeNotFound, "%v %v", ok, p.Tenant)
		}
		return p.Issuer, err
	},
	"ChangeMember": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.ChangeMember(ctx, ref, x.user.id, time.Now(), func(u *account.User) (account.Change, error) {
			u.Role = account.Owner
			return account.Change{Audit: entry(ctx, ref)}, nil
		})
	},
	"RemoveUser": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.RemoveUser(ctx, ref, x.user.id, time.Now(), false, entry(ctx, ref))
	},
	"ChangeUser": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.ChangeUser(ctx, ref, x.user.id, time.Now(), func(u *account.User) (account.Change, error) {
			return account.Change{EndSessions: true, DropFactor: true, Audit: entry(ctx, ref)}, nil
		})
	},
	"Sessions": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		ss, err := db.Sessions(ctx, ref, x.user.id, time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC))
		return len(ss), err
	},
	"TouchSession": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.TouchSession(ctx, ref, x.user.id, x.user.session, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
	},
	"EndSession": func(ctx context.Context, db *store.DB, ref string, x things) (any, error) {
		return nil, db.EndSession(ctx, ref, x.user.id, x.user.session, entry(ctx, ref))
	},
}

func init() {
	for name, call := range userCalls {
		tenantCalls[name] = call
	}
	for _, name := range []string{"Comers", "LinkUser", "SessionUser", "PasskeyUser", "IdentityUsers"} {
		otherCalls[name] = "the address or the token says whose it is"
	}
	otherCalls["InsertUser"], otherCalls["PutSignInProvider"] = "writes its own tenant only", "operator"
	otherCalls["AllUsers"], otherCalls["Try"], otherCalls["Forgive"] = "operator", "no tenant's", "no tenant's"
}
