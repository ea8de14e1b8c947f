# SPDX-License-Identifier: Apache-2.0
# One command each. `make help` lists them; JOBS=n limits parallel work, SECONDS is the time of each fuzzing target, CXX picks
# the compiler of a fresh build folder, PAPER holds options of scripts/paper, BENCH names of benchmarks (scripts/bench). Each
# target installs what it needs and is missing (scripts/setup).
SHELL := /bin/bash
JOBS ?= $(shell nproc)
.DEFAULT_GOAL := help
.PHONY: help setup run build test sanitize sanitize-thread fuzz bits wheel bench paper viewer docs format lint clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /  make \1\t/' | expand -t 24

run: ## build the program, simulate a 25-stone arch under fire, certify every step, write out/arch.html
	@scripts/setup run
	@scripts/build program $(JOBS)
	@mkdir -p out
	build/bin/repose run arch --set stones=25 --set projectiles=true --record out/arch.h5 --json out/arch.json
	build/bin/repose check out/arch.h5
	build/bin/repose export out/arch.h5 --to out/arch.html

setup: ## install what `make build` needs; does nothing when everything is there
	@scripts/setup build

build: setup ## the program (build/bin/repose) and the Python package (for .venv/bin/python); CUDA=1 adds the device code
	@$(if $(CUDA),scripts/setup device && cmake --preset release -DREPOSE_CUDA=ON)
	@scripts/build release $(JOBS) repose_products

test: ## every test; the last line is "N passed, N failed"
	@scripts/setup test
	@scripts/build release $(JOBS)
	@scripts/test build $(JOBS)

sanitize: ## every test under the address and undefined-behaviour sanitizers
	@scripts/setup test
	@scripts/build sanitize $(JOBS)
	@scripts/test build-sanitize $(JOBS)

sanitize-thread: ## the tests of worlds, batches, recordings and the viewer's server under the thread sanitizer
	@scripts/setup build
	@scripts/build thread $(JOBS) test_world test_batch test_record test_viewer
	@scripts/test_threads $(JOBS)

fuzz: ## look for inputs that crash the readers: SECONDS=60 for each of them, one line each
	@scripts/setup fuzz
	@scripts/fuzz $(if $(filter environment command line,$(origin SECONDS)),$(SECONDS),60)

bits: ## the frozen hashes with every compiler that is here, for x86-64-v3, AVX-512 and aarch64
	@scripts/setup bits
	@scripts/bits $(JOBS)

wheel: setup ## a self-contained Python wheel, into out/wheels; CUDA=1: repose-sim-cuda, with the device code
	@$(if $(CUDA),scripts/setup device)
	@CUDA=$(CUDA) scripts/wheel

bench: ## benchmarks into bench/results, their tables into docs; BENCH names some of them
	@scripts/setup bench
	@scripts/build release $(JOBS)
	@scripts/bench $(BENCH)

paper: ## tables and figures of the paper with our numbers beside its own, into docs/paper
	@scripts/setup python
	@scripts/build release $(JOBS) repose_products
	@scripts/paper $(PAPER)

viewer: ## the viewer's page from its sources, after a change in apps/viewer_page
	@scripts/setup viewer
	@scripts/viewer

docs: ## the documentation as one static site with search, into out/site
	@scripts/setup docs
	@scripts/build release $(JOBS) repose_products
	@scripts/docs

format: ## rewrite all sources with clang-format
	@scripts/setup lint
	@scripts/format

lint: setup ## clang-tidy on every source file
	@scripts/setup lint
	@scripts/lint $(JOBS)

clean: ## remove build folders and generated output
	rm -rf build build-debug build-sanitize build-thread build-fuzz build-bits out
