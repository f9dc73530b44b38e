/** Since 5.29 autopkgtest starts each line of its log with the seconds that have passed. */
const PASSED = /^ *\d+s /;
const LINES_MAX = 2;
/** Lines that only repeat the lines before them. */
const ECHO =
  /^E: (?:Sub-process|Some index files failed|Problem executing|The update command takes|Unable to correct problems)/;

/**
 * The last errors of apt or dpkg, or of the sed that reads a package's changelog: errors before warnings, each line
 * once; empty without any. Each line is taken once, since a step that was tried again logs the same lines several
 * times.
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
