package dsn

import "testing"

func TestWhatIsKeptHasNoPassword(t *testing.T) {
	for text, want := range map[string]string{
		"postgres://me:s3cret@db-1:5432/pay?sslmode=require":      "postgres://me@db-1:5432/pay?sslmode=require",
		"postgres://me@db-1/pay":                                  "postgres://me@db-1/pay",
		"postgres://db-1/pay?password=s3cret&user=me":             "postgres://db-1/pay?user=me",
		"host=db-1 password='s3 cret' dbname=pay sslmode=require": "host=db-1 dbname=pay sslmode=require",
		`host='/var/run/my sql' user = me dbname=pay`:             `host='/var/run/my sql' user=me dbname=pay`,
	} {
		d, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got, dropped := d.WithoutPassword()
		if got != want || dropped != (text != want && len(text) > len(want)+4) {
			t.Errorf("%q is kept as %q (dropped %v), want %q", text, got, dropped, want)
		}
	}
	d, err := Find("", func(name string) string {
		return map[string]string{"PGHOST": "db-1", "PGUSER": "me", "PGDATABASE": "pay", "PGPASSWORD": "s3cret"}[name]
	})
	if got, _ := d.WithoutPassword(); err != nil || got != "postgres://me@db-1/pay" {
		t.Errorf("PG* variables are kept as %q (%v)", got, err)
	}
}
