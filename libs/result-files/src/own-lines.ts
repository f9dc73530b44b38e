import type { TestStatus } from '@proctor/contracts';
import type { SectionKind } from './log-index';

/** A line that the test runner wrote itself. */
export interface OwnLine {
  /**
   * `end`: the test's output is complete. `results`: its result follows. `stderr`: its standard error follows. `other`:
   * it starts nothing.
   */
  kind: Exclude<SectionKind, 'start'> | 'end' | 'results' | 'stderr' | 'other';
  /** The name of the test, or of what is set up. */
  name: string;
  /** The text after the runner's prefix. */
  text: string;
  /** The runner's clock: seconds since midnight. */
  clock: number;
  /** Each line of the log starts with the time since the runner's start. */
  isTimed: boolean;
}

/** A line of autopkgtest; since version 5.29 with the time since its start before it. */
const OWN = /^( *\d+s )?autopkgtest \[(\d\d):(\d\d):(\d\d)\]: (.*)$/;
const PART = /^@{4,} (.*)$/;
const TEST = /^test (.{1,500}?): ((?:preparing testbed|\[-{3}|-{3,}\]$| *(?:- ){1,20}(?:results|stderr)).*)$/;
/** Characters of the end of a line that may hold the runner's own text. */
export const LINE_END_LENGTH = 700;
/** The end of a test's output, which follows its last line directly when that has no newline. */
const GLUED_END = /autopkgtest (\[\d\d:\d\d:\d\d\]: test .{1,500}: -{3,}\])$/;
const LEFT_OUT = /^\[\d{1,20} bytes of the log are left out here\]$/;
const TIMED = /^ *\d+s /;
/** dpkg's line about a package whose files are in place. */
const INSTALLED =
  /^Setting up ([a-z0-9][a-z0-9+.-]{0,199})(?::[a-z0-9-]+)? \(([0-9A-Za-z.+:~-]{1,200})\) \.\.\.$/;
/** apt's line about a package that it fetches from a suite, without the address. */
const FETCHED =
  /^Get:\d+ \S{1,2000} ([\w.+~/-]{1,100})\/[\w.+-]{1,100} [a-z0-9-]{1,50} ([a-z0-9][a-z0-9+.-]{0,199}) [a-z0-9-]{1,50} ([0-9A-Za-z.+:~-]{1,200}) \[/;
const FALLBACK =
  /^WARNING: Test dependencies are unsatisfiable with using apt pinning\. Retrying with using all packages from ([\w.:/-]{1,200})$/;
/** Lines of invoke-rc.d, service and systemctl about a service that they do not start for lack of an init. */
const WITHOUT_INIT =
  /^(?:invoke-rc\.d: WARNING: No init system\b|invoke-rc\.d: policy-rc\.d denied execution of |System has not been booted with systemd as init system\b|[\w.@+-]{1,200}: unrecognized service$)/;
const RESULT = / (PASS|FAIL|SKIP|FLAKY)(?: (.*))?$/s;

/** The result of a test. */
export interface LoggedResult {
  name: string;
  status: TestStatus;
  /** The runner's detail; may be empty. */
  detail: string;
}

/** Null for a line of the test, the testbed or a tool. A test may write lines that look like the runner's. */
export function parseOwnLine(line: string): OwnLine | null {
  const [, timed, hours, minutes, seconds, text] = (line.includes('autopkgtest [') && OWN.exec(line)) || [];
  if (text === undefined) return null;
  const clock = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
  const fields = { text, clock, isTimed: timed !== undefined };
  const part = PART.exec(text)?.[1];
  if (part !== undefined)
    return { kind: part.trim() === 'summary' ? 'summary' : 'setup', name: part.trim(), ...fields };
  const [, test, rest] = TEST.exec(text) ?? [];
  if (test === undefined || rest === undefined) return { kind: 'other', name: '', ...fields };
  return { kind: kindOf(rest), name: test, ...fields };
}

/** The end of a test's output after a last line without a newline; null when the line does not end so. */
export function gluedEnd(end: string): OwnLine | null {
  const [, text] = (end.endsWith('-]') && GLUED_END.exec(end.slice(-LINE_END_LENGTH))) || [];
  return text === undefined ? null : parseOwnLine(`autopkgtest ${text}`);
}

function kindOf(text: string): OwnLine['kind'] {
  if (text.startsWith('preparing')) return 'preparation';
  if (text.startsWith('[')) return 'test';
  if (text.endsWith(']')) return 'end';
  if (text.includes('results')) return 'results';
  return 'stderr';
}

/** The line in a log that replaces missing bytes. */
export function leftOutLine(bytes: number): string {
  return `[${bytes} bytes of the log are left out here]`;
}

export function isLeftOutLine(line: string): boolean {
  return line.startsWith('[') && LEFT_OUT.test(line);
}

/** Removes the time that newer runners write before each line. */
export function withoutTime(line: string): string {
  return line.replace(TIMED, '');
}

/** Parses a line with the result of a test, without its time; null for other lines. */
export function parseResult(text: string): LoggedResult | null {
  const match = RESULT.exec(text);
  const name = text.slice(0, match?.index).trimEnd();
  return match && name !== '' ? { name, status: match[1] as TestStatus, detail: match[2] ?? '' } : null;
}

/** Name and version of the package that was installed according to a line; null for other lines. */
export function parseInstallLine(line: string): [name: string, version: string] | null {
  const [, name, version] = INSTALLED.exec(withoutTime(line)) ?? [];
  return name !== undefined && version !== undefined ? [name, version] : null;
}

/** The package that apt fetches according to a line, and its suite; null for other lines. */
export function parseFetchLine(line: string): { name: string; version: string; suite: string } | null {
  const [, suite, name, version] = FETCHED.exec(withoutTime(line)) ?? [];
  return suite !== undefined && name !== undefined && version !== undefined ? { name, version, suite } : null;
}

/** Whether a line, without its time, says that a service was not started for lack of an init. */
export function isWithoutInit(line: string): boolean {
  return WITHOUT_INIT.test(line);
}

/** The release from which the runner took all packages after it gave up the pins; null for other lines. */
export function fallbackRelease({ text }: OwnLine): string | null {
  return FALLBACK.exec(text)?.[1] ?? null;
}
