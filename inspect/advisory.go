package inspect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// AdvisoryBinding says which advisory lock a worker holds for as long as it
// works on a claim: pg_advisory_lock(ID), or pg_advisory_lock(CLASS, ID) where
// there is a class. The id is made of the row's own columns.
// https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS
type AdvisoryBinding struct {
	Hash AdvisoryHash // "" means that no advisory lock is mapped
	// From are what the id is made of, put together in this order.
	From []AdvisoryPiece
	// Class is the first of two numbers, if there are two.
	Class Null[AdvisoryClass]
}

// AdvisoryPiece is a column, or a text that stands beside one.
type AdvisoryPiece struct{ Column, Text string }

// AdvisoryClass is a number, or the hashtext of a text.
type AdvisoryClass struct {
	Number int32
	Text   string
}

// AdvisoryHash says how a lock's id is made of text.
type AdvisoryHash string

// The ways in which applications make lock ids. Md5 takes the first 64 bits, as
// good_job does of md5('good_jobs-'||id) (bensheldon/good_job at 125d80ede1,
// advisory_lockable.rb); hashtextextended has the seed 0.
const (
	AdvisoryHashText         AdvisoryHash = "hashtext"
	AdvisoryHashTextExtended AdvisoryHash = "hashtextextended"
	AdvisoryMD5              AdvisoryHash = "md5"
	AdvisoryInt              AdvisoryHash = "int"
)

var advisoryHashes = []AdvisoryHash{AdvisoryHashText, AdvisoryHashTextExtended, AdvisoryMD5, AdvisoryInt}

// advisoryForm is what is said of a text that is no advisory lock.
const advisoryForm = "want [CLASS:]HASH(COL), as in hashtext(id), 7:int(id) or hashtext('jobs'):hashtext('pay-'||id); HASH is hashtext, hashtextextended, md5 or int"

// Mapped reports whether the table's workers hold advisory locks.
func (b AdvisoryBinding) Mapped() bool { return b.Hash != "" }

// Columns are those that the id is made of.
func (b AdvisoryBinding) Columns() []string {
	var out []string
	for _, p := range b.From {
		if p.Column != "" {
			out = append(out, p.Column)
		}
	}
	return out
}

// InNames has the columns renamed.
func (b AdvisoryBinding) InNames(name func(string) string) AdvisoryBinding {
	b.From = slices.Clone(b.From)
	for i := range b.From {
		b.From[i].Column = name(b.From[i].Column)
	}
	return b
}

// String writes the binding as ParseAdvisory reads it.
func (b AdvisoryBinding) String() string {
	if !b.Mapped() {
		return ""
	}
	out := ""
	switch {
	case b.Class.OK && b.Class.V.Text != "":
		out = string(AdvisoryHashText) + "(" + quotedText(b.Class.V.Text) + "):"
	case b.Class.OK:
		out = strconv.Itoa(int(b.Class.V.Number)) + ":"
	}
	pieces := make([]string, len(b.From))
	for i, p := range b.From {
		pieces[i] = quotedText(p.Text)
		if p.Column != "" {
			pieces[i] = advisoryEscape.Replace(p.Column)
		}
	}
	return out + string(b.Hash) + "(" + strings.Join(pieces, "||") + ")"
}

// advisoryEscape covers what means something in a binding, and in a mapping
// around it.
var advisoryEscape = strings.NewReplacer(`\`, `\\`, "'", `\'`, "|", `\|`, ",", `\,`, "(", `\(`, ")", `\)`, ":", `\:`, "+", `\+`, " ", `\ `)

func quotedText(s string) string { return "'" + advisoryEscape.Replace(s) + "'" }

// ParseAdvisory reads [CLASS:]HASH(PIECE||PIECE...); a piece is a column or a
// 'text', a class a number or hashtext('text'). A backslash takes its meaning
// from the character after it.
func ParseAdvisory(text string) (AdvisoryBinding, error) {
	var b AdvisoryBinding
	rest := trimEscaped(text)
	if parts := splitAdvisory(rest, ":"); len(parts) == 2 {
		class, err := parseClass(trimEscaped(parts[0]))
		if err != nil {
			return b, err
		}
		b.Class, rest = Some(class), trimEscaped(parts[1])
	}
	name, inner, ok := cutCall(rest)
	b.Hash = AdvisoryHash(name)
	if !ok || !slices.Contains(advisoryHashes, b.Hash) {
		return AdvisoryBinding{}, fmt.Errorf("%q: %s", text, advisoryForm)
	}
	for _, raw := range splitAdvisory(inner, "||") {
		raw = trimEscaped(raw)
		piece := AdvisoryPiece{Column: unescape(raw)}
		if quoted, ok := cutQuoted(raw); ok {
			piece = AdvisoryPiece{Text: quoted}
		}
		if piece == (AdvisoryPiece{}) {
			return AdvisoryBinding{}, fmt.Errorf("%q: an empty piece; %s", text, advisoryForm)
		}
		b.From = append(b.From, piece)
	}
	switch {
	case len(b.Columns()) == 0:
		return AdvisoryBinding{}, fmt.Errorf("%q: it names no column, so every claim would have the same lock", text)
	case b.Hash == AdvisoryInt && len(b.From) > 1:
		return AdvisoryBinding{}, fmt.Errorf("%q: int takes one column", text)
	case b.Class.OK && b.Hash != AdvisoryHashText && b.Hash != AdvisoryInt:
		return AdvisoryBinding{}, fmt.Errorf("%q: with a class the id has 32 bits: hashtext or int", text)
	}
	return b, nil
}

func parseClass(text string) (AdvisoryClass, error) {
	if name, inner, ok := cutCall(text); ok && name == string(AdvisoryHashText) {
		if quoted, ok := cutQuoted(trimEscaped(inner)); ok && quoted != "" {
			return AdvisoryClass{Text: quoted}, nil
		}
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return AdvisoryClass{}, fmt.Errorf("class %q: %s", text, advisoryForm)
	}
	return AdvisoryClass{Number: int32(n)}, nil
}

// cutCall cuts NAME(INNER).
func cutCall(text string) (name, inner string, ok bool) {
	name, inner, ok = strings.Cut(text, "(")
	end := len(inner) - 1
	if !ok || end < 0 || inner[end] != ')' || escapedAt(inner, end) {
		return "", "", false
	}
	return strings.TrimSpace(name), inner[:end], true
}

// cutQuoted reads a whole 'text'.
func cutQuoted(raw string) (string, bool) {
	if len(raw) < 2 || raw[0] != '\'' || raw[len(raw)-1] != '\'' || escapedAt(raw, len(raw)-1) {
		return "", false
	}
	return unescape(strings.ReplaceAll(raw[1:len(raw)-1], "''", `\'`)), true
}

// splitAdvisory cuts at each separator outside quotes that is not escaped.
func splitAdvisory(s, separator string) []string {
	var out []string
	start, quoted := 0, false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '\'':
			quoted = !quoted
		case !quoted && strings.HasPrefix(s[i:], separator):
			out = append(out, s[start:i])
			i += len(separator) - 1
			start = i + 1
		}
	}
	return append(out, s[start:])
}

// escapedAt reports whether an odd number of backslashes stands before i.
func escapedAt(s string, i int) bool {
	n := 0
	for ; i-n > 0 && s[i-n-1] == '\\'; n++ {
	}
	return n%2 == 1
}

// blanks are what is trimmed around names.
const blanks = " \t\r\n"

// trimEscaped trims blanks, but not one that a backslash keeps.
func trimEscaped(s string) string {
	s = strings.TrimLeft(s, blanks)
	for s != "" && strings.IndexByte(blanks, s[len(s)-1]) >= 0 && !escapedAt(s, len(s)-1) {
		s = s[:len(s)-1]
	}
	return s
}

// locked: a live session holds the row's lock or the claim's advisory lock.
func (f Facts) locked(c Claim) bool {
	return f.LocksHidden == "" && len(f.Locks[c.Key]) > 0 || len(f.Advisory[c.Key]) > 0
}

// advisoryEvidence says who holds the claim's advisory lock; of a table whose
// locks are not mapped, what advisory locks the owner's sessions hold.
func advisoryEvidence(c Claim, f Facts) (Evidence, bool) {
	e := Evidence{Rung: RungAdvisoryLock, For: ForNeither}
	if !f.Mapping.Advisory.Mapped() {
		e.Text = heldByOwner(c, f)
		return e, e.Text != ""
	}
	lock := f.Mapping.Advisory.String()
	holders := f.Advisory[c.Key]
	switch {
	case f.AdvisoryHidden != "":
		e.Text = "advisory locks not seen: " + f.AdvisoryHidden
	case len(holders) == 0:
		e.Text = fmt.Sprintf("no live session holds its advisory lock (%s)", lock)
		if other := heldByOwner(c, f); other != "" {
			e.Text += "; " + other
		}
	default:
		e.For = ForAlive
		words := make([]string, len(holders))
		for i, h := range holders {
			words[i] = h.words()
		}
		e.Text = fmt.Sprintf("its advisory lock (%s) is held by %s", lock, strings.Join(words, " and by "))
	}
	return e, true
}

// heldByOwner names the advisory locks that sessions under the owner's name
// hold, for whatever they are.
func heldByOwner(c Claim, f Facts) string {
	if f.Sessions == nil || !c.Owner.OK {
		return ""
	}
	var words []string
	for _, s := range f.Sessions.ByOwner[c.Owner.V] {
		if s.AdvisoryLocks > 0 {
			words = append(words, fmt.Sprintf("pid %d holds %s (%s)", s.PID, plural(s.AdvisoryLocks, "advisory lock"), s.AdvisoryWords))
		}
	}
	if len(words) == 0 {
		return ""
	}
	const most = 3
	if more := len(words) - most; more > 0 {
		words = append(words[:most], fmt.Sprintf("%d sessions more", more))
	}
	return "under the owner's name " + strings.Join(words, ", ") + "; for which claim is not known"
}
