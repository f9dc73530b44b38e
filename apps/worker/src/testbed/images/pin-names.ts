import { ArchiveAway } from '../../slot/ports';
import { parseOneLine, type AptEntry } from '../host-apt/apt-entries';
import type { AptSetting } from '../host-apt/apt-settings';
import { loadReleaseField, releaseUrl } from './archive-state';

/** The apt lines in which a pin is searched. */
interface PinSources {
  /** Lines of the testbed's image; the runner adds a release from the archive of the first. */
  own: string[];
  /** Lines of the run's extra sources; with any, no release is added. */
  extra: string[];
}

/**
 * Suite → the name by which apt pins it. The runner writes `Pin: release a=NAME`; NAME must be the suite's name in the
 * archive's release file, and a codename silently pins nothing. A suite without a line, or whose server cannot be
 * asked, keeps its name.
 * @throws ArchiveAway naming the release file that could not be read
 */
export async function loadPinNames(
  suites: string[],
  sources: PinSources,
  settings: AptSetting[],
): Promise<Map<string, string>> {
  const entries = parseOneLine([...sources.own, ...sources.extra].join('\n'));
  const names = suites.map(async (suite): Promise<[string, string]> => {
    const entry =
      sources.extra.length > 0 ? entries.find(({ suites }) => suites.includes(suite)) : entries[0];
    return [suite, entry ? await nameOf(suite, entry, settings) : suite];
  });
  return new Map(await Promise.all(names));
}

async function nameOf(suite: string, entry: AptEntry, settings: AptSetting[]): Promise<string> {
  const url = releaseUrl({ ...entry, suites: [suite] });
  try {
    return (await loadReleaseField('Suite', url, settings)) ?? suite;
  } catch (error) {
    throw new ArchiveAway(
      `the release file of the pinned suite ${suite} could not be read: ${url}: ${String(error)}`,
    );
  }
}
