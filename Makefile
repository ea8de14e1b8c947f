# SPDX-License-Identifier: Apache-2.0
# One command each. `make help` lists them; JOBS=n limits parallel work, CXX picks the compiler of a fresh build folder,
# PAPER holds options of scripts/paper.
SHELL := /bin/bash
JOBS ?= $(shell nproc)
.DEFAULT_GOAL := help
.PHONY: help setup build run test sanitize wheel bench paper format lint clean

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):[^#]*## /  make \1\t/' | expand -t 18

setup: ## install what is missing; does nothing when everything is there
	@scripts/setup

build: setup ## build the library, the program (build/bin/repose) and the tests
	@scripts/build release $(JOBS)

run: build ## simulate a 25-stone arch under fire, certify every step, write out/arch.html
	@mkdir -p out
	build/bin/repose run arch --set stones=25 --set projectiles=true --record out/arch.h5 --json out/arch.json
	build/bin/repose check out/arch.h5
	build/bin/repose export out/arch.h5 --to out/arch.html

test: build ## every test; the last line is "N passed, N failed"
	@scripts/test build $(JOBS)

sanitize: setup ## every test under the address and undefined-behaviour sanitizers
	@scripts/build sanitize $(JOBS)
	@scripts/test build-sanitize $(JOBS)

wheel: setup ## a self-contained Python wheel, into out/wheels
	@scripts/wheel

bench: ## benchmarks, into bench/results
	@scripts/setup build bench
	@scripts/build release $(JOBS)
	@scripts/bench

paper: build ## tables and figures of the paper with our numbers beside its own, into docs/paper
	@scripts/paper $(PAPER)

format: ## rewrite all sources with clang-format
	@scripts/setup lint
	@scripts/format

lint: build ## clang-tidy on every source file
	@scripts/setup lint
	@scripts/lint $(JOBS)

clean: ## remove build folders and generated output
	rm -rf build build-debug build-sanitize out
