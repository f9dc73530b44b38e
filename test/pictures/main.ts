import 'reflect-metadata';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Logger } from '@nestjs/common';
import { openDatabase } from '@proctor/database';
import { type Browser, chromium, type Page } from 'playwright-core';
import { Client } from 'pg';
import { HttpClient } from '../bench/client';
import { Deployment } from '../bench/deployment';
import { Place } from '../bench/place';
import { generateFinishedRuns, keepStatuses } from '../generator/finished-runs';
import { until } from '../support/until';

const SUITES = ['unstable', 'testing', 'stable'];
const ARCHITECTURES = ['amd64', 'arm64', 'armhf', 'riscv64'];
/** riscv64 has no worker: its runs wait, and the pages say so. */
const SERVED = ['amd64', 'arm64', 'armhf'];
const PACKAGES = 250;
const TRIGGER = 'glibc/2.42-3';
const TRIGGERED = ['acl', 'libatlas-perl', 'bind', 'curl', 'libcalc-perl', 'python-graph', 'zone'];
const FAILING = 'libatlas-perl';
const USER = { name: 'mara', password: 'only for pictures' };

interface Picture {
  name: string;
  path: string;
  isOfUser?: true;
  /** Clicked before, by its visible text. */
  opens?: string;
  /** Each of the first has one of the second: a status follows its run, so the page is loaded again until that is so. */
  shows?: { each: string; text: string };
}

/** Every picture is taken 1280 pixels wide and light, those of `IN_ALL` also dark and on a phone. */
const IN_ALL = ['first-page', 'package', 'run', 'log', 'trigger', 'queues'];

/** @param only the name of the one picture that is wanted; all when absent */
async function main(folder: string, only?: string): Promise<void> {
  Logger.overrideLogger(false);
  const place = await Place.open({ isQuick: false });
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const scene = await Scene.make(place);
    await mkdir(folder, { recursive: true });
    const chosenPictures = (await scene.pictures()).filter(({ name }) => only === undefined || name === only);
    if (chosenPictures.length === 0) throw new Error(`there is no picture ${only}`);
    for (const picture of chosenPictures) await take(browser, scene, picture, folder);
  } finally {
    await browser.close();
    await place.close();
  }
}

async function take(browser: Browser, scene: Scene, picture: Picture, folder: string): Promise<void> {
  const light = { width: 1280, height: 860, colorScheme: 'light' as const, suffix: '' };
  const others = [
    { width: 1280, height: 860, colorScheme: 'dark' as const, suffix: '-dark' },
    { width: 390, height: 844, colorScheme: 'light' as const, suffix: '-phone' },
    { width: 390, height: 844, colorScheme: 'dark' as const, suffix: '-phone-dark' },
  ];
  for (const look of IN_ALL.includes(picture.name) ? [light, ...others] : [light]) {
    const { width, height, colorScheme, suffix } = look;
    const context = await browser.newContext({ viewport: { width, height }, colorScheme });
    const page = await context.newPage();
    if (picture.isOfUser) await logIn(page, scene.url);
    await page.goto(scene.url + picture.path);
    if (picture.shows) await whole(page, picture.shows);
    if (picture.opens !== undefined) await page.getByText(picture.opens).first().click();
    await page.screenshot({ path: join(folder, `${picture.name}${suffix}.png`) });
    await context.close();
  }
  console.log(picture.name);
}

async function whole(page: Page, { each, text }: NonNullable<Picture['shows']>): Promise<void> {
  const isWhole = await until(async () => {
    await page.reload();
    const [all, without] = [page.locator(each), page.locator(each).filter({ hasNotText: text })];
    return (await all.count()) > 0 && (await without.count()) === 0;
  }, 60_000);
  if (!isWhole) throw new Error(`${page.url()} does not show ${text} in each ${each}`);
}

async function logIn(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/user/login`);
  await page.getByLabel('User name').fill(USER.name);
  await page.getByLabel('Password').fill(USER.password);
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** A deployment with a past, tests under way, and some that wait. */
class Scene {
  private constructor(
    readonly url: string,
    private readonly client: HttpClient,
  ) {}

  static async make(place: Place): Promise<Scene> {
    let key = '';
    const deployment = await Deployment.start(place, {
      ...{ architectures: ARCHITECTURES, schedulers: 1, workers: ['ganymede', 'callisto'] },
      server: {
        suites: SUITES,
        backends: ['unshare', 'null'],
        defaultBackend: 'null',
        variants: ['autopkgtest'],
      },
      fill: async (databaseUrl) => {
        key = await fill(databaseUrl);
      },
    });
    for (const name of ['ganymede', 'callisto']) await deployment.worker(name, workerFile(name));
    const scene = new Scene(deployment.url, new HttpClient(deployment.url, { 'Auth-Key': key }));
    await scene.act();
    return scene;
  }

  async pictures(): Promise<Picture[]> {
    const failedRun = await this.failedRun();
    const path = (name: string): string =>
      `/packages/${name.startsWith('lib') ? name.slice(0, 4) : name[0]}/${name}/`;
    const run = `${path(FAILING)}unstable/amd64/${failedRun}/`;
    return [
      { name: 'first-page', path: '/' },
      { name: 'package', path: path(FAILING), shows: { each: 'article.fails', text: 'First failed' } },
      { name: 'history', path: `${path(FAILING)}unstable/amd64/` },
      { name: 'run', path: run },
      { name: 'log', path: `${run}log` },
      { name: 'trigger', path: `/triggers/${TRIGGER}` },
      { name: 'prefix', path: '/packages/p/' },
      { name: 'queues', path: '/status/queue/' },
      { name: 'workers', path: '/status/workers/' },
      { name: 'failing', path: '/status/failing/' },
      { name: 'statistics', path: '/status/statistics/' },
      { name: 'request', path: `/user/${USER.name}/test`, isOfUser: true },
      { name: 'keys', path: `/user/${USER.name}/keys`, isOfUser: true },
      { name: 'administration', path: '/admin/', isOfUser: true },
    ];
  }

  /** Tests that pass and fail, then some that take long, and others behind them. */
  private async act(): Promise<void> {
    for (const trigger of ['migration-reference/0', TRIGGER])
      for (const arch of SERVED) {
        for (const name of TRIGGERED) await this.submit('unstable', arch, name, trigger);
        await until(async () => (await this.unfinished()) === 0, 120_000);
      }
    for (const arch of ARCHITECTURES) {
      for (const suite of SUITES) await this.submit(suite, arch, 'linux', 'gcc-15/15.2.0-5');
      for (const name of TRIGGERED) await this.submit('testing', arch, name, 'perl/5.40.1-7');
    }
    await until(async () => (await this.running()) > 3, 60_000);
  }

  private submit(suite: string, arch: string, name: string, trigger: string): Promise<unknown> {
    return this.client.mustPost(`/api/v1/test/${suite}/${arch}/${name}`, { trigger });
  }

  private unfinished(): Promise<number> {
    return this.count('state=queued,leased,running');
  }

  private running(): Promise<number> {
    return this.count('state=running');
  }

  private async count(query: string): Promise<number> {
    const { text } = await this.client.mustGet(`/api/v1/runs?${query}`);
    return (JSON.parse(text) as { results: unknown[] }).results.length;
  }

  private async failedRun(): Promise<string> {
    const query = `package=${FAILING}&suite=unstable&arch=amd64&trigger=${TRIGGER}&status=fail`;
    const { text } = await this.client.mustGet(`/api/v1/runs?${query}`);
    return (JSON.parse(text) as { results: { run_id: string }[] }).results[0]!.run_id;
  }
}

/** @returns an API key of the user */
async function fill(databaseUrl: string): Promise<string> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await generateFinishedRuns(client, {
      ...{ runs: 30_000, seed: 7, suites: SUITES, architectures: ARCHITECTURES, packages: PACKAGES },
      ...{ until: new Date(), days: 45, privateShare: 0 },
    });
    await keepStatuses(databaseUrl, ARCHITECTURES);
    await keepHours(databaseUrl);
    await client.query(SEEN_SLOTS, [SERVED]);
    await client.query(SEEN_QUEUES);
  } finally {
    await client.end();
  }
  const database = await openDatabase(databaseUrl);
  try {
    await database.users.add(USER.name, { isAdmin: true, password: USER.password });
    return (await database.apiKeys.create(USER.name, 'laptop')).key;
  } finally {
    await database.close();
  }
}

async function keepHours(databaseUrl: string): Promise<void> {
  const database = await openDatabase(databaseUrl);
  for (const arch of ARCHITECTURES)
    await database.hourFigures.save(arch, SERVED.includes(arch) ? 6 : 0, null);
  await database.close();
}

/** How many runs of a suite queue wait: none now, most half a day ago. */
const waitingAt = (hour: string): string =>
  `greatest(0, 9 - 14 * cos(extract(epoch from now() - (${hour})) / 86400 * 2 * pi()))::integer`;

/** What schedulers would have seen in the hours before, but for a night. $1 has slots. */
const SEEN_SLOTS = `
  insert into slot_hours (hour, arch, slots)
  select h, s.arch, case when s.arch <> all ($1) then 0 when h < now() - interval '9 hours' then 8 else 6 end
  from (select distinct arch from slot_hours) s
  cross join generate_series(
    date_trunc('hour', now() - interval '72 hours', 'UTC'), now() - interval '1 hour', interval '1 hour') h
  where h not between now() - interval '50 hours' and now() - interval '45 hours'`;

const ENDED = '(q.pass + q.neutral + q.fail + q.tmpfail)';

/** Queues that swell and shrink, with as many arrivals and ends as that takes. */
const SEEN_QUEUES = `
  insert into queue_hours as q
    (hour, arch, suite, arrived, pass, neutral, fail, tmpfail, busy_seconds, waiting, oldest_seconds)
  select h.hour, h.arch, s.suite, greatest(0, new - old), greatest(0, old - new), 0, 0, 0, 0, new, new * 220
  from slot_hours h cross join (select distinct suite from queue_hours) s
    cross join lateral (
      select ${waitingAt('h.hour')} as new, ${waitingAt(`h.hour - interval '1 hour'`)} as old
    ) w
  where h.hour < now() - interval '1 hour'
  on conflict (hour, arch, suite) do update set
    waiting = excluded.waiting, oldest_seconds = excluded.oldest_seconds,
    pass = q.pass + greatest(0, excluded.pass - ${ENDED}),
    arrived = greatest(${ENDED}, excluded.pass) + excluded.arrived - excluded.pass`;

function workerFile(name: string): object {
  return {
    ...{ architectures: SERVED, slots: 3, backends: ['null'], machineMayBeDestroyed: true },
    workPath: name,
    suitesAtStart: SUITES,
    variants: { autopkgtest: [resolve('test/pictures/example-runner')] },
  };
}

main(process.argv[2] ?? 'docs/images', process.argv[3]).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
