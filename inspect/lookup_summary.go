package inspect

import (
	"fmt"
	"strings"
)

// classOrder is the order in which counts are named, what needs work first.
var classOrder = []Class{
	ClassStuck, ClassUnclear, ClassHeld, ClassAlive, ClassFailed, ClassFree, ClassDone, ClassUnmapped, ClassNoRow,
}

// Words is the class as people say it.
func (c Class) Words() string { return strings.ReplaceAll(string(c), "_", " ") }

// Summary is the line of counts: they add up to the distinct keys.
func (l Lookup) Summary() string {
	counts := l.Counts()
	var parts []string
	for _, class := range classOrder {
		if n := counts[class]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, class.Words()))
		}
	}
	line := plural(int64(len(l.Keys)), "key") + ": " + strings.Join(parts, ", ")
	if l.Repeats > 0 {
		line += fmt.Sprintf("; %d repeated", l.Repeats)
	}
	if l.Blank > 0 {
		line += fmt.Sprintf("; %d blank", l.Blank)
	}
	return line
}
