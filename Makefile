# Usher. Two commands on a fresh machine with a Swift toolchain: `make run` and `make test`.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
SWIFT ?= swift
# How many checks run at a time: they wait more than they work.
JOBS ?= 4

# What checks start: the debug build, which the Swift tests need anyway, in short forms. LONG=1: the release build, and everything.
ifdef LONG
BUILT := build
PROGRAMS := .build/release
FORM :=
else
BUILT := build-tests
PROGRAMS := .build/debug
FORM := --short
endif
USHER := $(PROGRAMS)/usher
USHERD := $(PROGRAMS)/usherd

# What the build links, what the tests start, what the benchmarks measure beside.
BUILD_PACKAGES := g++ pkg-config libsqlite3-dev libtomlplusplus-dev libssl-dev \
	libxcb1-dev libxcb-res0-dev libxcb-sync-dev libxcb-shape0-dev libxcb-randr0-dev libsystemd-dev libglib2.0-dev
TEST_PACKAGES := tmux jq strace python3 python3-venv unicode-data tzdata bsdutils util-linux procps binutils systemd curl openssl \
	screen openssh-client faketime xvfb openbox i3-wm xfwm4 metacity sway weston kwin-wayland python3-gi gir1.2-gtk-3.0 xwayland xterm foot x11-utils xdotool wmctrl imagemagick grim wtype \
	dbus dunst libglib2.0-bin desktop-file-utils firefox-esr chromium neovim vim emacs-lucid kitty libwayland-egl1 xfce4-terminal at-spi2-core featherpad zenity mousepad zsh fish \
	less man-db vim-gtk3 zathura zathura-pdf-poppler evince okular libreoffice-writer alacritty mpv mpv-mpris libvlc5 vlc-plugin-base xdg-utils flatpak bubblewrap debootstrap \
	valgrind gnome-shell gjs nginx caddy prometheus prometheus-alertmanager gnome-settings-daemon-common libkf5globalaccel-bin
BENCH_PACKAGES := jq valgrind time python3 binutils wrk nginx webhook libsimdjson-dev util-linux sqlite3 grep \
	xvfb openbox i3-wm x11-utils xdotool wmctrl sway foot gnome-shell dbus libglib2.0-bin

# User units; `install` puts them where systemd looks.
UNITS := usherd.service usherd.socket usherd-webhook.socket usher-tmux.service
# What `install` puts into PREFIX/share/usher, under the same names.
SHARED := Extension Config/desktop Config/hooks Config/ready Config/rules Config/monitoring

# What `install` puts into PREFIX/share, where desktops look: the bus starts usherd when something is searched for.
SEARCH := $(shell find Config/search -type f -printf '%P\n')

# What debuggers read, which takes a tenth of the time of a build: `make build-tests DEBUG_INFO=dwarf`. Programs are stripped.
DEBUG_INFO ?= none

# A module is compiled at once, in debug builds too. In batches, each batch parses and checks the others' files again: a build from nothing
# took a quarter more processor time, and no edit that was measured took less. The index needs an object for each file: so threads.
WHOLE := -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2

# An undeclared import is an error; warnings are errors by manifest.
# The index of the build stays on: the tests are found in it.
CHECKS := --explicit-target-dependency-import-check error -debug-info-format $(DEBUG_INFO)
# Release programs carry the Swift runtime along, the C++ runtime that it needs, and SQLite; glibc and the other C libraries stay Debian's.
# They show their symbols to no library: the dynamic linker would look through ten thousand of them at every start.
# The dynamic linker looks for no library in the folder of the program. The toolchain's own linker writes the places that it has to
# adjust at every start as bits, which glibc 2.36 reads, and keeps of the Swift runtime what is used. libgcc_s would be one library more.
# Calls into libraries are resolved at the start, after which no table of them can be written (full RELRO).
RELEASE := -c release --static-swift-stdlib --disable-local-rpath --pkg-config-path $(CURDIR)/.build/static $(CHECKS) -Xlinker --gc-sections -Xlinker --no-export-dynamic -Xlinker -s \
	-Xlinker -L$(CURDIR)/.build/static -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs -Xlinker -z -Xlinker nostart-stop-gc \
	-Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xswiftc -Xclang-linker -Xswiftc -static-libgcc

.PHONY: deps deps-build deps-bench build build-tests build-bench run quick test test-all test-swift test-swift-stores \
	test-swift-windows test-swift-commands test-swift-others test-vectors test-decisions test-crash \
	test-bad-input test-growth test-dependencies test-units test-documentation test-consumer test-daemon test-daemon-crash test-hooks test-content \
	test-content-crash test-windows test-terminals test-gnome-new test-labwc test-extension test-ready test-links linkage bench bench-write bench-check bench-store format lint architecture extension install uninstall clean help

deps: ## Install from Debian what building and testing need
	@Scripts/install-packages $(BUILD_PACKAGES) $(TEST_PACKAGES)
	@Scripts/install-python

deps-build:
	@Scripts/install-packages $(BUILD_PACKAGES)

deps-bench:
	@Scripts/install-packages $(BUILD_PACKAGES) $(BENCH_PACKAGES)

build: deps-build .build/static/sqlite3.pc ## Build .build/release/usher and .build/release/usherd
	$(SWIFT) build $(RELEASE) --product usher
	$(SWIFT) build $(RELEASE) --product usherd

# The linker looks here first. Loading the shared C++ runtime takes a millisecond, a fifth of the start of `usher`; the shared SQLite
# takes half of the instructions of `usher --version`, since each of its functions is looked up by name.
.build/static/sqlite3.pc: | deps-build
	@mkdir -p $(@D)
	@ln -sf "$$(g++ -print-file-name=libstdc++.a)" "$$(pkg-config --variable=libdir sqlite3)/libsqlite3.a" $(@D)/
	@printf 'Name: sqlite3\nDescription: SQLite, from its archive\nVersion: %s\nLibs: -L%s -lsqlite3 -lm\n' \
		"$$(pkg-config --modversion sqlite3)" "$(CURDIR)/$(@D)" >$@

build-bench: deps-bench build
	$(SWIFT) build $(RELEASE) --product usher-suggestions
	$(SWIFT) build $(RELEASE) --product usher-decisions
	$(SWIFT) build $(RELEASE) --product usher-focus

run: build ## The main job on real input: sample payloads end in tmux windows
	@Scripts/install-packages tmux bsdutils
	@Scripts/demo .build/release/usher

quick: ## After an edit: the debug build of what changed, and the Swift tests without windows; at most three minutes
	@Scripts/run-checks $(JOBS) --build build-tests --then test-swift-commands test-swift-others test-swift-stores

test: deps ## Before a commit and in CI: one debug build, the Swift tests, every check in its short form; at most twelve minutes
	@Scripts/run-checks $(JOBS) $(UNBUILT) --build build-tests --then $(CHECKED)

test-all: deps ## Before a release: the release build too, every check whole, and test-labwc and test-gnome-new (root, the network)
	@LONG=1 Scripts/run-checks $(JOBS) $(UNBUILT) --build build-tests build --then $(CHECKED) test-terminals test-labwc test-gnome-new

# What needs no build runs beside it.
UNBUILT := lint test-units test-extension test-consumer
SWIFT_TESTS := test-swift-commands test-swift-others test-swift-stores test-swift-windows
# The long ones first.
CHECKED := test-windows $(SWIFT_TESTS) test-documentation test-bad-input test-growth test-crash test-content test-daemon test-hooks test-ready test-links \
	test-content-crash test-daemon-crash test-vectors test-decisions test-dependencies linkage

build-tests:
	$(SWIFT) build --build-tests $(CHECKS) $(WHOLE)

test-swift: build-tests ## The test targets
	$(SWIFT) test --skip-build --disable-xctest

# The same in four parts, which run beside each other: they wait for windows, for programs, for the disk, or compute. A part runs as
# many tests at a time as there are cores, and most of its time it waits.
STORES := ^Usher(Store|Predicate|Notes|Activities|Suggestions)Tests\.
WINDOWS := ^Usher(Windows|Bus)Tests\.
COMMANDS := ^CommandTests\.
PART := $(SWIFT) test --skip-build --disable-xctest --ignore-lock

test-swift-stores: build-tests
	$(PART) --filter '$(STORES)'

test-swift-windows: build-tests
	$(PART) --filter '$(WINDOWS)'

test-swift-commands: build-tests
	$(PART) --filter '$(COMMANDS)'

test-swift-others: build-tests
	$(PART) --skip '$(STORES)' --skip '$(WINDOWS)' --skip '$(COMMANDS)'

test-vectors: $(BUILT) ## Vectors of decisions, templates and payloads through the program, which stands alone
	Scripts/check-vectors $(USHER)

test-decisions: $(BUILT) ## The decision for every sample payload
	Scripts/record-decisions $(USHER) --check

test-crash: $(BUILT) ## Kills at every stage: nothing lost, no second window
	Scripts/check-crashes $(USHER) $(FORM)

test-documentation: $(BUILT) ## Sessions, options, keys and links of the documentation against the program; LONG=1: every page
	@Scripts/install-python
	Scripts/check-documentation $(USHER) $(FORM)

test-consumer: ## A package that depends on a release of UsherTarget builds, and sends what it should
	Scripts/check-consumer

test-daemon: $(BUILT) ## The daemon from outside: listeners, hooks, control, limits, reload, disk, clock
	Scripts/check-daemon $(USHER) $(USHERD) $(FORM)

test-hooks: $(BUILT) ## Hooks from outside, by their contract: signed requests, real senders and proxies, commands, metrics and logs
	Scripts/check-hooks $(USHER) $(USHERD) $(FORM)

test-daemon-crash: $(BUILT) ## Kills of the daemon under load
	Scripts/check-daemon-crashes $(USHER) $(USHERD) $(FORM)

test-content: $(BUILT) ## Activities, notes, links and redirects from outside, and the story of Documentation/quick-note.sh
	Scripts/check-content $(USHER) $(USHERD) $(FORM)
	Documentation/quick-note.sh $(USHER)

test-content-crash: $(BUILT) ## Kills while notes, links and redirects are written
	Scripts/check-content-crashes $(USHER) $(USHERD) $(FORM)

test-windows: $(BUILT) ## Windows from outside: openbox, sway, tmux, a browser; LONG=1: i3, KWin, GNOME Shell and all others
	Scripts/check-windows $(USHER) $(USHERD) $(FORM)

test-terminals: $(BUILT) ## Terminals come forward, with a typed key as the witness: 20 trials on openbox, i3, sway, KWin and GNOME Shell (Scripts/check-terminals without --short: 200)
	Scripts/check-terminals $(USHER) $(USHERD) --short

# The tree of Debian 13 of two sections: root, the network once, 1 GB.
TREE ?= $(CURDIR)/.build/trixie
IN_TREE = USHER_CHECK_TREE=$(TREE) Scripts/check-windows $(USHER) $(USHERD) --only

test-gnome-new: $(BUILT) ## The tests of GNOME Shell with the one of Debian 13, in a tree that debootstrap makes
	Scripts/debian-tree $(TREE) gnome-shell xwayland libglib2.0-bin dconf-gsettings-backend fonts-dejavu-core
	$(IN_TREE) gnome-new

test-labwc: $(BUILT) ## The tests of windows on labwc, in a tree that debootstrap makes
	Scripts/debian-tree $(TREE) labwc wlrctl
	$(IN_TREE) labwc

test-extension: ## The extension of GNOME Shell: metadata, and both code bases by gjs
	Scripts/check-extension

test-links: $(BUILT) ## Usher as the handler of all links: xdg-open of many links, a real browser, loops
	Scripts/check-links $(USHER) $(USHERD) $(FORM)

test-ready: $(BUILT) ## Config/ready and Config/rules: real shells, editors and tmux report what their windows show, documents are found in real viewers
	Scripts/check-ready $(USHER) $(FORM)

test-growth: $(BUILT) ## What others wrote is read in a time that grows as its size does: instructions, counted by callgrind
	Scripts/check-growth $(USHER) $(USHERD) $(FORM)

test-bad-input: $(BUILT) ## Bad input, handlers and stores: one clear error each, in constant memory
	Scripts/check-bad-input $(USHER) $(FORM)

test-dependencies: ## Every program and library that is used comes from a package that `make deps` names
	Scripts/check-dependencies $(BUILD_PACKAGES) $(TEST_PACKAGES) -- $(BENCH_PACKAGES)

test-units: ## The systemd units, by systemd's own judge
	Scripts/check-units

linkage: build-tests $(BUILT) ## What the programs link: no Foundation; TLS, X11, D-Bus and GLib in `usherd` only; LONG=1: the release too
	Scripts/check-linkage $(filter .build/release,$(PROGRAMS))

bench: build-bench ## Measure beside peers and floors, in one run: at most ten minutes (long form: LONG=1)
	Benchmarks/run $(if $(LONG),--long) $(if $(WRITE),--write)

bench-write: ## The same, and the tables of Benchmarks/README.md are written anew
	@$(MAKE) --no-print-directory bench WRITE=1

bench-check: build-bench ## Fail where a hot path takes 3 % more instructions than Benchmarks/instructions.json says
	Benchmarks/run --check

bench-store: build-bench ## Store the instructions of the hot paths that take fewer than before
	Benchmarks/run --store

format: ## Format the sources
	$(SWIFT) format --in-place --recursive --parallel Sources Tests Benchmarks Package.swift

lint: ## Check the format, strictly
	$(SWIFT) format lint --strict --recursive --parallel Sources Tests Benchmarks Package.swift

architecture: ## Draw Documentation/architecture.svg from the dependencies of the package
	@Scripts/install-packages graphviz
	Scripts/draw-architecture

extension: ## Pack the browsers' extension for Firefox: .build/usher-browser.xpi
	@mkdir -p .build
	@cd Extension && python3 -m zipfile -c ../.build/usher-browser.xpi manifest.json background.js
	@echo .build/usher-browser.xpi

install: build ## Install to PREFIX (/usr/local)
	install -D -m 0755 .build/release/usher $(DESTDIR)$(PREFIX)/bin/usher
	install -D -m 0755 .build/release/usherd $(DESTDIR)$(PREFIX)/bin/usherd
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/user
	for unit in $(UNITS); do \
		sed 's|/usr/local/|$(PREFIX)/|g' Config/systemd/$$unit > $(DESTDIR)$(PREFIX)/lib/systemd/user/$$unit; \
		chmod 0644 $(DESTDIR)$(PREFIX)/lib/systemd/user/$$unit; done
	find $(SHARED) -type f -not -name '*.pyc' -not -name '*.secret' | while read -r file; do \
		if test -x "$$file"; then mode=0755; else mode=0644; fi; \
		install -D -m $$mode "$$file" "$(DESTDIR)$(PREFIX)/share/usher/$$file"; done
	for file in $(SEARCH); do \
		install -D -m 0644 Config/search/$$file "$(DESTDIR)$(PREFIX)/share/$$file"; \
		sed -i 's|/usr/local/|$(PREFIX)/|g' "$(DESTDIR)$(PREFIX)/share/$$file"; done
	cd Extension && python3 -m zipfile -c "$(abspath $(DESTDIR)$(PREFIX))/share/usher/usher-browser.xpi" manifest.json background.js

uninstall: ## Remove what `install` installed
	rm -f $(DESTDIR)$(PREFIX)/bin/usher $(DESTDIR)$(PREFIX)/bin/usherd
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/lib/systemd/user/,$(UNITS))
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/,$(SEARCH))
	rm -rf $(DESTDIR)$(PREFIX)/share/usher

clean: ## Remove what was built
	rm -rf .build

help: ## This list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20
