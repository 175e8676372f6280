package inspect

// openJSON is a transaction that has written to a table whose rows appear only
// when the work commits, and that has not ended.
type openJSON struct {
	Database       string   `json:"database"`
	Table          string   `json:"table"`
	PID            int64    `json:"pid"`
	Application    string   `json:"application"`
	User           string   `json:"user"`
	State          string   `json:"state"`
	AgeSeconds     *float64 `json:"age_seconds"`
	InStateSeconds *float64 `json:"in_state_seconds"`
	WaitsFor       []int64  `json:"waits_for"`
	EndSQL         string   `json:"end_sql"`
}

func openTransactions(snapshots []Snapshot) []openJSON {
	out := []openJSON{}
	for _, s := range snapshots {
		for _, o := range s.Open {
			out = append(out, openJSON{
				Database: s.Database.ID, Table: s.Table.FullName(), PID: o.PID, Application: o.Application, User: o.User, State: o.State,
				AgeSeconds: seconds(o.Age), InStateSeconds: seconds(o.InState), WaitsFor: append([]int64{}, o.WaitsFor...), EndSQL: o.EndSQL,
			})
		}
	}
	return out
}
