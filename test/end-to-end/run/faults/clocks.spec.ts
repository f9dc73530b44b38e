import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openDatabase } from '@proctor/database';
import { expectEachPassedOnce } from '@test/support/accounts';
import { Browser } from '@test/support/browser';
import { silenceLog } from '@test/support/silent-log';
import { Stage } from './stage';

silenceLog();

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PROGRAMS = ['api', 'scheduler', 'worker'] as const;

let clocks: string;
let stage: Stage;

/** Sets the wall clock of each program, in milliseconds after the machine's. */
async function setClocks(api: number, scheduler: number, worker: number): Promise<void> {
  const offsets = { api, scheduler, worker };
  for (const program of PROGRAMS) {
    await writeFile(join(clocks, 'new'), String(offsets[program]));
    await rename(join(clocks, 'new'), join(clocks, program));
  }
}

beforeAll(async () => {
  clocks = await mkdtemp(join(tmpdir(), 'clocks-'));
  await setClocks(0, 0, 0);
  const preload = resolve(__dirname, '../../../support/set-clock.cjs');
  stage = await Stage.open({ env: { NODE_OPTIONS: `--require=${preload}`, PROCTOR_TEST_CLOCKS: clocks } });
  const database = await openDatabase(stage.proctor.databaseUrl);
  await database.users.add('alice', { isAdmin: false, password: 'of alice' });
  await database.close();
});
afterAll(async () => {
  await stage?.close();
  await rm(clocks, { recursive: true, force: true });
});

const isIn = async (browser: Browser): Promise<boolean> =>
  (await browser.get('/user/login?next=/in')).status === 302;

it.each([
  ['an hour behind', -HOUR_MS, HOUR_MS],
  ['an hour ahead', HOUR_MS, -HOUR_MS],
  ['a day behind in one program and ahead in another', -DAY_MS, DAY_MS],
])(
  'clocks that are %s, and are set during runs, lose and double no run, and give it no wrong time',
  async (name, from, to) => {
    await stage.withdrawGo();
    await setClocks(from, -from, from);
    const began = Date.now();
    const label = name.replaceAll(' ', '-');
    const early = await stage.waitingRun(`${label}-early`);
    const waiting = await stage.submit(4, `${label}-waiting`);
    await setClocks(to, -to, to);
    const late = await stage.submit(2, `${label}-late`);
    await stage.go();
    const runIds = [early, ...waiting, ...late];
    const accounts = await expectEachPassedOnce(stage, runIds);
    expect(accounts.map(({ attempt }) => attempt)).toEqual(runIds.map(() => 1));
    const endedAtMs = Date.now();
    for (const runId of runIds) {
      const run = await stage.client.run(runId);
      expect(run.duration_seconds).toBeLessThanOrEqual(Math.ceil((endedAtMs - began) / 1_000));
      const times = [run.created_at, run.updated_at, run.date!].map((time) => Date.parse(time));
      for (const time of times) {
        expect(time).toBeGreaterThanOrEqual(began - 2_000);
        expect(time).toBeLessThanOrEqual(endedAtMs + 2_000);
      }
    }
  },
);

it.each([
  ['an hour behind the browser’s', -HOUR_MS],
  ['a day behind the browser’s', -DAY_MS],
  ['an hour ahead', HOUR_MS],
])(
  'a browser logs in, and stays in when the clock is set, where the clock of the api is %s',
  async (_, offset) => {
    await setClocks(offset, 0, 0);
    const browser = new Browser(stage.proctor.url);
    expect((await browser.logIn('alice', 'of alice')).status).toBe(303);
    expect(await isIn(browser)).toBe(true);
    await setClocks(0, 0, 0);
    expect(await isIn(browser)).toBe(true);
  },
);
