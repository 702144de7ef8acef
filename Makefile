# make run    installs what is missing, builds, and runs the tour
# make test   installs what the tests need, builds, and tests everything
# make build  leaves the release command at build/tacit
# make help   lists the rest

.PHONY: help run build train test check tidy format bench install clean
.DEFAULT_GOAL := help

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

run: build ## install what is missing, build, run the tour
	build/tacit demo

build: ## build the release command: build/tacit
	@scripts/setup build
	cmake --preset command
	cmake --build --preset command
	@ln -sf command/cli/tacit build/tacit

train: ## build 'tacit train' too: fetches PyTorch (5.6 GB), leaves build/tacit-train
	@scripts/setup train
	cmake --preset command -DTACIT_TRAIN=ON
	cmake --build --preset command
	@ln -sf command/cli/tacit build/tacit
	@ln -sf command/cli/tacit-train build/tacit-train

test: ## install what the tests need, build, run every check
	scripts/check --setup

check: ## the checks alone, on a machine that is set up; 'scripts/check unit' runs one
	scripts/check

tidy: ## clang-tidy over what ships
	scripts/check tidy

format: ## rewrite the sources as .clang-format says
	git ls-files '*.h' '*.cc' | xargs clang-format-19 -i

bench: ## compare with the peers: make bench NAME=noise
	bench/compare $(NAME)

install: build ## install the library and the command (PREFIX, default /usr/local)
	cmake --install build/command --prefix $(or $(PREFIX),/usr/local)

clean: ## remove the build folder
	rm -rf build
