# Signalbox: the commands.
#
#   make run     build what is missing and start Signalbox with the practice site
#   make test    everything that tests need, then all tests
#   make prove   what is too long for every run: PART=queue|pool|desk|deny (all parts where none is named)
#   make check   formatting and lints alone

.PHONY: run test prove check e2e build

run:
	@scripts/run.sh

test:
	@scripts/test.sh

prove:
	@scripts/prove.sh $(PART)

check:
	@scripts/test.sh lint

e2e:
	@scripts/test.sh e2e

build:
	@scripts/build.sh
