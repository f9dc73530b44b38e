import type { TestStatus } from '@proctor/contracts';
import type { GzipBlock } from './block-gzip';
import { isCount, isRising, parseRecord } from './untrusted';

/** Bytes of an index as JSON. */
export const INDEX_BYTES_MAX = 1024 * 1024;
/** What follows the last of them belongs to it. */
export const SECTIONS_MAX = 1_000;
/** Error marks that are kept; the others are counted. */
export const MARKS_MAX = 2_000;
/** Of a section's test, in UTF-16 units. */
export const SECTION_NAME_LENGTH_MAX = 200;

/**
 * `start`: before the runner's first own line. `setup`: the testbed and the source. `preparation`, `test`: of one test. `summary`:
 * what the runner says of all.
 */
export const SECTION_KINDS = ['start', 'setup', 'preparation', 'test', 'summary'] as const;
export type SectionKind = (typeof SECTION_KINDS)[number];

/** Packages whose installation a log tells of, that are listed. */
export const INSTALLED_MAX = 3_000;
/** Of a name, a version, a suite or a release, in UTF-16 units. */
export const INSTALLED_LENGTH_MAX = 200;

/** A part of a log, to the next one or the end. */
export interface LogSection {
  kind: SectionKind;
  /** What it is about: the test's name, or the runner's words. */
  name: string;
  /** The number of its first line; 1 is the log's first. */
  line: number;
  /** Of a test, as the log has it; null when it does not say. */
  status: TestStatus | null;
  /** Of a test, how long it ran, by the runner's clock; null when the log does not say. */
  seconds: number | null;
}

/** A block of the log. */
export interface LogBlock extends GzipBlock {
  /** Newlines of the log before it. */
  newlines: number;
}

/** A package, its version, and the suite that apt fetched it from, where the log tells of one. */
export type LoggedPackage = [name: string, version: string, suite?: string];

/** Where in a log what stands. */
export interface LogIndex {
  version: 1;
  /** Of the log, decompressed. */
  bytes: number;
  /** A last one without a newline counts. */
  lines: number;
  /** Empty: the log can be read from its beginning only. */
  blocks: LogBlock[];
  /** In order; the first begins with line 1, unless the log is empty. */
  sections: LogSection[];
  /** Numbers of the lines with errors, in order; the first MARKS_MAX. */
  marks: number[];
  marksTotal: number;
  /** Packages that were installed or upgraded outside of tests; the first INSTALLED_MAX. */
  installed: LoggedPackage[];
  /** The line that tells that the runner gave up the pins, and took all packages of this release; null when none does. */
  fallback: { line: number; release: string } | null;
}

const STATUSES: readonly unknown[] = ['PASS', 'FAIL', 'SKIP', 'FLAKY'];

/** An index as JSON. */
export function logIndexText({ blocks, installed, fallback, ...index }: LogIndex): string {
  const packed = blocks.map(({ gzipOffset, offset, newlines }) => [gzipOffset, offset, newlines]);
  return JSON.stringify({
    ...index,
    blocks: packed,
    ...(installed.length > 0 && { installed }),
    ...(fallback && { fallback }),
  });
}

/** Null for what is no index: workers write them. What it says of the log may still be wrong. */
export function parseLogIndex(text: string): LogIndex | null {
  const record = parseRecord(text);
  if (!record || record['version'] !== 1) return null;
  const { bytes, lines, marksTotal, marks, sections, blocks } = record;
  if (!isCount(bytes) || !isCount(lines) || !isCount(marksTotal)) return null;
  if (!Array.isArray(marks) || !Array.isArray(sections) || !Array.isArray(blocks)) return null;
  if (!isRising(marks, 1, lines) || marks.length > MARKS_MAX) return null;
  const parsed = { sections: sections.map(sectionOf), blocks: blocks.map(blockOf) };
  if (!isWhole(parsed.sections) || !isWhole(parsed.blocks)) return null;
  if (
    !isRising(
      parsed.sections.map(({ line }) => line),
      1,
      lines,
    )
  )
    return null;
  if (
    !isRising(
      parsed.blocks.map(({ offset }) => offset),
      0,
      bytes,
    )
  )
    return null;
  return {
    version: 1,
    bytes,
    lines,
    marksTotal,
    marks,
    sections: parsed.sections,
    blocks: parsed.blocks,
    installed: installedOf(record['installed']),
    fallback: fallbackOf(record['fallback']),
  };
}

/** Earlier workers tell nothing of packages. */
function installedOf(value: unknown): LogIndex['installed'] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, INSTALLED_MAX).flatMap((pair: unknown): LogIndex['installed'] => {
    const [name, version, suite] = Array.isArray(pair) ? (pair as unknown[]) : [];
    if (!isBrief(name) || !isBrief(version)) return [];
    return [isBrief(suite) ? [name, version, suite] : [name, version]];
  });
}

function fallbackOf(value: unknown): LogIndex['fallback'] {
  if (typeof value !== 'object' || value === null) return null;
  const { line, release } = value as Record<string, unknown>;
  return isCount(line) && isBrief(release) ? { line, release } : null;
}

function isBrief(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= INSTALLED_LENGTH_MAX;
}

function sectionOf(value: unknown): LogSection | null {
  if (typeof value !== 'object' || value === null) return null;
  const { kind, name, line, status, seconds } = value as Record<string, unknown>;
  const sectionKind = SECTION_KINDS.find((each) => each === kind);
  if (!sectionKind || typeof name !== 'string' || name.length > SECTION_NAME_LENGTH_MAX || !isCount(line))
    return null;
  if (status !== null && !STATUSES.includes(status)) return null;
  return {
    kind: sectionKind,
    name,
    line,
    status: status as TestStatus | null,
    seconds: isCount(seconds) ? seconds : null,
  };
}

function blockOf(value: unknown): LogBlock | null {
  if (!Array.isArray(value)) return null;
  const [gzipOffset, offset, newlines] = value as unknown[];
  if (!isCount(gzipOffset) || !isCount(offset) || !isCount(newlines)) return null;
  return { gzipOffset, offset, newlines };
}

function isWhole<Item>(items: (Item | null)[]): items is Item[] {
  return items.every((item) => item !== null);
}
