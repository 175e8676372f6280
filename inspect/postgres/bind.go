package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"idemtui/inspect"
)

// bind checks a mapping against the table's columns and fills what only the
// catalog knows: real names, types, the token's sequence.
func (t *tx) bind(ctx context.Context, r relation, m inspect.Mapping, target inspect.Target) (inspect.Table, error) {
	b := binder{table: r.table, m: clone(m)}
	if target.StaleAfter > 0 {
		b.m.StaleAfter = target.StaleAfter
	}
	if target.ProviderKey != "" {
		b.m.ProviderKey, b.m.ProviderMemory = target.ProviderKey, target.ProviderMemory
	}
	steps := []func() error{b.names, func() error { b.hide(target.Hide); return nil }, b.readable, b.keys, b.advisory, b.states, b.settings, b.owner, func() error { return b.times(target.AssumeTZ) }, b.numbers}
	for _, step := range steps {
		if err := step(); err != nil {
			return inspect.Table{}, err
		}
	}
	for _, binding := range b.m.Times {
		if err := t.knowsZone(ctx, binding.Zone); err != nil {
			return inspect.Table{}, err
		}
	}
	table := b.table
	if b.m.Heartbeat.Join != nil {
		other, why, err := t.joined(ctx, table, &b.m)
		if err != nil {
			return inspect.Table{}, err
		}
		if table.Joined = other; why != "" {
			table.Warnings = append(table.Warnings, why)
		}
	}
	if err := t.others(ctx, &table, &b.m); err != nil {
		return inspect.Table{}, err
	}
	table.Mapping = b.m
	table.Warnings = append(table.Warnings, b.m.Caveats...)
	table.UniqueKey = r.coveredBy(b.m.KeyNames()) && !r.inherited
	if !table.UniqueKey {
		table.Warnings = append(table.Warnings, fmt.Sprintf("no unique constraint keeps %s single in %s: a claim is not atomic there, and one key may stand on several rows",
			strings.Join(b.m.KeyNames(), ", "), table.FullName()))
	}
	if table.RowSecurity {
		table.Warnings = append(table.Warnings, "row-level security is on: rows may be hidden from role "+t.database.User)
	}
	if !table.RowVersions {
		table.Warnings = append(table.Warnings, fmt.Sprintf("row locks and row versions are hidden: GRANT SELECT (xmin, xmax) ON %s TO %s", tableName(table), ident(t.database.User)))
	}
	if b.m.Token != "" {
		var err error
		if table.TokenSequence, table.CanDraw, err = t.tokenSequence(ctx, table, b.m.Token); err != nil {
			return inspect.Table{}, err
		}
	}
	return table, nil
}

// clone copies the maps of a mapping, so that binding it leaves the caller's
// as it was.
func clone(m inspect.Mapping) inspect.Mapping {
	m.Key = slices.Clone(m.Key)
	m.Times = maps.Clone(m.Times)
	if m.Times == nil {
		m.Times = map[string]inspect.TimeBinding{}
	}
	m.State.Values = maps.Clone(m.State.Values)
	m.State.Rules = cloneRules(m.State.Rules)
	m.Releases = cloneReleases(m.Releases)
	return m
}

type binder struct {
	table inspect.Table
	m     inspect.Mapping
}

// names replaces each mapped name by the catalog's; an unknown one is an error
// with near names.
func (b *binder) names() error {
	m := &b.m
	fields := []*string{
		&m.State.Column, &m.ClaimedAt, &m.Lease.Column, &m.Lease.PlusColumn, &m.Heartbeat.Column, &m.Owner, &m.Token, &m.Attempts,
		&m.CompletedAt, &m.FailedAt, &m.ExpiresAt, &m.UpdatedAt, &m.ProviderKey,
	}
	for i := range m.Key {
		fields = append(fields, &m.Key[i].Column)
	}
	m.Advisory.From = slices.Clone(m.Advisory.From)
	b.ownKey()
	for i := range m.Advisory.From {
		fields = append(fields, &m.Advisory.From[i].Column)
	}
	fields = append(fields, ruleColumns(m)...)
	for _, f := range fields {
		if *f == "" {
			continue
		}
		name, err := b.name(*f)
		if err != nil {
			return err
		}
		*f = name
	}
	times := map[string]inspect.TimeBinding{}
	for column, binding := range m.Times {
		name, err := b.name(column)
		if err != nil {
			return err
		}
		times[name] = binding
	}
	m.Times = times
	return nil
}

// hide makes columns unreadable, as if the role had no right to them.
func (b *binder) hide(names []string) {
	hidden := func(column string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, column) })
	}
	if hidden(b.m.Result) {
		b.m.Result = ""
	}
	mapped := b.m.Columns()
	b.table.Columns = slices.Clone(b.table.Columns)
	for i, c := range b.table.Columns {
		if hidden(c.Name) && !slices.Contains(mapped, c.Name) {
			b.table.Columns[i].Readable = false
		}
	}
}

// name finds a column as typed, else the only one that differs in case alone.
func (b *binder) name(typed string) (string, error) {
	if _, ok := b.table.Column(typed); ok {
		return typed, nil
	}
	var folded, all []string
	for _, c := range b.table.Columns {
		all = append(all, c.Name)
		if strings.EqualFold(c.Name, typed) {
			folded = append(folded, c.Name)
		}
	}
	if len(folded) == 1 {
		return folded[0], nil
	}
	f := &inspect.Fault{
		Kind: inspect.FaultUnknownColumn, What: fmt.Sprintf("table %s has no column %s", b.table.FullName(), typed),
		Next: "its columns are " + strings.Join(all[:min(len(all), 20)], ", "), Candidates: near(typed, all),
	}
	if len(f.Candidates) > 0 {
		f.Next = "did you mean " + strings.Join(f.Candidates, " or ") + "?"
	}
	return "", f
}

// readable: the role may read every mapped column. Column grants suffice.
func (b *binder) readable() error {
	var denied, wanted []string
	for _, name := range b.m.Columns() {
		c, _ := b.table.Column(name)
		wanted = append(wanted, ident(name))
		if !c.Readable {
			denied = append(denied, name)
		}
	}
	if len(denied) == 0 {
		return nil
	}
	return &inspect.Fault{
		Kind: inspect.FaultPermission, What: fmt.Sprintf("no permission to read %s of %s", strings.Join(denied, ", "), b.table.FullName()),
		Next: fmt.Sprintf("as its owner: GRANT SELECT (%s, xmin, xmax) ON %s TO the role", strings.Join(wanted, ", "), tableName(b.table)),
	}
}

func (b *binder) keys() error {
	for i, k := range b.m.Key {
		c, _ := b.table.Column(k.Column)
		switch c.Base {
		case "int2", "int4", "int8":
			b.m.Key[i].Kind = inspect.PartInteger
		case "uuid":
			b.m.Key[i].Kind = inspect.PartUUID
		case "bytea":
			b.m.Key[i].Kind = inspect.PartBytes
		case "json", "jsonb", "xml", "point":
			return &inspect.Fault{Kind: inspect.FaultNoKey, What: fmt.Sprintf("column %s is %s and can be no key", k.Column, c.Type), Next: "map key to the column with the message id"}
		default:
			b.m.Key[i].Kind = inspect.PartText
		}
	}
	return nil
}

// states: the mapped values exist in an enum.
func (b *binder) states() error {
	if b.m.State.ByRules() {
		return b.rules()
	}
	c, _ := b.table.Column(b.m.State.Column)
	for _, s := range inspect.StateOrder {
		for i, v := range b.m.State.Values[s] {
			if err := fits(c, v); err != nil {
				return err
			}
			if c.Base == "bool" {
				b.m.State.Values[s] = slices.Clone(b.m.State.Values[s])
				b.m.State.Values[s][i] = boolText(v)
			}
		}
	}
	return nil
}

func fits(c inspect.Column, v string) error {
	what := fmt.Sprintf("state column %s is %s and never holds %q", c.Name, c.Type, v)
	switch {
	case len(c.Labels) > 0 && !slices.Contains(c.Labels, v):
		return &inspect.Fault{Kind: inspect.FaultMapping, What: what, Next: "its values are " + strings.Join(c.Labels, ", ")}
	case c.Base == "bool" && boolText(v) == "":
		return &inspect.Fault{Kind: inspect.FaultMapping, What: what, Next: "use true or false"}
	case slices.Contains([]string{"int2", "int4", "int8"}, c.Base) && strings.Trim(strings.TrimPrefix(v, "-"), "0123456789") != "":
		return &inspect.Fault{Kind: inspect.FaultMapping, What: what, Next: "use a whole number"}
	}
	return nil
}

func boolText(v string) string {
	switch strings.ToLower(v) {
	case "true", "t", "yes", "on", "1":
		return "true"
	case "false", "f", "no", "off", "0":
		return "false"
	}
	return ""
}

// times: each mapped time is one, and its zone or unit is known.
func (b *binder) times(assume string) error {
	m := &b.m
	names := map[string]string{"claimed_at": m.ClaimedAt, "lease": m.Lease.Column, "heartbeat": m.Heartbeat.Column, "completed_at": m.CompletedAt, "failed_at": m.FailedAt, "expires_at": m.ExpiresAt}
	for _, meaning := range slices.Sorted(maps.Keys(names)) {
		column := names[meaning]
		if column == "" {
			continue
		}
		c, _ := b.table.Column(column)
		binding := m.Times[column]
		switch c.Base {
		case "timestamptz":
		case "timestamp":
			b.zone(c, assume)
		case "date":
			b.zone(c, assume)
			b.table.Warnings = append(b.table.Warnings, fmt.Sprintf("%s has no time of day, read as late as it can mean: at best a day is told from the next", column))
		case "int4", "int8", "numeric", "float8":
			if binding.Unit == "" {
				return &inspect.Fault{Kind: inspect.FaultNotATime, What: fmt.Sprintf("column %s (%s) is %s, not a time", column, meaning, c.Type), Next: fmt.Sprintf("if it counts from 1970, say its unit: --map '...,unit.%s=s|ms|us|ns'", column)}
			}
		default:
			return &inspect.Fault{Kind: inspect.FaultNotATime, What: fmt.Sprintf("column %s (%s) is %s, not a time", column, meaning, c.Type), Next: "map " + meaning + " to a timestamp, or to a number with its unit"}
		}
	}
	return nil
}

func (b *binder) zone(c inspect.Column, assume string) {
	binding := b.m.Times[c.Name]
	if binding.Zone == "" {
		binding.Zone = assume
	}
	if binding.Zone == "" {
		binding.Zone = "UTC"
	}
	if _, told := b.m.Times[c.Name]; !told || b.m.Times[c.Name].Zone == "" {
		b.table.Warnings = append(b.table.Warnings, fmt.Sprintf("%s has no zone, read as %s (--assume-tz or --map 'zone.%s=ZONE' change it)", c.Name, binding.Zone, c.Name))
	}
	b.m.Times[c.Name] = binding
}

// numbers: what is added to a lease is an interval or a number.
func (b *binder) numbers() error {
	plus := b.m.Lease.PlusColumn
	if plus == "" {
		return nil
	}
	c, _ := b.table.Column(plus)
	if slices.Contains([]string{"interval", "int2", "int4", "int8", "numeric", "float4", "float8"}, c.Base) {
		return nil
	}
	return &inspect.Fault{Kind: inspect.FaultNotATime, What: fmt.Sprintf("column %s (lease) is %s", plus, c.Type), Next: "what is added to a lease is an interval or a number of seconds"}
}

func (t *tx) knowsZone(ctx context.Context, zone string) error {
	if zone == "" || zone == "UTC" {
		return nil
	}
	known := false
	err := t.texts(ctx, func(v []*string) error {
		known = true
		return nil
	}, "SELECT name FROM pg_timezone_names WHERE lower(name) = lower($1::text) LIMIT 1", zone)
	if err == nil && !known {
		err = &inspect.Fault{Kind: inspect.FaultMapping, What: fmt.Sprintf("the server knows no time zone %q", zone), Next: "use a name such as Europe/Berlin or UTC"}
	}
	return err
}
