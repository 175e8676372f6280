package inspect

// First is the plan for its first row alone, with an id of its own: the way to
// try a release on one claim before the others.
func (p Plan) First() Plan {
	p.Rows = p.Rows[:min(1, len(p.Rows)):1]
	p.Refused = nil
	p.ID = PlanID(p)
	return p
}
