import type { PackageLinkSection } from '@proctor/config';
import { cut } from '@proctor/contracts';
import type { RunRecord } from '@proctor/database';
import { type ChangelogEntry, entriesBetween, SOURCE_CHANGELOG } from '@proctor/result-files';
import { artifactsPath } from '../../runs/page-paths';
import { packageLinks } from '../layout/package-links';

export const ENTRIES_SHOWN_MAX = 5;
export const ENTRY_LENGTH_SHOWN_MAX = 3_000;

/**
 * The changes of a package between two versions, for its page as a trigger.
 * @param run tested the newer version
 * @param before null: it is not known which version was there before
 */
export function changesView(
  run: RunRecord,
  { version, before }: { version: string; before: string | null },
  changelog: ChangelogEntry[],
  links: PackageLinkSection[],
) {
  const entries = entriesBetween(changelog, before, version);
  const ofVersion = links.filter(({ url }) => url.includes('{version}'));
  return {
    before,
    entries: entries.slice(0, ENTRIES_SHOWN_MAX).map((entry) => ({
      ...entry,
      changes: cut(entry.changes, ENTRY_LENGTH_SHOWN_MAX),
      isCut: entry.changes.length > ENTRY_LENGTH_SHOWN_MAX,
    })),
    more: Math.max(0, entries.length - ENTRIES_SHOWN_MAX),
    changelogUrl: `${artifactsPath(run)}${SOURCE_CHANGELOG}?text=yes`,
    linksBefore:
      before === null ? [] : packageLinks(ofVersion, { ...run, suite: null, arch: null, version: before }),
  };
}
