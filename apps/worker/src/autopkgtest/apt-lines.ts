/** Since 5.29 autopkgtest puts the seconds that have passed before each line of its log. */
const PASSED = /^ *\d+s /;
const LINES_MAX = 2;
/** Repeats in other words what stands in the lines before it. */
const ECHO =
  /^E: (?:Sub-process|Some index files failed|Problem executing|The update command takes|Unable to correct problems)/;

/**
 * What apt or dpkg, or the sed that reads a package's changelog, said last of why it failed, in its own words: errors before warnings, each once; empty where it said nothing.
 * Of a step that was tried again and again the log has the same lines several times.
 */
export function aptLines(log: string): string {
  const lines = log.split('\n').map((line) => line.replace(PASSED, '').trim());
  const matching = (pattern: RegExp): string[] => [...new Set(lines.filter((line) => pattern.test(line)))];
  const errors = matching(/^(?:E: |dpkg(?:-source|-deb)?: error|sed: can't read )/);
  const reasons = errors.filter((line) => !ECHO.test(line));
  const best = [
    reasons,
    unmetDependencies(lines),
    matching(/^W: (?!Download is performed unsandboxed)/),
    errors,
    failedDownloads(lines),
  ].find(({ length }) => length > 0);
  return (best ?? []).slice(-LINES_MAX).join(' ');
}

/** ` foo : Depends: bar but it is not installable` or ` foo : Conflicts: bar`, below a heading of apt's. */
function unmetDependencies(lines: string[]): string[] {
  return [
    ...new Set(
      lines.filter((line) => /^\S+ : (?:(?:Pre-)?Depends: .* but |(?:Conflicts|Breaks): )/.test(line)),
    ),
  ].slice(0, LINES_MAX);
}

/** `Err:1 http://… InRelease` and the reason on the line below. */
function failedDownloads(lines: string[]): string[] {
  return [
    ...new Set(
      lines.flatMap((line, at) => (/^Err:\d+ /.test(line) ? [`${line}: ${lines[at + 1] ?? ''}`] : [])),
    ),
  ];
}
