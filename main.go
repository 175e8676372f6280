// Command idemtui explains duplicate processing on at-least-once delivery, and
// works on the claim tables that prevent it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"idemtui/inspect"
	"idemtui/inspect/dsn"
	"idemtui/inspect/postgres"
	"idemtui/ui/cli"
)

func main() { os.Exit(run()) }

// run ends the context on the first signal, and lets a second one kill.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop)
	return cli.Run(ctx, cli.TakeArguments(os.Args[1:]), cli.StandardStreams(), os.Getenv, plugs)
}

// plugs are the databases that this program can read.
var plugs = cli.Plugs{
	Stores: map[dsn.Engine]cli.OpenStore{dsn.Postgres: openPostgres},
}

func openPostgres(d dsn.DSN, options cli.StoreOptions) (inspect.Store, error) {
	own := postgres.Options{Replica: options.Replica, Profiles: options.Profiles, StatementTimeout: options.StatementTimeout, AuditRow: postgres.AuditAll}
	if options.AuditMappedOnly {
		own.AuditRow = postgres.AuditMapped
	}
	return postgres.Open(d, own)
}
