#!/usr/bin/env bash
# ./test.sh --manners: how edgeconv behaves towards people. Typos, help and values (cli_manners_test), terminals of several widths, the page of --report in
# chromium at three widths; every message of exit 2 to 5 that tests provoke (messages_test.py). Screenshots: build/release/manners/; look at them.
set -euo pipefail
cd "$(dirname "$0")/../.."
. toolchains/debian_packages.sh
. toolchains/build_progress.sh
ensure_packages $BUILD_PACKAGES $TEST_PACKAGES $BROWSER_PACKAGES
mkdir -p build/release
announce_build build/release "edgeconv and the tests of its manners" "about 4 CPU minutes"
build_with_progress build/release/build.log cmake --preset release
build_with_progress build/release/build.log cmake --build --preset release --target edgeconv cli_manners_test cli_test cli_malformed_corpus_test
edgeconv=build/release/convert/edgeconv
build/release/tests/cli/cli_manners_test
python3 tests/cli/terminal_test.py "$edgeconv" .
mkdir -p build/release/manners
python3 tests/cli/messages_test.py build/release/manners/messages.txt build/release/tests/cli/{cli_manners_test,cli_test,cli_malformed_corpus_test}
python3 tests/cli/report_browser_test.py "$PWD/$edgeconv" "$PWD" "$PWD/build/release/manners"
echo "screenshots and all messages: build/release/manners/"
