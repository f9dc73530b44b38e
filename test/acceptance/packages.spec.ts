import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACCEPTANCE_PACKAGES, ensureDebianPackages } from '@proctor/embedded';
import { Client, type ResultObject } from '../support/client';
import { hostArchitecture } from '../support/host-architecture';
import { startProctor, type RunningProctor } from '../support/proctor';

const MINUTE_MS = 60_000;
jest.setTimeout(6 * 60 * MINUTE_MS);

/** The release that the expectations were measured on. */
const SUITE = 'bookworm';
const arch = hostArchitecture();

interface Expectation {
  package: string;
  backend: string;
  exitCode: number;
  note: string;
}

/** A table with a line for each package and backend. */
function expectationsOf(file: string): Expectation[] {
  const [head = '', ...lines] = readFileSync(join(__dirname, file), 'utf8').trimEnd().split('\n');
  const names = head.split('\t');
  return lines.map((line) => {
    const values = line.split('\t');
    const value = (name: string) => values[names.indexOf(name)] ?? '';
    const exitCode = Number(value('exit_code'));
    return {
      package: value('package'),
      backend: value('backend') || 'unshare',
      exitCode,
      note: value('note'),
    };
  });
}

let proctor: RunningProctor;
beforeAll(async () => {
  const { advice } = await ensureDebianPackages(ACCEPTANCE_PACKAGES);
  if (advice !== undefined) throw new Error(advice);
});
afterEach(() => proctor?.stop());

/** A table in Markdown. */
function table(runs: ResultObject[], expectations: Expectation[]): string {
  const rows = runs.map((run, place) => {
    const { exitCode, note } = expectations[place]!;
    const cells = [
      run.package,
      run.version,
      run.backend,
      exitCode,
      run.exit_code,
      run.status,
      run.attempt,
      run.duration_seconds,
      note,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const head = 'package, version, backend, expected, exit code, status, attempt, seconds, because it'.split(
    ', ',
  );
  return [`| ${head.join(' | ')} |`, `| ${head.map(() => '---').join(' | ')} |`, ...rows].join('\n');
}

it.each([['packages.tsv'], ['network-packages.tsv']])(
  `the packages of %s, of ${SUITE}, end as they should, through the whole service`,
  async (file) => {
    const expectations = expectationsOf(file);
    const backends = [...new Set(expectations.map(({ backend }) => backend))];
    proctor = await startProctor({
      config: {
        proctor: { suites: [SUITE], backends, api: { neutral: 'neutral' } },
        worker: { slots: 2, suitesAtStart: [SUITE], backends, timeouts: { '*': 30 * MINUTE_MS } },
      },
    });
    const client = Client.of(proctor);
    const begun = performance.now();
    const items = expectations.map(({ package: name, backend }) => ({ package: name, backend }));
    const runIds = await client.submit(SUITE, arch, items);
    const runs: ResultObject[] = [];
    for (const runId of runIds) runs.push(await client.finished(runId, 5 * 60 * MINUTE_MS));
    const minutes = ((performance.now() - begun) / MINUTE_MS).toFixed(1);
    console.log(`${runs.length} runs in ${minutes} minutes, images included\n${table(runs, expectations)}`);

    const endOf = (name: unknown, backend: unknown, exitCode: unknown) => ({ name, backend, exitCode });
    expect(runs.map((run) => endOf(run.package, run.backend, run.exit_code))).toEqual(
      expectations.map((each) => endOf(each.package, each.backend, each.exitCode)),
    );
    for (const run of runs) {
      const log = await fetch(`${proctor.url}${run.log_url}`);
      expect([run.package, log.status]).toEqual([run.package, 200]);
      expect(await log.text()).toContain(`testbed dpkg architecture: ${arch}`);
    }
  },
);
