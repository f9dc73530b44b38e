import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createHash } from 'node:crypto';
import { FolderStore } from '@proctor/store';
import { repairRestoredDatabase } from '@apps/cli/src/backup/restored';
import { ownConfiguration } from '@apps/cli/src/configuration';
import { generateFinishedRuns } from '@test/generator/finished-runs';
import { besideDead } from '@test/support/database';
import { request } from '../journal.fixture';
import { type Fixture, setUp } from './fixture';

const UNTIL = new Date('2026-11-20T12:00:00Z');
const RUNS = 40;

let fixture: Fixture;
let home: string;
let output: string;

beforeEach(async () => {
  fixture = await setUp();
  home = await mkdtemp(join(tmpdir(), 'proctor-restored-'));
  // The servers' user may go into a home, which this does not use.
  await chmod(home, 0o711);
  process.env['PROCTOR_HOME'] = home;
  process.env['PROCTOR_DATABASE_URL'] = besideDead(fixture.url);
  output = '';
  jest.spyOn(console, 'error').mockImplementation((line) => {
    output += `${String(line)}\n`;
  });
});
afterEach(async () => {
  jest.restoreAllMocks();
  delete process.env['PROCTOR_HOME'];
  delete process.env['PROCTOR_DATABASE_URL'];
  await fixture.close();
  await rm(home, { recursive: true });
});

it('a database that PostgreSQL itself has brought to an earlier moment goes on above all that may have been given since', async () => {
  await generateFinishedRuns(fixture.client, {
    ...{ runs: RUNS, seed: 5, suites: ['sid'], architectures: ['amd64'], packages: 4, until: UNTIL, days: 9 },
  });
  const { rows } = await fixture.client.query<{ runId: string; attempt: number }>(
    `select run_id as "runId", attempt from runs where log_size is not null order by run_id`,
  );
  const store = (await ownConfiguration()).store as { path: string };
  const keep = async (runId: number, attempt: number, name: 'log.gz' | 'artifacts.tar.gz') => {
    const sha256 = createHash('sha256').update('x').digest('hex');
    await new FolderStore(store.path).save(runId, attempt, name, Readable.from([Buffer.from('x')]), {
      size: 1,
      sha256,
    });
  };
  // The first lacks both files, the second one of them.
  for (const [place, { runId, attempt }] of rows.entries())
    if (place > 0)
      for (const name of ['log.gz', 'artifacts.tar.gz'] as const)
        if (place > 1 || name === 'log.gz') await keep(Number(runId), attempt, name);
  const lostRun = RUNS + 250_000;
  await keep(lostRun, 1, 'log.gz');

  await repairRestoredDatabase({});
  const record = (await fixture.database.backups.lastRestore())!;
  const newest = await fixture.client.query<{ at: Date }>('select max(at) as at from facts');
  expect(record).toEqual({
    ...{ restoredAt: expect.any(Date), takenAt: newest.rows[0]!.at },
    ...{ firstLostRun: RUNS + 1, nextRun: lostRun + 100_001, filesMissing: 2 },
  });
  expect(output).toContain(
    `runs ${RUNS + 1} to ${lostRun + 100_000} may have been requested since; none of these ids is used again`,
  );
  expect(output).toContain(`files of 1 attempts of such runs: the highest is ${lostRun}`);
  const [next] = await fixture.database.submissions.submit([request()], fixture.submitter);
  expect(next).toBe(record.nextRun);
  const user = await fixture.database.users.add('eve', { isAdmin: false });
  expect(user.userId).toBeGreaterThan(fixture.submitter.userId + 900);
});

it('for a database without any fact the moment must be given', async () => {
  await expect(repairRestoredDatabase({})).rejects.toThrow('its moment is not known');
  await fixture.database.ownershipRegister.claim('amd64', 'scheduler-1', 60_000);
  await repairRestoredDatabase({ at: UNTIL.getTime() / 1_000 });
  expect((await fixture.database.backups.lastRestore())!.takenAt).toEqual(UNTIL);
  const owned = await fixture.client.query('select from dispatchers where owner is not null');
  expect(owned.rowCount).toBe(0);
});
