package cli

import (
	"regexp"

	"idemtui/ui/text"
)

// urlPassword finds the password of a URL, wherever it stands in a text.
var urlPassword = regexp.MustCompile(`(://[^:/@\s"']*):[^\s"']*@`)

// wordPassword finds the password among libpq keywords.
var wordPassword = regexp.MustCompile(`(?i)\b(password|passwd|pwd|sslpassword)(\s*=\s*|%3d)('(?:[^'\\]|\\.)*'|[^\s&"']+)`)

// plain makes a message fit for one line on a terminal: no line breaks, no
// control characters, no passwords. The patterns catch what a person typed in
// the wrong place, such as a DSN where a command is expected.
func (a *app) plain(message string) string {
	for _, secret := range a.secrets {
		message = secret.Scrub(message)
	}
	message = urlPassword.ReplaceAllString(message, "$1:***@")
	message = wordPassword.ReplaceAllString(message, "$1$2***")
	return text.Sanitise(oneLine(message))
}
