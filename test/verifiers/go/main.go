package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var given struct{ Tokens []string }
	if err := json.Unmarshal(text, &given); err != nil {
		panic(err)
	}
	for _, token := range given.Tokens {
		if _, err := verify(token); err != nil {
			fmt.Println("refuse")
		} else {
			fmt.Println("accept")
		}
	}
}
