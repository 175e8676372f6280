package player

import tea "charm.land/bubbletea/v2"

// Token is the word that opens the run that is shown anywhere, empty where the
// run was made elsewhere, or its messages are told one by one, and no token tells
// of it.
func (p *Player) Token() string {
	if p.guided || len(p.workloads[p.shown].sends) > 0 {
		return ""
	}
	return p.Shown().Token()
}

// copyToken sends the token to the terminal's clipboard (OSC 52). The terminal
// does not answer, so no more can be said than that it was sent.
func (p *Player) copyToken() tea.Cmd {
	token := p.Token()
	if token == "" {
		p.notice = "No token tells of this run: a lesson tells its messages one by one."
		return nil
	}
	p.notice = "Sent to the terminal's clipboard: idemtui sim --open " + token
	return tea.SetClipboard(token)
}
