import type { HistoryPage, PackagePlace } from '../data/public-runs.service';
import { runView } from './run-view';

/** What the page of a package's history on a suite and architecture shows. */
export function historyView(
  place: PackagePlace,
  { runs, older }: HistoryPage,
  isNewest: boolean,
  neutral: 'pass' | 'neutral',
) {
  const { suite, arch, prefix, package: name } = place;
  const historyUrl = `/packages/${prefix}/${name}/${suite}/${arch}/`;
  return {
    place,
    runs: runs.map((run) => runView(run, neutral)),
    isNewest,
    historyUrl,
    olderUrl: older === null ? null : `${historyUrl}?before=${older}`,
    jsonUrl: `/data/packages/${suite}/${arch}/${prefix}/${name}/history.json`,
    feedUrl: `/data/feeds/${prefix}/${name}.xml`,
  };
}
