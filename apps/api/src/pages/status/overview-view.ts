import type { NeutralStatus } from '@proctor/contracts';
import type { PackagesOfPlace } from '@proctor/database';
import type { WordCounts } from '../../public-data/status.service';

interface Targets {
  suites: string[];
  architectures: string[];
  neutral: NeutralStatus;
}

interface OverviewRow {
  suite: string;
  arch: string;
  counts: WordCounts;
  url: string;
}

const NONE = { pass: 0, neutral: 0, fail: 0, tmpfail: 0 };

/** How many packages have which status: of the places that are tested, then of those that were. */
export function overviewRows(
  places: PackagesOfPlace[],
  { suites, architectures, neutral }: Targets,
): OverviewRow[] {
  const known = new Map(places.map((place) => [`${place.suite}/${place.arch}`, place]));
  const tested = suites.flatMap((suite) => architectures.map((arch) => ({ suite, arch, ...NONE })));
  const isTested = ({ suite, arch }: PackagesOfPlace): boolean =>
    suites.includes(suite) && architectures.includes(arch);
  return [...tested, ...places.filter((place) => !isTested(place))].map(({ suite, arch }) => {
    const { pass, neutral: empty, fail, tmpfail } = known.get(`${suite}/${arch}`) ?? NONE;
    const total = pass + empty + fail + tmpfail;
    const counts =
      neutral === 'pass'
        ? { pass: pass + empty, neutral: 0, fail, tmpfail, total }
        : { pass, neutral: empty, fail, tmpfail, total };
    return { suite, arch, counts, url: `/status/${suite}/${arch}/` };
  });
}

/** `On 14 suites and architectures 3 of 120 packages fail, 1 could not be tested.`; each counts where it was tested. */
export function overviewSentence(rows: OverviewRow[]): string {
  const sum = (count: (counts: WordCounts) => number): number =>
    rows.reduce((total, { counts }) => total + count(counts), 0);
  const [total, fail, tmpfail] = [sum((all) => all.total), sum((all) => all.fail), sum((all) => all.tmpfail)];
  if (total === 0) return 'No package has a result yet.';
  const places = rows.filter(({ counts }) => counts.total > 0).length;
  const on = places === 1 ? 'one suite and architecture' : `${places} suites and architectures`;
  const written = (value: number): string => value.toLocaleString('en');
  return `Of ${written(total)} packages on ${on}, ${written(fail)} fail and ${written(tmpfail)} could not be tested.`;
}
