import { subjectOf, SUBJECTS } from '@proctor/contracts';
import { Client } from 'pg';
import type { Browser, Page } from 'playwright-core';
import { generateFinishedRuns, keepStatuses } from '@test/generator/finished-runs';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { accessibilityFaults, launchChromium, openPage } from '@test/support/chromium';

const SUITES = ['unstable', 'testing', 'stable'];
const ARCHITECTURES = ['amd64', 'arm64', 'armhf', 'riscv64'];
/** riscv64 has no worker. */
const SERVED = ['amd64', 'arm64', 'armhf'];
const PHONE = { viewport: { width: 390, height: 844 } };

let api: RunningApi;
let browser: Browser;

/** Forty days of runs; others wait for each suite queue and run. */
beforeAll(async () => {
  const server = { suites: SUITES, architectures: ARCHITECTURES };
  const databaseUrl = async (own: string): Promise<string> => {
    const client = new Client({ connectionString: own });
    await client.connect();
    await generateFinishedRuns(client, {
      ...{ runs: 6_000, seed: 7, suites: SUITES, architectures: ARCHITECTURES, packages: 60 },
      ...{ until: new Date(), days: 40, privateShare: 0 },
    });
    await client.end();
    await keepStatuses(own, ARCHITECTURES);
    return own;
  };
  [api, browser] = await Promise.all([startApi({ server, databaseUrl }), launchChromium()]);
  for (const arch of ARCHITECTURES) answer(arch);
  for (const arch of ARCHITECTURES)
    for (const suite of SUITES)
      for (const name of ['linux', 'zone', `hello${'-very-long'.repeat(8)}`]) await submit(suite, arch, name);
  const unstable = await Promise.all(
    ['aa', 'bb', 'cc', 'dd', 'ee', 'ff'].map((name) => submit('unstable', 'amd64', name)),
  );
  for (const runId of unstable) await api.start(runId);
  for (const arch of ARCHITECTURES) await api.database.hourFigures.save(arch, 6, null);
});
afterAll(async () => {
  await browser?.close();
  await api?.stop();
});

async function submit(suite: string, arch: string, name: string): Promise<number> {
  const response = await api.api(`/test/${suite}/${arch}/${name}`, { method: 'POST' });
  return ((await response.json()) as { runs: { run_id: number }[] }).runs[0]!.run_id;
}

/** The dispatcher of an architecture. */
function answer(arch: string): void {
  const offer = { slots: 2, busy: 2, testbeds: [], variants: [], sizeClasses: [], standing: 'sound' };
  const workers = SERVED.includes(arch) ? [{ worker: 'callisto', ...offer }] : [];
  const queues = SUITES.map((suite) => ({
    ...{ suite, waiting: 3, running: 0, emptyInMs: 7_200_000, paused: null },
    reasons: SERVED.includes(arch) ? ['all 2 slots are busy'] : [`no worker asks for work on ${arch}`],
  }));
  api.bus.subscribe(subjectOf(SUBJECTS.status, arch), ({ respond }) =>
    respond?.(JSON.stringify({ arch, epoch: 1, workers, queues })),
  );
}

const sizeOf = (page: Page): Promise<number[]> =>
  page.evaluate('[document.documentElement.scrollHeight, document.documentElement.scrollWidth]');

it('on a phone the first page is short, and nothing is wider than the screen', async () => {
  const { page, faults } = await openPage(browser, api.url, PHONE);
  expect(await page.getByRole('article').count()).toBe(ARCHITECTURES.length);
  const [height, width] = await sizeOf(page);
  expect(height).toBeLessThanOrEqual(3_000);
  expect(width).toBeLessThanOrEqual(390);
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});

it('a trouble is named once on the first page', async () => {
  const { page } = await openPage(browser, api.url);
  const text = await page.evaluate<string>('document.body.innerText');
  expect(text.match(/no worker/gi)).toHaveLength(1);
  await page.getByRole('link', { name: 'riscv64: no worker' }).click();
  await page.waitForURL('**/status/queue/');
  await page.context().close();
});

it('without the script the first page has the same parts', async () => {
  const partsOf = async (page: Page): Promise<(string | null)[]> => [
    ...(await page.locator('main :is(h1, h2, h3)').allTextContents()),
    ...(await Promise.all(
      (await page.locator('main svg[aria-label]').all()).map((each) => each.getAttribute('aria-label')),
    )),
  ];
  const { page } = await openPage(browser, api.url);
  const { page: plain } = await openPage(browser, api.url, { javaScriptEnabled: false });
  const parts = await partsOf(plain);
  expect(parts).toContain('Began to fail');
  expect(parts).toEqual(await partsOf(page));
  for (const each of [page, plain]) await each.context().close();
});

it('a newcomer comes to a package that fails with two clicks, and to the search with one', async () => {
  const { page, faults } = await openPage(browser, api.url);
  await page.getByRole('link', { name: 'Search', exact: true }).click();
  expect(await page.evaluate<string>('document.activeElement.id')).toBe('search');
  await page.getByRole('link', { name: /^Failing packages [\d,]+$/ }).click();
  await page.waitForURL('**/status/failing/');
  const first = page.locator('main tbody a').first();
  const name = await first.textContent();
  await first.click();
  await page.getByRole('heading', { level: 1, name: name!, exact: true }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

it('an open first page shows what is requested', async () => {
  const { page, faults } = await openPage(browser, api.url);
  const waiting = page.getByRole('link', { name: /^\d+ waiting, 6 running\.$/ });
  const before = Number.parseInt((await waiting.textContent())!, 10);
  await submit('unstable', 'amd64', 'followed');
  await page.getByRole('link', { name: `${before + 1} waiting, 6 running.` }).waitFor();
  expect(faults).toEqual([]);
  await page.context().close();
});

it('an empty instance leads to the first request by form, past the login', async () => {
  const empty = await startApi();
  try {
    await empty.database.users.setPassword('alice', 'a password of the test');
    const { page, faults } = await openPage(browser, empty.url, PHONE);
    const command = page.getByText('curl --request POST');
    const button = page.getByRole('link', { name: 'Request a test' });
    const [top, below] = await Promise.all([button.boundingBox(), command.boundingBox()]);
    expect(top!.y).toBeLessThan(below!.y);
    await button.click();
    await page.getByLabel('User name').fill('alice');
    await page.getByLabel('Password').fill('a password of the test');
    await Promise.all([page.waitForURL('**/user/alice/test'), page.keyboard.press('Enter')]);
    expect(await page.getByLabel('Source packages').isVisible()).toBe(true);
    expect(faults).toEqual([]);
    await page.context().close();
  } finally {
    await empty.stop();
  }
});
