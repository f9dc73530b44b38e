import { compareVersions } from '@proctor/contracts';
import { parseArtifactsIndex } from './artifacts-index';
import { memberText, type OpenResultFile, wholeText } from './stored-texts';

/** The name of the file in the artifacts that has the beginning of the tested source's debian/changelog. */
export const SOURCE_CHANGELOG = 'testpkg-changelog';

/** Length of a changelog; a longer file is not read. */
const BYTES_MAX = 1024 * 1024;
/** Entries that are read. */
const ENTRIES_MAX = 500;
const FIELD_LENGTH_MAX = 200;
/** How long bytes before the changelog may be skipped. */
const SKIP_MS = 2_000;

/** What changed with one version of a source package. Strangers write it. */
export interface ChangelogEntry {
  version: string;
  /** Suites it was made for: `unstable`. */
  distribution: string;
  /** Empty if there is none. */
  urgency: string;
  /** Lines, as they are written. */
  changes: string;
  author: string;
  /** Null if it cannot be read. */
  date: Date | null;
}

/**
 * Reads the changelog of a run's source from its artifacts; empty if there is none, or it cannot be read.
 * @param indexMs how long the index of the artifacts is read
 * @throws errors of `open`, and of the files that it has opened; TooFar if the index is not read in time
 */
export async function readSourceChangelog(open: OpenResultFile, indexMs: number): Promise<ChangelogEntry[]> {
  const text = await wholeText(open, 'artifacts-index.json', indexMs);
  const index = text && parseArtifactsIndex(text);
  const member = index && index.members.find(({ path }) => path === SOURCE_CHANGELOG);
  if (!member || member.size > BYTES_MAX) return [];
  return parseChangelog((await memberText(open, index, member, SKIP_MS)) ?? '');
}

const HEADER = /^[a-z0-9]\S* \(([^()\s]+)\) ([^;]*);(.*)$/i;
const URGENCY = /\burgency=([\w-]+)/i;
const TRAILER = /^ -- ([^<]*)<[^>]*>(.*)$/;

/**
 * The complete entries at the beginning of a changelog, newest first; those before the first line that is none of an entry,
 * or is cut off.
 */
export function parseChangelog(text: string): ChangelogEntry[] {
  const entries: ChangelogEntry[] = [];
  let open: (Pick<ChangelogEntry, 'version' | 'distribution' | 'urgency'> & { lines: string[] }) | null =
    null;
  // The last line may be cut off.
  for (const line of plain(text).split('\n').slice(0, -1)) {
    if (entries.length === ENTRIES_MAX) break;
    const end = open && TRAILER.exec(line);
    if (open && end) {
      const { lines, ...entry } = open;
      const [, author = '', date = ''] = end;
      entries.push({
        ...entry,
        changes: lines.join('\n').replace(/^\n+/, '').trimEnd(),
        author: field(author),
        date: dateOf(date),
      });
      open = null;
    } else if (open && (line === '' || line.startsWith(' '))) {
      open.lines.push(line.trimEnd());
    } else if (open === null && line.trim() !== '') {
      const [, version, distribution = '', rest = ''] = HEADER.exec(line) ?? [];
      if (version === undefined) break;
      const urgency = field(URGENCY.exec(rest)?.[1] ?? '');
      open = { version: field(version), distribution: field(distribution), urgency, lines: [] };
    } else if (open) {
      break;
    }
  }
  return entries;
}

/** The entries of versions that are newer than one and at most another. @param after null: only that of `version` */
export function entriesBetween(
  entries: ChangelogEntry[],
  after: string | null,
  version: string,
): ChangelogEntry[] {
  const first = entries.findIndex((entry) => entry.version === version);
  if (first < 0) return [];
  const upTo = entries.slice(first);
  if (after === null) return upTo.slice(0, 1);
  const end = upTo.findIndex((entry) => compareVersions(entry.version, after) <= 0);
  return end < 0 ? upTo : upTo.slice(0, end);
}

/** Tabs become blanks; other characters that cannot be seen become U+FFFD. */
function plain(text: string): string {
  return text
    .replace(/\r?\n/g, '\n')
    .replace(/\t/g, '        ')
    .replace(/[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')
    .toWellFormed();
}

function field(text: string): string {
  return text.trim().slice(0, FIELD_LENGTH_MAX).toWellFormed();
}

function dateOf(text: string): Date | null {
  const date = new Date(text.trim().slice(0, FIELD_LENGTH_MAX));
  return Number.isNaN(date.getTime()) ? null : date;
}
