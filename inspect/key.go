package inspect

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// PartKind is the type of one key column.
type PartKind string

// The types of key columns. Anything else a database can write as text and
// read back (enums, dates) is a text part.
const (
	PartText    PartKind = "text"
	PartUUID    PartKind = "uuid"
	PartInteger PartKind = "integer"
	PartBytes   PartKind = "bytes"
)

// MaxKeyParts is how many columns a key may have.
const MaxKeyParts = 4

// KeyPart is the exact stored value of one key column.
type KeyPart struct {
	Column string
	Kind   PartKind
	// Value is the stored text; for PartBytes the bytes themselves.
	Value string
	// IsNull marks a NULL, which a table without a constraint may hold.
	IsNull bool
}

// Key identifies one row by the exact stored values of its key columns. Keys
// are comparable with == and may be map keys.
type Key struct {
	parts [MaxKeyParts]KeyPart
	n     int
}

// NewKey makes a key of one to four parts, in key order; parts beyond the
// fourth are an error of the caller and panic.
func NewKey(parts ...KeyPart) Key {
	var k Key
	k.n = copy(k.parts[:], parts)
	if k.n != len(parts) {
		panic(fmt.Sprintf("inspect: a key of %d parts", len(parts)))
	}
	return k
}

// TextKey makes the key of a table with a single text column.
func TextKey(column, value string) Key {
	return NewKey(KeyPart{Column: column, Kind: PartText, Value: value})
}

// Parts returns the parts in key order.
func (k Key) Parts() []KeyPart { return append([]KeyPart(nil), k.parts[:k.n]...) }

// Len is the number of parts; 0 for the zero Key.
func (k Key) Len() int { return k.n }

// HasNull reports whether a part is NULL: such a row is never released in bulk.
func (k Key) HasNull() bool {
	for _, p := range k.parts[:k.n] {
		if p.IsNull {
			return true
		}
	}
	return false
}

const (
	prefixHex  = "hex:"
	prefixText = "text:"
	nullPart   = "null:"
)

// String writes the key as one printable line, the same in JSON, on the
// command line and on screen; ParseKey reads it back. Text stands as stored;
// the parts of a composite key are joined by "/", with "/" and "\" inside a
// part escaped by "\"; bytes are "hex:00ff10"; text that is not printable, or
// that begins with one of the prefixes, is "text:" with \xNN for a byte and
// \u{...} for a code point. A NULL part is "null:".
func (k Key) String() string {
	if k.n == 1 {
		return k.parts[0].format(false)
	}
	var b strings.Builder
	for i, p := range k.parts[:k.n] {
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteString(p.format(true))
	}
	return b.String()
}

// Visible is String for a person's eyes: a key that is empty, or that begins or
// ends with a blank, is written as "text:" with the blanks as \x20. ParseKey
// reads it as the same key.
func (k Key) Visible() string {
	if s := k.String(); s != "" && strings.TrimSpace(s) == s {
		return s
	}
	out := make([]string, k.n)
	for i, p := range k.parts[:k.n] {
		out[i] = p.format(k.n > 1)
		inner := strings.Trim(p.Value, " ")
		if p.Kind == PartBytes || p.IsNull || p.Value != "" && inner == p.Value {
			continue
		}
		before := len(p.Value) - len(strings.TrimLeft(p.Value, " "))
		after := len(p.Value) - before - len(inner)
		out[i] = prefixText + strings.Repeat(`\x20`, before) + escapeText(inner, k.n > 1) + strings.Repeat(`\x20`, after)
	}
	return strings.Join(out, "/")
}

func (p KeyPart) format(composite bool) string {
	switch {
	case p.IsNull:
		return nullPart
	case p.Kind == PartBytes:
		return prefixHex + hex.EncodeToString([]byte(p.Value))
	case needsTextForm(p.Value):
		return prefixText + escapeText(p.Value, composite)
	case composite:
		return strings.NewReplacer(`\`, `\\`, `/`, `\/`).Replace(p.Value)
	default:
		return p.Value
	}
}

func needsTextForm(s string) bool {
	if strings.HasPrefix(s, prefixHex) || strings.HasPrefix(s, prefixText) || s == nullPart {
		return true
	}
	marks := 0
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return true
			}
		}
		if hides(r, &marks) {
			return true
		}
	}
	return false
}

// maxMarks is how many combining marks may follow one character.
const maxMarks = 4

// hides reports whether a character cannot be seen or told apart on a screen:
// what no font shows, what Unicode calls a letter and is blank, and the marks
// above maxMarks. marks counts those so far. A key must come out of every
// screen as it is written, or another row is released in its place.
func hides(r rune, marks *int) bool {
	if r >= ' ' && r <= '~' {
		*marks = 0
		return false
	}
	if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) {
		*marks++
	} else {
		*marks = 0
	}
	switch r {
	case '\u115f', '\u1160', '\u3164', '\uffa0', '\u034f', '\u2800':
		return true
	}
	return *marks > maxMarks || !unicode.IsPrint(r) || unicode.Is(unicode.Variation_Selector, r) && r != '\ufe0e' && r != '\ufe0f'
}

func escapeText(s string, composite bool) string {
	var b strings.Builder
	marks := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		hidden := hides(r, &marks)
		switch {
		case r == utf8.RuneError && size == 1, r < utf8.RuneSelf && hidden:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\\':
			b.WriteString(`\\`)
		case r == '/' && composite:
			b.WriteString(`\/`)
		case hidden:
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	return b.String()
}

// KeyColumn is one column of a table's key: its name, its type and its part
// in the identity of a message.
type KeyColumn struct {
	Column string
	Kind   PartKind
	Role   KeyRole
}

// KeyRole tells the message id from the consumer it was claimed for.
type KeyRole string

// The roles of key columns.
const (
	RoleMessage KeyRole = "message"
	RoleScope   KeyRole = "scope"
)

// ParseKey reads a key as String writes it, for the given key columns.
func ParseKey(s string, columns []KeyColumn) (Key, error) {
	if len(columns) == 0 || len(columns) > MaxKeyParts {
		return Key{}, fmt.Errorf("a key has 1 to %d columns, not %d", MaxKeyParts, len(columns))
	}
	composite := len(columns) > 1
	segments := []string{s}
	if composite {
		segments = splitParts(s)
	}
	if len(segments) != len(columns) {
		names := make([]string, len(columns))
		for i, c := range columns {
			names[i] = c.Column
		}
		return Key{}, fmt.Errorf("key %q has %d parts, but the table's key is %s", s, len(segments), strings.Join(names, "/"))
	}
	parts := make([]KeyPart, len(columns))
	for i, c := range columns {
		p, err := parsePart(segments[i], c, composite)
		if err != nil {
			return Key{}, err
		}
		parts[i] = p
	}
	return NewKey(parts...), nil
}

// splitParts cuts at each "/" that no backslash escapes.
func splitParts(s string) []string {
	var out []string
	start := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '/':
			out = append(out, s[start:i])
			start = i + 1
		}
	}
	return append(out, s[start:])
}

func parsePart(s string, c KeyColumn, composite bool) (KeyPart, error) {
	p := KeyPart{Column: c.Column, Kind: c.Kind}
	if s == nullPart {
		p.IsNull = true
		return p, nil
	}
	if c.Kind == PartBytes {
		digits, ok := strings.CutPrefix(s, prefixHex)
		if !ok {
			return p, fmt.Errorf("key part %q: column %s holds bytes, write it as hex:00ff10", s, c.Column)
		}
		b, err := hex.DecodeString(digits)
		if err != nil {
			return p, fmt.Errorf("key part %q: not hexadecimal", s)
		}
		p.Value = string(b)
		return p, nil
	}
	var err error
	switch text, ok := strings.CutPrefix(s, prefixText); {
	case ok:
		p.Value, err = unescapeText(text)
	case strings.HasPrefix(s, prefixHex):
		err = fmt.Errorf("column %s holds no bytes; for a text that begins so write text:%s", c.Column, s)
	case composite:
		p.Value, err = unescapePart(s)
	default:
		p.Value = s
	}
	if err != nil {
		return p, fmt.Errorf("key part %q: %w", s, err)
	}
	return normalPart(p)
}

// normalPart checks a part against its type, and brings integers and uuids
// into the form in which databases print them.
func normalPart(p KeyPart) (KeyPart, error) {
	switch p.Kind {
	case PartInteger:
		digits := strings.TrimPrefix(p.Value, "-")
		if digits == "" || strings.Trim(digits, "0123456789") != "" {
			return p, fmt.Errorf("key part %q: column %s holds integers", p.Value, p.Column)
		}
		digits = strings.TrimLeft(digits, "0")
		switch {
		case digits == "":
			p.Value = "0"
		case p.Value[0] == '-':
			p.Value = "-" + digits
		default:
			p.Value = digits
		}
	case PartUUID:
		plain := strings.ReplaceAll(strings.ToLower(p.Value), "-", "")
		if b, err := hex.DecodeString(plain); err != nil || len(b) != 16 {
			return p, fmt.Errorf("key part %q: column %s holds uuids", p.Value, p.Column)
		}
		p.Value = strings.Join([]string{plain[:8], plain[8:12], plain[12:16], plain[16:20], plain[20:]}, "-")
	}
	return p, nil
}

func unescapePart(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
			if i == len(s) || (s[i] != '\\' && s[i] != '/') {
				return "", fmt.Errorf(`in a key of several parts write \\ for a backslash and \/ for a slash`)
			}
		}
		b.WriteByte(s[i])
	}
	return b.String(), nil
}

func unescapeText(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			i++
			continue
		}
		rest := s[i+1:]
		switch {
		case strings.HasPrefix(rest, `\`), strings.HasPrefix(rest, `/`):
			b.WriteByte(rest[0])
			i += 2
		case strings.HasPrefix(rest, "x") && len(rest) >= 3:
			v, err := strconv.ParseUint(rest[1:3], 16, 8)
			if err != nil {
				return "", fmt.Errorf(`\x wants two hexadecimal digits`)
			}
			b.WriteByte(byte(v))
			i += 4
		case strings.HasPrefix(rest, "u{"):
			end := strings.IndexByte(rest, '}')
			if end < 0 {
				return "", fmt.Errorf(`\u{ without }`)
			}
			v, err := strconv.ParseUint(rest[2:end], 16, 32)
			if err != nil || !utf8.ValidRune(rune(v)) {
				return "", fmt.Errorf(`\u{%s} is no code point`, rest[2:end])
			}
			b.WriteRune(rune(v))
			i += 1 + end + 1
		default:
			return "", fmt.Errorf(`after \ only \\, \/, \xNN and \u{...} are known`)
		}
	}
	return b.String(), nil
}

type keyPartJSON struct {
	Column string   `json:"column"`
	Kind   PartKind `json:"kind"`
	Value  string   `json:"value,omitempty"`
	Hex    string   `json:"hex,omitempty"`
	Null   bool     `json:"null,omitempty"`
}

// MarshalJSON writes the parts with their columns and types, for plan and
// audit files. (The documents of cli.md have the key as its String.)
func (k Key) MarshalJSON() ([]byte, error) {
	out := make([]keyPartJSON, k.n)
	for i, p := range k.parts[:k.n] {
		out[i] = keyPartJSON{Column: p.Column, Kind: p.Kind, Null: p.IsNull}
		if p.Kind == PartBytes || !utf8.ValidString(p.Value) {
			out[i].Hex = hex.EncodeToString([]byte(p.Value))
		} else {
			out[i].Value = p.Value
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (k *Key) UnmarshalJSON(data []byte) error {
	var in []keyPartJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("read key: %w", err)
	}
	if len(in) > MaxKeyParts {
		return fmt.Errorf("read key: %d parts", len(in))
	}
	parts := make([]KeyPart, len(in))
	for i, p := range in {
		parts[i] = KeyPart{Column: p.Column, Kind: p.Kind, Value: p.Value, IsNull: p.Null}
		if p.Hex != "" {
			b, err := hex.DecodeString(p.Hex)
			if err != nil {
				return fmt.Errorf("read key: %w", err)
			}
			parts[i].Value = string(b)
		}
	}
	*k = NewKey(parts...)
	return nil
}
