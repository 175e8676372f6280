package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"idemtui/inspect"
)

// planLife is how long a printed plan can be carried out.
const planLife = time.Hour

// keptPlan is a printed plan as it waits in the state folder.
type keptPlan struct {
	Schema string       `json:"schema"`
	Bulk   bool         `json:"bulk"`
	Kept   time.Time    `json:"kept"`
	Plan   inspect.Plan `json:"plan"`
}

const planSchema = "idemtui.plan/v1"

// planID is the form of a plan's id; anything else never becomes a file name.
var planID = regexp.MustCompile(`^[A-Za-z0-9_-]{4,64}$`)

func planFile(folder, id string) string { return filepath.Join(folder, "plan-"+id+".json") }

// keepPlan writes a plan to the state folder and removes those that are over.
// A file may hold what stands in the table, so only its owner may read it.
func (a *app) keepPlan(shared *inspectFlags, plan inspect.Plan, bulk bool) error {
	folder, err := a.stateFolder(shared)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return failure(fmt.Errorf("keep the plan: %w", err), "give another folder with --audit-dir")
	}
	a.removeOldPlans(folder)
	content, err := json.Marshal(keptPlan{Schema: planSchema, Bulk: bulk, Kept: a.now().UTC(), Plan: plan})
	if err != nil {
		return fmt.Errorf("keep the plan: %w", err)
	}
	unfinished := planFile(folder, plan.ID) + ".new"
	err = os.WriteFile(unfinished, content, 0o600)
	if err == nil {
		err = os.Rename(unfinished, planFile(folder, plan.ID))
	}
	if err != nil {
		return failure(fmt.Errorf("keep the plan: %w", err), "give another folder with --audit-dir")
	}
	return nil
}

// removeOldPlans drops the plans that nobody can carry out any more. One that
// cannot be removed does no harm: it is refused for its age.
func (a *app) removeOldPlans(folder string) {
	files, err := filepath.Glob(planFile(folder, "*"))
	if err != nil {
		return
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && a.now().Sub(info.ModTime()) > planLife {
			_ = os.Remove(file)
		}
	}
}

// keptPlan finds a plan by its id.
func (a *app) keptPlan(shared *inspectFlags, id string) (keptPlan, error) {
	const again = "print a new one by running the release without --yes"
	folder, err := a.stateFolder(shared)
	if err != nil {
		return keptPlan{}, err
	}
	if !planID.MatchString(id) {
		return keptPlan{}, usageError(fmt.Sprintf("%q is no plan's id", id), again)
	}
	content, err := os.ReadFile(planFile(folder, id))
	if errors.Is(err, fs.ErrNotExist) {
		return keptPlan{}, usageError(fmt.Sprintf("there is no plan %s, or it is over an hour old", id), again)
	}
	if err != nil {
		return keptPlan{}, failure(fmt.Errorf("read the plan: %w", err), again)
	}
	var kept keptPlan
	if err := json.Unmarshal(content, &kept); err != nil || kept.Schema != planSchema || kept.Plan.ID != id {
		return keptPlan{}, failure(fmt.Errorf("plan %s cannot be read", id), again)
	}
	if age := a.now().Sub(kept.Kept); age > planLife || age < -planLife {
		return keptPlan{}, usageError(fmt.Sprintf("plan %s is over an hour old", id), again)
	}
	return kept, nil
}

// planHere finds a kept plan, which must be of this database and table.
func (a *app) planHere(o opened, shared *inspectFlags, id string) (keptPlan, error) {
	kept, err := a.keptPlan(shared, id)
	if err == nil && (kept.Plan.Database != o.database.ID || kept.Plan.Table != o.table.FullName()) {
		err = usageError(fmt.Sprintf("plan %s is for %s in %s, not for %s in %s", id,
			kept.Plan.Table, kept.Plan.Database, o.table.FullName(), o.database.ID), "name that database")
	}
	return kept, err
}
