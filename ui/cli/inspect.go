package cli

import (
	"time"

	"github.com/spf13/cobra"
)

// inspectFlags are the flags that all inspect commands share.
type inspectFlags struct {
	dsns         []string
	connection   string
	table        string
	mapping      string
	profile      string
	staleAfter   time.Duration
	assumeTZ     string
	refresh      time.Duration
	readOnly     bool
	allowRelease bool
	timeout      time.Duration
	auditDir     string
	auditRow     string
	// providerKey is the column with the key that the charge was sent under, and
	// providerMemory how long the provider remembers such keys.
	providerKey    string
	providerMemory time.Duration
	replica        string
	save           string
}

// The values of --audit-row.
const (
	auditRowAll    = "all"
	auditRowMapped = "mapped"
)

const inspectLong = `Look at a real claim table: which claims are stuck, why, and what a release would do.

On a terminal this opens the inspector; without one it prints what 'inspect list' prints.
Looking writes nothing and locks nothing. A claim without lease and heartbeat
is stuck from --stale-after on, 15 minutes unless said otherwise.
See 'idemtui help triage', 'idemtui help security' and, for --map, 'idemtui help formats'.`

// newInspectCommand is the inspector, and the parent of its headless twins.
func newInspectCommand(a *app) *cobra.Command {
	flags := &inspectFlags{refresh: 5 * time.Second, timeout: 5 * time.Second}
	list := &listFlags{}
	cmd := &cobra.Command{
		Use:   "inspect",
		Short: "Inspect a claim table: stuck claims, evidence, safe release",
		Long:  inspectLong,
		Example: `
# the table of the recommended shape is found without flags
idemtui inspect --dsn postgres://inspector@db-1/payments
# a table of your own
idemtui inspect list --dsn postgres://inspector@db-1/payments --table inbox --map 'key=consumer+msg_id,state=st,processing=P,done=D,failed=F,lease=lock_exp'`,
		Args: commandsOnly,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.runInspect(cmd, flags, list) },
	}
	flags.register(cmd)
	list.register(cmd)
	cmd.AddCommand(
		newInspectListCommand(a, flags),
		newInspectLookupCommand(a, flags),
		newInspectShowCommand(a, flags),
		newInspectReleaseCommand(a, flags),
		newInspectSettleCommand(a, flags),
		newInspectFollowCommand(a, flags),
		newInspectUndoCommand(a, flags),
		newInspectAuditCommand(a, flags),
		newInspectTablesCommand(a, flags),
		newInspectProfilesCommand(a),
		newInspectHealthCommand(a, flags),
		newInspectCheckCommand(a, flags),
		newInspectSchemaCommand(a),
	)
	return cmd
}

// laterInspectFlags are not built yet.
var laterInspectFlags = map[string]string{
	"demo": "name a database with --dsn",
}

// register adds the shared flags, which every command below inherits.
func (f *inspectFlags) register(cmd *cobra.Command) {
	flags := cmd.PersistentFlags()
	flags.StringArrayVar(&f.dsns, "dsn", nil, "a database, as URL or libpq keywords; repeatable")
	flags.StringVar(&f.connection, "connection", "", "a connection or a group of the config file")
	flags.StringVar(&f.table, "table", "", "the claim table, [SCHEMA.]NAME")
	flags.StringVar(&f.mapping, "map", "", "the mapping of the columns, or a file with it")
	flags.StringVar(&f.profile, "profile", "", "read the table as this framework's; see 'inspect profiles'")
	addDuration(flags, &f.staleAfter, "stale-after", "age at which a claim without lease is stuck")
	flags.StringVar(&f.assumeTZ, "assume-tz", "UTC", "zone of times stored without one")
	addDuration(flags, &f.refresh, "refresh", "how often the inspector looks again")
	flags.BoolVar(&f.readOnly, "read-only", false, "forbid releasing, whatever else is said")
	flags.BoolVar(&f.allowRelease, "allow-release", false, "arm releasing on the screen")
	addDuration(flags, &f.timeout, "statement-timeout", "the longest that one statement may take")
	flags.StringVar(&f.providerKey, "provider-key", "", "column with the idempotency key sent to the provider")
	addDuration(flags, &f.providerMemory, "provider-memory", "how long the provider remembers such a key")
	flags.StringVar(&f.replica, "replica", "", "a standby of --dsn that takes the searches and counts")
	flags.StringVar(&f.save, "save", "", "write connection and mapping into the config file, under this name")
	flags.StringVar(&f.auditDir, "audit-dir", "", "folder of the audit files")
	flags.StringVar(&f.auditRow, "audit-row", auditRowAll, "columns kept of a row: all or mapped")
	addLater(flags, laterInspectFlags)
}
