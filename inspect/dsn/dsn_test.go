package dsn

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"
)

func TestParseReadsWhatIsShown(t *testing.T) {
	cases := []struct{ text, display, redacted string }{
		{"postgres://ann:s3cr3t-pw@db-1:5432/payments", "payments@db-1:5432", "postgres://ann:***@db-1:5432/payments"},
		{"postgres://ann%40server-1:s3cr3t-pw@db-1/payments", "payments@db-1:5432", "postgres://ann%40server-1:***@db-1/payments"},
		{"postgres://s3cr3t@pw:x@db-1/payments", "payments@db-1:5432", "postgres://:***@db-1/payments"},
		{"postgresql://db-1/payments", "payments@db-1:5432", "postgres://db-1/payments"},
		{"postgres://ann@db-1", "ann@db-1:5432", "postgres://ann@db-1/"},
		{"postgres://ann:p%40ss%2Fw%23rd@db-1/pay%20ments", "pay ments@db-1:5432", "postgres://ann:***@db-1/pay%20ments"},
		{"postgres://ann:p@ss-word@db-1/payments", "payments@db-1:5432", "postgres://ann:***@db-1/payments"},
		{"postgres://[::1]:6432/payments", "payments@[::1]:6432", "postgres://[::1]:6432/payments"},
		{"postgres://a:1,b:2/payments", "payments@a:1,b:2:5432", "postgres://a:1,b:2/payments"},
		{"postgres://%2Fvar%2Frun%2Fpostgresql/payments", "payments@/var/run/postgresql:5432", "postgres://%2Fvar%2Frun%2Fpostgresql/payments"},
		{"postgres:///payments?host=/run/pg&port=6432&password=s3cr3t-pw", "payments@/run/pg:6432", "postgres://:***@%2Frun%2Fpg:6432/payments"},
		{"postgres://db-1/payments?sslmode=require&sslpassword=s3cr3t-pw", "payments@db-1:5432", "postgres://:***@db-1/payments"},
		{"postgres://ann%3As3cr3t-pw@db-1/payments", "payments@db-1:5432", "postgres://:***@db-1/payments"},
		{"host=db-1 dbname=payments user=ann password=s3cr3t-pw", "payments@db-1:5432", "postgres://ann:***@db-1/payments"},
		{`host = 'db-1' password='it\'s \\ s3cr3t' dbname='pay ments'`, "pay ments@db-1:5432", "postgres://:***@db-1/pay%20ments"},
		{"service=billing", "service=billing", "postgres:///?service=billing"},
		{"mysql://ann:s3cr3t-pw@db-2/payments", "payments@db-2:3306", "mysql://ann:***@db-2/payments"},
		{"sqlite:/var/lib/claims.db", "/var/lib/claims.db", "sqlite:/var/lib/claims.db"},
		{"sqlite:claims.db?_pragma=key('s3cr3t-pw')", "claims.db", "sqlite:claims.db"},
	}
	for _, c := range cases {
		d, err := Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := d.Display(); got != c.display {
			t.Errorf("%s: display %q, want %q", c.text, got, c.display)
		}
		for _, got := range []string{d.String(), Redact(c.text), fmt.Sprintf("%+v", d), fmt.Sprintf("%#v", d)} {
			if got != c.redacted {
				t.Errorf("%s: shown as %q, want %q", c.text, got, c.redacted)
			}
		}
		if d.Secret() != c.text {
			t.Errorf("%s: the driver gets %q", c.text, d.Secret())
		}
	}
}

func TestWhatCannotBeReadIsHiddenWhole(t *testing.T) {
	for _, text := range []string{
		"", "s3cr3t-pw", "postgres//ann:s3cr3t-pw@db", "redis://ann:s3cr3t-pw@db", "POSTGRES://ann:s3cr3t-pw@db?x=1",
		"postgres://ann:s3cr3t-pw", "postgres://ann:s3cr3t/pw@db/payments", "postgres://ann:12/s3cr3t-pw@db/payments",
		"postgres://ann:12?s3cr3t-pw@db/payments", "postgres://ann:12#s3cr3t-pw@db/payments", "postgres://ann:100%s3cr3t-pw@db",
		"postgres://ann:12?x=s3cr3t-pw@db/payments", "postgres://ann:s3cr3t pw/payments", "postgres://db:99999/x",
		"postgres://[::1/x", "postgres://[::1]x/y", "postgres://db/x\x00y",
		"host=db password='s3cr3t-pw", "host=db password='it's s3cr3t-pw' dbname=x", "host=db password=a s3cr3t-pw", "host=db port=s3cr3t-pw",
		"host=db user= password=s3cr3t-pw", "host=ann:s3cr3t-pw@db", "dbname=postgres://ann:s3cr3t-pw@db/x", "postgres:///ann:s3cr3t-pw@db/x",
		"sqlite:", "mysql://ann:s3cr3t-pw/x",
	} {
		d, err := Parse(text)
		if err == nil {
			t.Errorf("%q is read as %v", text, d)
			continue
		}
		if strings.Contains(err.Error(), "s3cr3t") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: error %q", text, err)
		}
		if got := Redact(text); !strings.HasSuffix(got, hidden) || strings.Contains(got, "s3cr3t") {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}

func TestNestedValuesShowNoPassword(t *testing.T) {
	d, err := Parse("postgres://ann:s3cr3t-pw@db/x")
	if err != nil {
		t.Fatal(err)
	}
	type holder struct {
		inner DSN // fmt calls no methods on unexported fields
		Outer DSN
	}
	h := holder{d, d}
	asJSON, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []string{fmt.Sprintf("%v", h), fmt.Sprintf("%+v", &h), fmt.Sprintf("%#v", h), fmt.Sprintf("%s", []DSN{d}), fmt.Sprintf("%q", d), fmt.Sprintf("%x", d), string(asJSON)} {
		if strings.Contains(got, "s3cr3t") || strings.Contains(got, fmt.Sprintf("%x", "s3cr3t")) {
			t.Errorf("shown as %s", got)
		}
	}
}

func TestScrubHidesEveryFormOfAPassword(t *testing.T) {
	const password = "p@ss w/rd+#é"
	d, err := Parse("postgres://ann:" + url.PathEscape(password) + "@db/x")
	if err != nil {
		t.Fatal(err)
	}
	text := "cannot parse " + d.Secret() + ": " + password + " " + url.QueryEscape(password) + " " + url.PathEscape(password)
	if got, want := d.Scrub(text), "cannot parse postgres://ann:***@db/x: *** *** ***"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (DSN{}).Scrub("as it was"); got != "as it was" {
		t.Errorf("the zero value scrubs to %q", got)
	}
}

func TestFindTakesTheFirstSource(t *testing.T) {
	pg := map[string]string{"PGHOST": "db-3", "PGDATABASE": "ledger", "PGPASSWORD": "s3cr3t-pw"}
	both := map[string]string{Variable: "postgres://db-2/payments", "PGHOST": "db-3", "PGPORT": "6432"}
	cases := []struct {
		name, flag      string
		environment     map[string]string
		source, display string
	}{
		{"flag", "postgres://db-1/x", both, "--dsn", "x@db-1:6432"},
		{"variable", "", both, Variable, "payments@db-2:6432"},
		{"libpq", "", pg, "PG* variables", "ledger@db-3:5432"},
		{"service", "", map[string]string{"PGSERVICE": "billing", "PGHOST": "ignored"}, "PG* variables", "service=billing"},
		{"string completed by libpq", "dbname=y", pg, "--dsn", "y@db-3:5432"},
	}
	for _, c := range cases {
		d, err := Find(c.flag, func(name string) string { return c.environment[name] })
		if err != nil || d.Source != c.source || d.Display() != c.display {
			t.Errorf("%s: %q by %q, %v; want %q by %q", c.name, d.Display(), d.Source, err, c.display, c.source)
		}
	}
	d, _ := Find("", func(name string) string { return pg[name] })
	if got := d.Scrub("wrong s3cr3t-pw"); got != "wrong ***" || d.Secret() != "" {
		t.Errorf("PGPASSWORD: scrubbed to %q, secret %q", got, d.Secret())
	}
}

func TestFindNeverInventsAServer(t *testing.T) {
	for _, environment := range []map[string]string{nil, {"PGUSER": "ann", "PGPASSWORD": "x", "PGSSLMODE": "require"}} {
		_, err := Find("", func(name string) string { return environment[name] })
		if !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "--demo") {
			t.Errorf("%v: %v", environment, err)
		}
	}
	_, err := Find("", func(string) string { return "postgres://ann:s3cr3t-pw" })
	if err == nil || errors.Is(err, ErrNone) || !strings.HasPrefix(err.Error(), Variable) {
		t.Errorf("a bad variable: %v", err)
	}
}

func TestOfServiceQuotes(t *testing.T) {
	const name = `it's a \ name`
	d, err := Parse(OfService(name).Secret())
	if err != nil || d.Service != name {
		t.Errorf("%q, %v", d.Service, err)
	}
}

// TestAgreesWithPgx holds the reading of keywords against the driver's.
func TestAgreesWithPgx(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		database := rapid.StringMatching(`[a-z\\' ]{1,12}`).Draw(t, "database")
		password := rapid.StringMatching(`[a-z\\'@:/# =]{1,12}`).Draw(t, "password")
		text := "host=db-1 password=" + quoteKeyword(password) + " dbname=" + quoteKeyword(database)
		d, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		config, err := pgx.ParseConfig(text)
		if err != nil {
			t.Fatal(err)
		}
		if config.Database != d.Database || config.Host != d.Host || config.Password != d.secret.passwords[0] {
			t.Fatalf("pgx reads %q %q %q, Parse %q %q %q", config.Host, config.Database, config.Password, d.Host, d.Database, d.secret.passwords[0])
		}
	})
}

func quoteKeyword(value string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value) + "'"
}

// forms assemble a connection string from user, password and host: properly,
// and as people do who do not know about escaping.
var forms = map[string]func(user, password, host string) string{
	"url": func(user, password, host string) string {
		return "postgres://" + url.UserPassword(user, password).String() + "@" + host + ":5432/payments"
	},
	"url, not escaped": func(user, password, host string) string {
		return "postgres://" + user + ":" + password + "@" + host + "/payments"
	},
	"mysql, not escaped": func(user, password, host string) string {
		return "mysql://" + user + ":" + password + "@" + host + ":3306/payments"
	},
	"url, colon escaped": func(user, password, host string) string {
		return "postgres://" + user + "%3A" + url.PathEscape(password) + "@" + host + "/payments"
	},
	"url parameter": func(user, password, host string) string {
		return "postgresql://" + host + "/payments?user=" + user + "&password=" + url.QueryEscape(password) + "&sslmode=require"
	},
	"url, sslpassword": func(_, password, host string) string {
		return "postgres://" + host + "/payments?sslpassword=" + url.QueryEscape(password)
	},
	"keywords": func(user, password, host string) string {
		return "host=" + host + " user=" + user + " password=" + quoteKeyword(password) + " dbname=payments"
	},
	"sqlite key": func(_, password, _ string) string {
		return "sqlite:claims.db?_pragma=key(" + url.QueryEscape(password) + ")"
	},
	"no scheme": func(user, password, host string) string { return user + ":" + password + "@" + host },
	"go driver": func(user, password, host string) string {
		return user + ":" + password + "@tcp(" + host + ":3306)/payments"
	},
}

// shown is everything that may be shown of a connection string.
func shown(text string) string {
	d, err := Find(text, func(string) string { return "" })
	return fmt.Sprintln(Redact(text), err, d.String(), d.Display(), fmt.Sprintf("%+v %#v", d, d), d.Scrub("failed: "+d.Secret()))
}

// checkNoLeak fails if what is shown holds eight bytes in a row of the password
// that are not there with another password.
func checkNoLeak(t interface{ Errorf(string, ...any) }, form func(user, password, host string) string, user, password, host string) {
	text := form(user, password, host)
	got, control := shown(text), shown(form(user, "QQQQQQQQQQQQ", host))
	for i := 0; i+8 <= len(password); i++ {
		if part := password[i : i+8]; strings.Contains(got, part) && !strings.Contains(control, part) {
			t.Errorf("%q of the password in %q is shown in %q", part, text, got)
			return
		}
	}
}

func TestNoFormShowsAPassword(t *testing.T) {
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				user := rapid.StringMatching(`[a-z]{1,8}`).Draw(t, "user")
				host := rapid.StringMatching(`[a-z]{1,8}(-[0-9])?`).Draw(t, "host")
				password := rapid.StringMatching(`[0-9A-Z@:/?#%&=+,;'"\\\[\]é -]{12,30}`).Draw(t, "password")
				checkNoLeak(t, form, user, password, host)
			})
		})
	}
}

func FuzzNoFormShowsAPassword(f *testing.F) {
	for _, password := range []string{
		"correct horse battery", "p@ss/w#rd:with?all%of&them=", `quote'and"and\back`, "12345/678901234567", "1234?x=1&user=abcdefghij",
		"12345678901234567890", "[::1]:5432/abcdefgh", "%41%42%43%44%45%46", "a,b:1,c:2,d:3,e:4",
	} {
		f.Add("ann", password, "db-1")
	}
	f.Fuzz(func(t *testing.T, user, password, host string) {
		// A user or host that breaks the form by itself is another subject, as
		// is a password that is a whole address of its own.
		if strings.ContainsAny(user+host, "@:/?#%&=, '\\[]\x00\r\n\t\v\f") || strings.Contains(password, "://") {
			t.Skip()
		}
		for _, form := range forms {
			checkNoLeak(t, form, user, password, host)
		}
	})
}
