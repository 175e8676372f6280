package player

import tea "charm.land/bubbletea/v2"

// Token is the word that opens the run that is shown anywhere, empty where the
// run was made elsewhere, and no token tells of it.
func (p *Player) Token() string {
	switch {
	case p.guided:
		return ""
	case len(p.workloads[p.shown].sends) == 0:
		return p.Shown().Token()
	case p.config.Token != nil:
		return p.config.Token(p.Shown())
	}
	return ""
}

// CopyToken sends a token that is known elsewhere to the terminal's clipboard.
func (p *Player) CopyToken(token string) tea.Cmd {
	p.notice = "Sent to the terminal's clipboard: idemtui sim --open " + token
	return tea.SetClipboard(token)
}

// copyToken sends the token to the terminal's clipboard (OSC 52). The terminal
// does not answer, so no more can be said than that it was sent.
func (p *Player) copyToken() tea.Cmd {
	token := p.Token()
	if token == "" {
		p.notice = "No token tells of this run: a lesson tells its messages one by one."
		return nil
	}
	return p.CopyToken(token)
}
