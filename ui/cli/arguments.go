package cli

import "strings"

// TakeArguments returns a copy of the process's arguments and blanks the
// passwords in the originals, so that 'ps' and /proc no longer show them. What
// is passed must be os.Args or a part of it.
func TakeArguments(args []string) []string {
	taken := make([]string, len(args))
	for i, arg := range args {
		taken[i] = strings.Clone(arg)
		for _, span := range passwordSpans(taken[i]) {
			blank(arg[span[0]:span[1]])
		}
	}
	return taken
}

// passwordSpans are where passwords stand in a text, as pairs of offsets.
func passwordSpans(text string) [][2]int {
	var spans [][2]int
	for _, found := range urlPassword.FindAllStringSubmatchIndex(text, -1) {
		spans = append(spans, [2]int{found[3] + len(":"), found[1] - len("@")})
	}
	for _, found := range wordPassword.FindAllStringSubmatchIndex(text, -1) {
		spans = append(spans, [2]int{found[6], found[7]})
	}
	return spans
}
