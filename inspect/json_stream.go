package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// EncodeListedClaim writes one claim as it stands in the claims of
// idemtui.claims/v1, after a comma where it is not the first.
func EncodeListedClaim(w io.Writer, c Claim, first bool) error {
	var buf bytes.Buffer
	if !first {
		buf.WriteString(",\n")
	}
	buf.WriteString("    ")
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("    ", "  ")
	if err := enc.Encode(newClaimJSON(c)); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	buf.Truncate(buf.Len() - 1) // the newline: a comma or the end of the list follows
	if _, err := w.Write(escapeUnprintable(buf.Bytes())); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}

// EncodeClaimsAround writes idemtui.claims/v1 around claims that were encoded one
// by one: list writes those.
func EncodeClaimsAround(w io.Writer, mode Mode, snapshots []Snapshot, list func() error) error {
	var buf bytes.Buffer
	if err := EncodeClaims(&buf, mode, snapshots); err != nil {
		return err
	}
	// No text of a table looks like this: a newline in a string is escaped.
	head, tail, _ := bytes.Cut(buf.Bytes(), []byte("\n  \"claims\": []"))
	if _, err := fmt.Fprintf(w, "%s\n  \"claims\": [\n", head); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	if err := list(); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "\n  ]%s", tail); err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	return nil
}
