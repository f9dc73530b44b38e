import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, type ResultObject } from '../support/client';
import { hostArchitecture } from '../support/host-architecture';
import { startProctor, type RunningProctor } from '../support/proctor';

const MINUTE_MS = 60_000;
jest.setTimeout(60 * MINUTE_MS);

/** The release that the expectations were measured on. */
const SUITE = 'bookworm';
const arch = hostArchitecture();

interface Expectation {
  package: string;
  exitCode: number;
  note: string;
}

const EXPECTATIONS: Expectation[] = readFileSync(join(__dirname, 'packages.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [name = '', exitCode = '', note = ''] = line.split('\t');
    return { package: name, exitCode: Number(exitCode), note };
  });

let proctor: RunningProctor;
afterAll(() => proctor?.stop());

/** A table in Markdown. */
function table(runs: ResultObject[]): string {
  const rows = runs.map((run, place) => {
    const { exitCode, note } = EXPECTATIONS[place]!;
    const cells = [
      run.package,
      run.version,
      exitCode,
      run.exit_code,
      run.status,
      run.attempt,
      run.duration_seconds,
      note,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const head = ['package', 'version', 'expected', 'exit code', 'status', 'attempt', 'seconds', 'because it'];
  return [`| ${head.join(' | ')} |`, `| ${head.map(() => '---').join(' | ')} |`, ...rows].join('\n');
}

it(`${EXPECTATIONS.length} packages of ${SUITE} end as they should, on unshare, through the whole service`, async () => {
  proctor = await startProctor({
    config: {
      proctor: { suites: [SUITE], api: { neutral: 'neutral' } },
      worker: { slots: 2, suitesAtStart: [SUITE] },
    },
  });
  const client = Client.of(proctor);
  const begun = performance.now();
  const runIds = await client.submit(
    SUITE,
    arch,
    EXPECTATIONS.map((each) => ({ package: each.package })),
  );
  const runs: ResultObject[] = [];
  for (const runId of runIds) runs.push(await client.finished(runId, 50 * MINUTE_MS));
  const minutes = ((performance.now() - begun) / MINUTE_MS).toFixed(1);
  console.log(`${runs.length} packages in ${minutes} minutes, the image included\n${table(runs)}`);

  const ends = runs.map((run) => ({ package: run.package, exitCode: run.exit_code }));
  expect(ends).toEqual(EXPECTATIONS.map(({ package: name, exitCode }) => ({ package: name, exitCode })));
  for (const run of runs) {
    const log = await fetch(`${proctor.url}${run.log_url}`);
    expect([run.package, log.status]).toEqual([run.package, 200]);
    expect(await log.text()).toContain(`testbed dpkg architecture: ${arch}`);
  }
});
