/** The longest accepted name of a source package, in characters. */
export const PACKAGE_NAME_LENGTH_MAX = 200;

const PACKAGE_NAME = /^[a-z0-9][a-z0-9+.-]+$/;

/** Debian policy 5.6.1. JavaScript's `$` matches at the very end only, so a newline cannot hide a second line. */
export function isPackageName(name: string): boolean {
  return name.length <= PACKAGE_NAME_LENGTH_MAX && PACKAGE_NAME.test(name);
}

const WORD = /^[A-Za-z0-9][A-Za-z0-9+._-]*$/;

/** Names from configuration (suites, architectures, backends, variants, sources, workers): safe in paths and argv. */
export function isWord(name: string): boolean {
  return name.length <= 100 && WORD.test(name);
}

const ARCHITECTURE = /^[a-z0-9][a-z0-9-]{0,49}$/;

/** A dispatcher's architecture is also a token of a NATS subject: no dot. */
export function isArchitecture(name: string): boolean {
  return ARCHITECTURE.test(name);
}

/**
 * The directory of a package below a suite and architecture: the first four letters of a name that starts with
 * `lib` and is longer, else the first letter.
 */
export function packagePrefix(name: string): string {
  return name.startsWith('lib') && name.length > 3 ? name.slice(0, 4) : name.slice(0, 1);
}

/** One entry of a pin's package spec: `name` or `src:name`, several joined by commas. */
export function isPinSpec(spec: string): boolean {
  return spec.split(',').every((entry) => isPackageName(entry.startsWith('src:') ? entry.slice(4) : entry));
}

const APT_LINE = /^deb(-src)? +(\[[\w.,:/+@ =-]+\] +)?[a-z+]+:[\w.~:/+@%-]+ +[\w.~/+-]+( +[\w./+-]+)*$/;

/** One-line style of sources.list(5), without characters that a shell or `echo` of the testbed could interpret. */
export function isAptLine(line: string): boolean {
  return APT_LINE.test(line);
}

/** The rules of names as regular expressions, for schemas that other programs read. */
export const NAME_PATTERNS = {
  packageName: PACKAGE_NAME.source,
  word: WORD.source,
  architecture: ARCHITECTURE.source,
  aptLine: APT_LINE.source,
};
