import { packagePrefix } from '@proctor/contracts';
import type { RunRecord } from '@proctor/database';
import type { ApiConfiguration } from '../configuration.token';
import { runView } from './run-view';

interface SuiteStatus {
  suite: string;
  arch: string;
  latest: RunRecord;
}

type Targets = Pick<ApiConfiguration['server'], 'suites' | 'architectures' | 'neutral'>;

/** The matrix of suites and architectures: the configured ones, and others that the package was tested on. */
export function packageView(
  name: string,
  statuses: SuiteStatus[],
  { suites, architectures, neutral }: Targets,
) {
  const prefix = packagePrefix(name);
  const runs = new Map(
    statuses.map(({ suite, arch, latest }) => [`${suite}/${arch}`, runView(latest, neutral)]),
  );
  const columns = withOthers(
    architectures,
    statuses.map(({ arch }) => arch),
  );
  const rows = withOthers(
    suites,
    statuses.map(({ suite }) => suite),
  ).map((suite) => ({
    suite,
    cells: columns.map((arch) => ({
      url: `/packages/${prefix}/${name}/${suite}/${arch}/`,
      label: `${suite}/${arch}`,
      run: runs.get(`${suite}/${arch}`) ?? null,
    })),
  }));
  return {
    name,
    prefix,
    architectures: columns,
    rows,
    isTested: statuses.length > 0,
    feedUrl: `/data/feeds/${prefix}/${name}.xml`,
  };
}

function withOthers(configured: string[], found: string[]): string[] {
  return [...new Set([...configured, ...found])];
}
