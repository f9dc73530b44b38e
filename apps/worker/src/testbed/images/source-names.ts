import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Much longer than needed for the largest suites on a slow machine. */
const TIMEOUT_MS = 10 * 60_000;

/**
 * Reads apt's lists one after the other and prints the lines of a list of packages, see sourceNamesLine. Stanzas of
 * Sources come first, since they are the same on every architecture. Stanzas of Packages add the missing sources.
 */
const LINES = `
function isName(text) { return length(text) <= 200 && text ~ /^[a-z0-9][a-z0-9+.-]+$/ }
function binary(name, of) { if (isName(name) && name != of) print name, of }
function end(  count, i, names) {
  if (isName(package) && binaries != "") {
    print package; ofSources[package] = 1
    count = split(binaries, names, /[ ,]+/)
    for (i = 1; i <= count; i++) binary(names[i], package)
  } else if (isName(package)) {
    if (source == "") source = package
    if (isName(source) && !(source in ofSources)) { print source; binary(package, source) }
  }
  package = source = binaries = ""; isFolded = 0
}
/^[^ ]/ { isFolded = 0 }
/^Package: / { end(); package = $2 }
/^Source: / { source = $2 }
sub(/^Binary:/, "") { isFolded = 1 }
isFolded { binaries = binaries " " $0 }
END { end() }`;

const SCRIPT = `
set -o pipefail
lists() { tar --extract --to-stdout --file="$1" --wildcards "./var/lib/apt/lists/*_$2"; }
{ lists "$1" Sources 2>/dev/null; lists "$1" Packages; } | LC_ALL=C awk "$3" | LC_ALL=C sort -u | gzip -9n >"$2"`;

/**
 * Writes the list of packages in the apt lists of a system: gzip of lines, see sourceNamesLine. The list of Sources may
 * be missing, the list of Packages may not.
 * @param system a tar file of the system
 * @throws Error with why it cannot be read
 */
export async function writeSourceNames(system: string, target: string, signal: AbortSignal): Promise<void> {
  await execute('nice', ['bash', '-c', SCRIPT, 'source-names', system, target, LINES], {
    signal,
    timeout: TIMEOUT_MS,
  });
}
