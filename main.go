// Command idemtui explains duplicate processing on at-least-once delivery, and
// works on the claim tables that prevent it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"idemtui/ui/cli"
)

func main() { os.Exit(run()) }

// run ends the context on the first signal, and lets a second one kill.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop)
	return cli.Run(ctx, cli.TakeArguments(os.Args[1:]), cli.StandardStreams(), os.Getenv, cli.Plugs{})
}
