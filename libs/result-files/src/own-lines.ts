import type { TestStatus } from '@proctor/contracts';
import type { SectionKind } from './log-index';

/** A line that the test runner wrote itself. */
export interface OwnLine {
  /** `end`: the test's output is complete. `results`: its result follows. `stderr`: what it wrote there follows. `other`: it begins nothing. */
  kind: Exclude<SectionKind, 'start'> | 'end' | 'results' | 'stderr' | 'other';
  /** The test, or what is set up. */
  name: string;
  /** All of it behind the runner's own beginning. */
  text: string;
  /** The runner's clock: seconds since midnight. */
  clock: number;
  /** The log has the time since the runner's start before each line. */
  isTimed: boolean;
}

/** As autopkgtest writes them, with the time since its start before them from version 5.29 on. */
const OWN = /^( *\d+s )?autopkgtest \[(\d\d):(\d\d):(\d\d)\]: (.*)$/;
const PART = /^@{4,} (.*)$/;
const TEST = /^test (.{1,500}?): ((?:preparing testbed|\[-{3}|-{3,}\]$| *(?:- ){1,20}(?:results|stderr)).*)$/;
/** Characters of the end of a line, in which the runner's own words may stand. */
export const LINE_END_LENGTH = 700;
/** The end of a test's output, which stands behind the last line of it when that has no newline. */
const GLUED_END = /autopkgtest (\[\d\d:\d\d:\d\d\]: test .{1,500}: -{3,}\])$/;
const LEFT_OUT = /^\[\d{1,20} bytes of the log are left out here\]$/;
const TIMED = /^ *\d+s /;
/** As dpkg tells of a package whose files are in place. */
const INSTALLED =
  /^Setting up ([a-z0-9][a-z0-9+.-]{0,199})(?::[a-z0-9-]+)? \(([0-9A-Za-z.+:~-]{1,200})\) \.\.\.$/;
/** As apt tells of a package that it fetches from a suite; the address before it is left out. */
const FETCHED =
  /^Get:\d+ \S{1,2000} ([\w.+~/-]{1,100})\/[\w.+-]{1,100} [a-z0-9-]{1,50} ([a-z0-9][a-z0-9+.-]{0,199}) [a-z0-9-]{1,50} ([0-9A-Za-z.+:~-]{1,200}) \[/;
const FALLBACK =
  /^WARNING: Test dependencies are unsatisfiable with using apt pinning\. Retrying with using all packages from ([\w.:/-]{1,200})$/;
const RESULT = / (PASS|FAIL|SKIP|FLAKY)(?: (.*))?$/s;

/** How a test ended. */
export interface LoggedResult {
  name: string;
  status: TestStatus;
  /** What the runner says of it; may be empty. */
  detail: string;
}

/** Null for a line of the test, the testbed or a tool. A test may write what looks like the runner's. */
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

/** The end of a test's output behind a last line that has no newline; null when the line does not end so. */
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

/** The line that stands in a log for bytes that are left out of it. */
export function leftOutLine(bytes: number): string {
  return `[${bytes} bytes of the log are left out here]`;
}

export function isLeftOutLine(line: string): boolean {
  return line.startsWith('[') && LEFT_OUT.test(line);
}

/** A line without the time that newer runners write before each. */
export function withoutTime(line: string): string {
  return line.replace(TIMED, '');
}

/** A line that says how a test ended, without its time; null for other lines. */
export function parseResult(text: string): LoggedResult | null {
  const match = RESULT.exec(text);
  const name = text.slice(0, match?.index).trimEnd();
  return match && name !== '' ? { name, status: match[1] as TestStatus, detail: match[2] ?? '' } : null;
}

/** The name and version of a package that a line says was installed; null for other lines. */
export function parseInstalled(line: string): [name: string, version: string] | null {
  const [, name, version] = INSTALLED.exec(withoutTime(line)) ?? [];
  return name !== undefined && version !== undefined ? [name, version] : null;
}

/** The package that a line says apt fetches, and the suite that it comes from; null for other lines. */
export function parseFetched(line: string): { name: string; version: string; suite: string } | null {
  const [, suite, name, version] = FETCHED.exec(withoutTime(line)) ?? [];
  return suite !== undefined && name !== undefined && version !== undefined ? { name, version, suite } : null;
}

/** The release of which the runner took all packages after the pins could not be kept; null when it says something else. */
export function fallbackRelease({ text }: OwnLine): string | null {
  return FALLBACK.exec(text)?.[1] ?? null;
}
