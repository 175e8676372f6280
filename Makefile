# make deps   what the tests need: Debian packages (as root or with sudo) and modules
# make test   everything: -race, vet, gofumpt, staticcheck, tidy; a skipped server test is a failure
# make build  the program ./idemtui
# make bench  the benchmarks
# make stress the releases among workers, for long: STRESS=1000000 attempts, killed servers and programs

GO ?= go
# Packages tested at a time. Under -race, with servers beside them, two cores
# are full at two.
TEST_PACKAGES ?= 2
STRESS ?= 1000000

.PHONY: build deps test check unit bench stress

build:
	CGO_ENABLED=0 $(GO) build -trimpath -o idemtui .

deps:
	.ci/deps
	$(GO) mod download

test: check unit

check:
	$(GO) mod tidy -diff
	$(GO) vet ./...
	@unformatted=$$($(GO) tool gofumpt -l .); if [ -n "$$unformatted" ]; then echo "not formatted; run '$(GO) tool gofumpt -w .':"; echo "$$unformatted"; exit 1; fi
	$(GO) tool staticcheck ./...

unit:
	IDEMTUI_TEST_REQUIRE=1 $(GO) test -race -p $(TEST_PACKAGES) -timeout 15m ./...
	$(GO) test ./sim -run Figures

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

stress:
	IDEMTUI_TEST_REQUIRE=1 IDEMTUI_STRESS=$(STRESS) $(GO) test -run 'TestNoRelease|TestTheStressTest' -v -timeout 6h ./inspect/postgres
	IDEMTUI_TEST_REQUIRE=1 IDEMTUI_STRESS=$(STRESS) $(GO) test -run TestKilled -v -timeout 1h ./ui/cli
