// The Go SDK.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// task is the first argument: the endpoint, or the program that serves standard input, and the calls.
type task struct {
	URL     string
	Command string
	Args    []string
	Env     map[string]string
	Calls   []struct {
		Name      string
		Arguments map[string]any
	}
}

type answer struct {
	IsError bool `json:"isError"`
	Value   any  `json:"value"`
}

// report is what the program prints.
type report struct {
	Answers []answer       `json:"answers"`
	Schemas map[string]any `json:"schemas"`
}

func main() {
	var asked task
	must(json.Unmarshal([]byte(os.Args[1]), &asked))
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, asked.transport(), nil)
	must(err)
	defer session.Close()
	listed, err := session.ListTools(ctx, nil)
	must(err)
	found := report{Schemas: map[string]any{}}
	for _, tool := range listed.Tools {
		found.Schemas[tool.Name] = tool.InputSchema
	}
	for _, call := range asked.Calls {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: call.Name, Arguments: call.Arguments})
		must(err)
		value := result.StructuredContent
		if result.IsError {
			value = result.Content[0].(*mcp.TextContent).Text
		}
		found.Answers = append(found.Answers, answer{result.IsError, value})
	}
	must(json.NewEncoder(os.Stdout).Encode(found))
}

func (asked task) transport() mcp.Transport {
	if asked.URL != "" {
		return &mcp.StreamableClientTransport{Endpoint: asked.URL}
	}
	command := exec.Command(asked.Command, asked.Args...)
	for name, value := range asked.Env {
		command.Env = append(command.Env, name+"="+value)
	}
	return &mcp.CommandTransport{Command: command}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
