import type { TestStatus } from '@proctor/contracts';
import type { GzipBlock } from './block-gzip';
import { isCount, isRising, parseRecord } from './untrusted';

/** Bytes of an index as JSON. */
export const INDEX_BYTES_MAX = 1024 * 1024;
/** The last section includes everything after it. */
export const SECTIONS_MAX = 1_000;
/** Listed error marks; further ones are only counted. */
export const MARKS_MAX = 2_000;
/** Length of the name of a section's test, in UTF-16 units. */
export const SECTION_NAME_LENGTH_MAX = 200;

/**
 * `start`: before the runner's first own line. `setup`: the testbed and the source. `preparation`, `test`: of one test.
 * `summary`: the runner's summary of all.
 */
const SECTION_KINDS = ['start', 'setup', 'preparation', 'test', 'summary'] as const;
export type SectionKind = (typeof SECTION_KINDS)[number];

/** Listed packages of those that a log shows as installed. */
export const INSTALLED_MAX = 3_000;
/** Length of a name, a version, a suite or a release, in UTF-16 units. */
const INSTALLED_LENGTH_MAX = 200;

/** A part of a log, up to the next one or the end. */
export interface LogSection {
  kind: SectionKind;
  /** The test's name, or the runner's text. */
  name: string;
  /** The number of its first line; 1 is the log's first. */
  line: number;
  /** Status of a test in the log; null: not in the log. */
  status: TestStatus | null;
  /** How long it took by the runner's clock; null: not in the log. */
  seconds: number | null;
}

/** A block of the log. */
export interface LogBlock extends GzipBlock {
  /** Newlines before it in the log. */
  newlines: number;
}

/** A package, its version, and the suite from which apt fetched it, if the log shows one. */
export type LoggedPackage = [name: string, version: string, suite?: string];

/** The index of a log: where its parts are. */
export interface LogIndex {
  version: 1;
  /** Length of the decompressed log. */
  bytes: number;
  /** Number of lines; a last line without a newline counts. */
  lines: number;
  /** Empty: the log can be read only from its start. */
  blocks: LogBlock[];
  /** The sections in order; the first starts with line 1, unless the log is empty. */
  sections: LogSection[];
  /** Numbers of the lines with errors, in order; the first MARKS_MAX. */
  marks: number[];
  marksTotal: number;
  /** Packages that were installed or upgraded outside of tests; the first INSTALLED_MAX. */
  installed: LoggedPackage[];
  /** The line in which the runner gave up the pins and took all packages from this release; null without one. */
  fallback: { line: number; release: string } | null;
  /** The first line which says that a service was not started for lack of an init; null without one. */
  withoutInitLine: number | null;
}

const STATUSES: readonly unknown[] = ['PASS', 'FAIL', 'SKIP', 'FLAKY'];

/** An index as JSON. */
export function logIndexText({ blocks, installed, fallback, withoutInitLine, ...index }: LogIndex): string {
  const packed = blocks.map(({ gzipOffset, offset, newlines }) => [gzipOffset, offset, newlines]);
  return JSON.stringify({
    ...index,
    blocks: packed,
    ...(installed.length > 0 && { installed }),
    ...(fallback && { fallback }),
    ...(withoutInitLine !== null && { withoutInitLine }),
  });
}

/** Null when the text is no index: workers write them. A valid index may still be wrong about the log. */
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
    withoutInitLine: isCount(record['withoutInitLine']) ? record['withoutInitLine'] : null,
  };
}

/** Earlier workers write no packages. */
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
