package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// Credentials do not go wherever a server points to.
func TestRedirectIsNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a request came here, with Authorization %q", r.Header.Get("Authorization"))
	}))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	defer server.Close()
	c, err := newClient(server.URL, "", credentials{username: "u", password: "p"}, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if body, err := c.get(t.Context(), "/_stats"); err == nil {
		_ = body.Close()
		t.Error("no error")
	}
}
