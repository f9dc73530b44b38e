import type { TestStatus } from '@proctor/contracts';
import type { SectionKind } from './log-index';

/** A line that the test runner wrote itself. */
export interface OwnLine {
  /** `results`: the next line tells how the test ended. `other`: it begins nothing. */
  kind: Exclude<SectionKind, 'start'> | 'results' | 'other';
  /** The test, or what is set up. */
  name: string;
  /** All of it behind the runner's own beginning. */
  said: string;
  /** The runner's clock: seconds since midnight. */
  clock: number;
}

/** As autopkgtest writes them, with the time since its start before them from version 5.29 on. */
const OWN = /^(?: *\d+s )?autopkgtest \[(\d\d):(\d\d):(\d\d)\]: (.*)$/;
const PART = /^@{4,} (.*)$/;
const TEST = /^test (\S+): (.*)$/;
const TIMED = /^ *\d+s /;
/** As dpkg tells of a package whose files are in place. */
const INSTALLED =
  /^Setting up ([a-z0-9][a-z0-9+.-]{0,199})(?::[a-z0-9-]+)? \(([0-9A-Za-z.+:~-]{1,200})\) \.\.\.$/;
/** As apt tells of a package that it fetches from a suite; the address before it is left out. */
const FETCHED =
  /^Get:\d+ \S{1,2000} ([\w.+~/-]{1,100})\/[\w.+-]{1,100} [a-z0-9-]{1,50} ([a-z0-9][a-z0-9+.-]{0,199}) [a-z0-9-]{1,50} ([0-9A-Za-z.+:~-]{1,200}) \[/;
const FALLBACK =
  /^WARNING: Test dependencies are unsatisfiable with using apt pinning\. Retrying with using all packages from ([\w.:/-]{1,200})$/;
const STATUS = /^(\S+) +(PASS|FAIL|SKIP|FLAKY)(?: |$)/;

/** Null for a line of the test, the testbed or a tool. A test may write what looks like the runner's. */
export function ownLine(line: string): OwnLine | null {
  const [, hours, minutes, seconds, said] = OWN.exec(line) ?? [];
  if (said === undefined) return null;
  const clock = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
  const part = PART.exec(said)?.[1];
  if (part !== undefined)
    return { kind: part.trim() === 'summary' ? 'summary' : 'setup', name: part.trim(), said, clock };
  const [, test, rest] = TEST.exec(said) ?? [];
  if (test === undefined || rest === undefined) return { kind: 'other', name: '', said, clock };
  return { kind: kindOf(rest), name: test, said, clock };
}

function kindOf(said: string): OwnLine['kind'] {
  if (said.startsWith('preparing testbed')) return 'preparation';
  if (said.startsWith('[---')) return 'test';
  return /^[- ]+results[- ]+$/.test(said) ? 'results' : 'other';
}

/** How a test ended, by the line after `results`. */
export function statusLine(line: string, test: string): TestStatus | null {
  const [, name, status] = STATUS.exec(line.replace(TIMED, '')) ?? [];
  return name === test && status !== undefined ? (status as TestStatus) : null;
}

/** The name and version of a package that a line says was installed; null for other lines. */
export function installedPackage(line: string): [name: string, version: string] | null {
  const [, name, version] = INSTALLED.exec(line.replace(TIMED, '')) ?? [];
  return name !== undefined && version !== undefined ? [name, version] : null;
}

/** The package that a line says apt fetches, and the suite that it comes from; null for other lines. */
export function fetchedPackage(line: string): { name: string; version: string; suite: string } | null {
  const [, suite, name, version] = FETCHED.exec(line.replace(TIMED, '')) ?? [];
  return suite !== undefined && name !== undefined && version !== undefined ? { name, version, suite } : null;
}

/** The release of which the runner took all packages after the pins could not be kept; null when it says something else. */
export function fallbackRelease({ said }: OwnLine): string | null {
  return FALLBACK.exec(said)?.[1] ?? null;
}
