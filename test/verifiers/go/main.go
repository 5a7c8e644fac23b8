package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

type cases struct {
	Issuer   string
	Audience string
	JWKS     jose.JSONWebKeySet
	Tokens   []string
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var given cases
	if err := json.Unmarshal(text, &given); err != nil {
		panic(err)
	}
	for _, token := range given.Tokens {
		fmt.Println(judge(token, given))
	}
}

func judge(token string, given cases) string {
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		return "refuse"
	}
	var claims jwt.Claims
	if parsed.Claims(given.JWKS, &claims) != nil {
		return "refuse"
	}
	expected := jwt.Expected{Issuer: given.Issuer, AnyAudience: jwt.Audience{given.Audience}, Time: time.Now()}
	if claims.Validate(expected) != nil {
		return "refuse"
	}
	return "accept"
}
