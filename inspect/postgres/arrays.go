package postgres

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// arrayType is a type whose arrays are sent in binary: the server reads those of a
// thousand rows in half the time.
type arrayType struct {
	oid uint32
	// put appends a value, given as the server's own text of it; false where the
	// text has another form.
	put func(to []byte, text string) ([]byte, bool)
}

var arrayTypes = map[string]arrayType{
	"text":        {pgtype.TextOID, func(to []byte, s string) ([]byte, bool) { return append(to, s...), true }},
	"int2":        {pgtype.Int2OID, func(to []byte, s string) ([]byte, bool) { return putInteger(to, s, 16) }},
	"int4":        {pgtype.Int4OID, func(to []byte, s string) ([]byte, bool) { return putInteger(to, s, 32) }},
	"int8":        {pgtype.Int8OID, func(to []byte, s string) ([]byte, bool) { return putInteger(to, s, 64) }},
	"xid":         {pgtype.XIDOID, putXID},
	"uuid":        {pgtype.UUIDOID, putUUID},
	"timestamptz": {pgtype.TimestamptzOID, func(to []byte, s string) ([]byte, bool) { return putTime(to, s, "+00") }},
	"timestamp":   {pgtype.TimestampOID, func(to []byte, s string) ([]byte, bool) { return putTime(to, s, "") }},
}

// exact: two values of the type are equal where their texts are, and only there
// (time zone and styles being those of settings). Such a column is compared as
// it is, any other as its text.
func exact(base string) bool {
	_, known := arrayTypes[base]
	return known && base != "text"
}

// encodeArrays are the parameters of a statement, with their formats.
func encodeArrays(types []string, arrays [][]*string) (parameters [][]byte, formats []int16) {
	parameters, formats = make([][]byte, len(arrays)), make([]int16, len(arrays))
	for i, a := range arrays {
		parameters[i], formats[i] = encodeArray(types[i], a)
	}
	return parameters, formats
}

// encodeArray is an array as a parameter, and its format. What has no plain
// binary form, such as the time infinity, is left to the server to read.
func encodeArray(base string, values []*string) (parameter []byte, format int16) {
	e := arrayTypes[base]
	size := 20
	for _, v := range values {
		size += 12
		if v != nil {
			size += len(*v)
		}
	}
	// Dimensions, whether there are NULLs, the elements' type, length, lower
	// bound; then each element with its length, -1 for NULL (array_recv).
	out := make([]byte, 0, size)
	for _, n := range []uint32{1, 1, e.oid, uint32(len(values)), 1} {
		out = binary.BigEndian.AppendUint32(out, n)
	}
	last, lastAt := "", 0
	for _, v := range values {
		if v == nil {
			out = binary.BigEndian.AppendUint32(out, 1<<32-1)
			continue
		}
		at := len(out)
		if lastAt > 0 && *v == last { // as times and owners often are
			size := 4 + int(binary.BigEndian.Uint32(out[lastAt:]))
			out = append(out, out[lastAt:lastAt+size]...)
			continue
		}
		last, lastAt = *v, at
		var ok bool
		if out, ok = e.put(append(out, 0, 0, 0, 0), *v); !ok {
			return textOfArray(values), pgx.TextFormatCode
		}
		binary.BigEndian.PutUint32(out[at:], uint32(len(out)-at-4))
	}
	return out, pgx.BinaryFormatCode
}

// textOfArray is an array as the server reads one from a text.
func textOfArray(values []*string) []byte {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	out := []byte{'{'}
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		if v == nil {
			out = append(out, "NULL"...)
			continue
		}
		out = append(append(append(out, '"'), quoted.Replace(*v)...), '"')
	}
	return append(out, '}')
}

func putInteger(to []byte, text string, bits int) ([]byte, bool) {
	n, err := strconv.ParseInt(text, 10, bits)
	if err != nil {
		return to, false
	}
	switch bits {
	case 16:
		return binary.BigEndian.AppendUint16(to, uint16(n)), true
	case 32:
		return binary.BigEndian.AppendUint32(to, uint32(n)), true
	}
	return binary.BigEndian.AppendUint64(to, uint64(n)), true
}

func putXID(to []byte, text string) ([]byte, bool) {
	n, err := strconv.ParseUint(text, 10, 32)
	return binary.BigEndian.AppendUint32(to, uint32(n)), err == nil
}

func putUUID(to []byte, text string) ([]byte, bool) {
	digits := strings.ReplaceAll(text, "-", "")
	if len(text) != 36 || len(digits) != 32 {
		return to, false
	}
	out, err := hex.AppendDecode(to, []byte(digits))
	return out, err == nil
}

// epoch is the zero of the server's times.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

// putTime appends a time of four-digit years, as microseconds since epoch.
func putTime(to []byte, text, zone string) ([]byte, bool) {
	text, ok := strings.CutSuffix(text, zone)
	const form = "2006-01-02 15:04:05"
	if !ok || len(text) < len(form) {
		return to, false
	}
	var micros int64
	if fraction := text[len(form):]; fraction != "" {
		digits, isFraction := strings.CutPrefix(fraction, ".")
		n, digitsOnly := number(digits)
		if !isFraction || !digitsOnly || len(digits) > 6 {
			return to, false
		}
		for range 6 - len(digits) {
			n *= 10
		}
		micros = int64(n)
	}
	var parts [6]int
	for i, at := range [6][2]int{{0, 4}, {5, 7}, {8, 10}, {11, 13}, {14, 16}, {17, 19}} {
		if parts[i], ok = number(text[at[0]:at[1]]); !ok {
			return to, false
		}
	}
	at := time.Date(parts[0], time.Month(parts[1]), parts[2], parts[3], parts[4], parts[5], 0, time.UTC)
	var same [len(form)]byte
	if string(at.AppendFormat(same[:0], form)) != text[:len(form)] {
		return to, false // no such day, or other separators
	}
	return binary.BigEndian.AppendUint64(to, uint64(at.UnixMicro()+micros-epoch)), true
}

// number reads decimal digits, and nothing else.
func number(digits string) (n int, ok bool) {
	for i := range len(digits) {
		d := digits[i] - '0'
		if d > 9 {
			return 0, false
		}
		n = n*10 + int(d)
	}
	return n, digits != ""
}
