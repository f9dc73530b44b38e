import { ACCEPTANCE_PACKAGES, installDebianPackages } from '@proctor/embedded';
import { Client, type ResultObject } from '../support/client';
import { hostArchitecture } from '../support/host-architecture';
import { startProctor, type RunningProctor } from '../support/proctor';
import { BACKENDS, expectationsOf, type Expectation } from './expectations';

const MINUTE_MS = 60_000;
jest.setTimeout(6 * 60 * MINUTE_MS);

/** The release that the expectations were measured on. */
const SUITE = 'bookworm';
const arch = hostArchitecture();

let proctor: RunningProctor;
beforeAll(async () => {
  const { advice } = await installDebianPackages(ACCEPTANCE_PACKAGES);
  if (advice !== undefined) throw new Error(advice);
});
afterEach(() => proctor?.stop());

/** A table in Markdown. */
function table(runs: ResultObject[], expectations: Expectation[]): string {
  const rows = runs.map((run, place) => {
    const { exitCodes, because } = expectations[place]!;
    const cells = [
      run.package,
      run.version,
      run.backend,
      exitCodes.join(' or '),
      run.exit_code,
      run.status,
      run.attempt,
      run.duration_seconds,
      because,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const head = 'package, version, backend, expected, exit code, status, attempt, seconds, because'.split(
    ', ',
  );
  return [`| ${head.join(' | ')} |`, `| ${head.map(() => '---').join(' | ')} |`, ...rows].join('\n');
}

const TABLES = ['packages.tsv', 'network-packages.tsv'];
const CASES = TABLES.flatMap((file) =>
  BACKENDS.map((backend) => ({
    file,
    backend,
    expectations: expectationsOf(file).filter((each) => each.backend === backend),
  })).filter(({ expectations }) => expectations.length > 0),
);

it.each(CASES)(
  `the packages of $file, of ${SUITE}, end on $backend as they should, through the whole service`,
  async ({ backend, expectations }) => {
    const backends = [backend];
    proctor = await startProctor({
      config: {
        proctor: { suites: [SUITE], backends, api: { neutral: 'neutral' } },
        worker: { slots: 2, suitesAtStart: [SUITE], backends, timeouts: { '*': 30 * MINUTE_MS } },
      },
    });
    const client = Client.of(proctor);
    const startMs = performance.now();
    const items = expectations.map((each) => ({ package: each.package, backend }));
    const runIds = await client.submit(SUITE, arch, items);
    const runs: ResultObject[] = [];
    for (const runId of runIds) runs.push(await client.finished(runId, 5 * 60 * MINUTE_MS));
    const minutes = ((performance.now() - startMs) / MINUTE_MS).toFixed(1);
    console.log(`${runs.length} runs in ${minutes} minutes, images included\n${table(runs, expectations)}`);

    const others = runs.filter(
      (run, place) => !expectations[place]!.exitCodes.includes(run.exit_code as number),
    );
    expect(others.map((run) => [run.package, run.exit_code])).toEqual([]);
    for (const run of runs) {
      const log = await fetch(`${proctor.url}${run.log_url}`);
      expect([run.package, log.status]).toEqual([run.package, 200]);
      expect(await log.text()).toContain(`testbed dpkg architecture: ${arch}`);
    }
  },
);
