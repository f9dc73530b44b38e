import { writeFile } from 'node:fs/promises';
import { openDatabase } from '@proctor/database';
import type { Browser, Locator, Page } from 'playwright-core';
import { launchChromium, openPage } from '@test/support/chromium';
import { Client } from '@test/support/client';
import { hostArchitecture } from '@test/support/host-architecture';
import { startProctor, type RunningProctor } from '@test/support/proctor';
import { Marks, STUB_SUITE, stubConfiguration } from '@test/support/stub';

const arch = hostArchitecture();
const PLACE = `${STUB_SUITE}/${arch}`;
const PASSWORD = 'a password of the test';

let proctor: RunningProctor;
let browser: Browser;
let marks: Marks;

beforeAll(async () => {
  marks = await Marks.make();
  [proctor, browser] = await Promise.all([startProctor({ config: stubConfiguration() }), launchChromium()]);
  const database = await openDatabase(proctor.databaseUrl);
  await database.users.add('mara', { isAdmin: false, password: PASSWORD });
  await database.users.setPassword('admin', PASSWORD);
  await database.close();
});
afterAll(async () => {
  await browser?.close();
  await proctor?.stop();
  await marks?.remove();
});

/** A page in a browser of its own, after the login. */
async function loggedIn(user: string, path: string): Promise<{ page: Page; faults: string[] }> {
  const opened = await openPage(browser, `${proctor.url}/user/login?next=${encodeURIComponent(path)}`);
  const { page } = opened;
  await page.getByLabel('User name').fill(user);
  await page.getByLabel('Password').fill(PASSWORD);
  await Promise.all([page.waitForURL(`**${path}`), page.keyboard.press('Enter')]);
  return opened;
}

it('a maintainer makes a key, requests with it, and follows the log to its end though the api is killed', async () => {
  const { page, faults } = await loggedIn('mara', '/user/mara/keys');
  await page.getByLabel('Name', { exact: true }).fill('laptop');
  await page.getByRole('button', { name: 'Create key' }).click();
  const key = (await page.locator('#secret').textContent())!;
  const own = new Client(proctor.url, key);
  const gate = marks.path('gate');
  const trigger = `lines:500 wait-for:${gate} lines:400`;
  const runId = await own.submitOne(STUB_SUITE, arch, { package: 'followed', trigger });

  await page.goto(proctor.url);
  await page.keyboard.press('/');
  await page.keyboard.type('followed');
  await page.keyboard.press('Enter');
  await page
    .getByRole('link', { name: String(runId) })
    .first()
    .click();
  await page.waitForURL(`**/${runId}/`);
  const log = `${page.url()}log`;
  await page.goto(log);
  await page.locator('#log-lines', { hasText: 'line 500 of the stub' }).waitFor();
  const failedRequest = page.waitForEvent('requestfailed');
  await proctor.kill('api', 'SIGKILL');
  await failedRequest;
  await writeFile(gate, '');
  await proctor.restart('api');
  // The log that is kept takes the place of what has come, line by line.
  await page.getByText('lines, none with errors').waitFor();
  const shownText = (await page.locator('#log-lines .lines').allTextContents()).join('');
  const rawLog = await (await fetch(log.replace(/log$/, 'raw'))).text();
  expect(rawLog.split('\n').length).toBeGreaterThan(900);
  expect(shownText.split('\n')).toEqual(
    rawLog.split('\n').map((line, index) => (line ? `${index + 1}${line}` : '')),
  );
  // What Chromium says of the connection that was killed.
  expect(faults.filter((fault) => !/Failed to load resource|ERR_/.test(fault))).toEqual([]);
  await page.context().close();
});

it('a maintainer requests by form and by file, cancels, retries and publishes, with the keyboard where it counts', async () => {
  const { page, faults } = await loggedIn('mara', '/user/mara/test');
  await page.getByLabel('Source packages').fill('fail-of-mara\nhang-of-mara');
  await page.getByLabel(STUB_SUITE, { exact: true }).first().check();
  await page.getByLabel(arch).first().focus();
  await page.keyboard.press('Space');
  await page.getByLabel('Private').check();
  await page.getByRole('button', { name: 'Preview' }).press('Enter');
  await page.getByText('2 runs would be requested').waitFor();
  await page.getByRole('button', { name: 'Request', exact: true }).press('Enter');
  await page.getByRole('heading', { name: '2 runs were requested' }).waitFor();
  await page.goto(`${proctor.url}/user/mara/test`);
  const batch = [{ suite: STUB_SUITE, arch, tests: [{ package: 'of-a-file' }] }];
  await page.getByLabel('File', { exact: true }).setInputFiles({
    name: 'tests.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(batch)),
  });
  await page.getByRole('button', { name: 'Request tests from the file' }).click();
  await page.getByRole('heading', { name: 'One run was requested' }).waitFor();

  await page.goto(`${proctor.url}/user/mara/jobs?package=hang-*`);
  await page.getByRole('checkbox', { name: /Select run/ }).check();
  await page.getByRole('button', { name: 'Cancel…' }).click();
  await page.getByRole('button', { name: 'Cancel one run' }).click();
  await page.waitForURL('**/user/mara/jobs?package=hang-*');
  await page.getByText('1 run cancelled: run').waitFor();
  await page.goto(`${proctor.url}/user/mara/jobs?package=fail-*`);
  const failure = page.getByRole('row', { name: /fail-of-mara/ });
  await failure.getByText('fail', { exact: true }).waitFor();
  const list = await page.context().newPage();
  await list.goto(`${proctor.url}/user/mara/jobs?package=fail-*&readers=private`);
  const first = list.getByRole('checkbox', { name: /Select run/ });
  const ticked = (await first.getAttribute('name'))!;
  await first.check();
  const listUrl = page.url();
  await failure.getByRole('link', { name: /Retry run/ }).click();
  await page.getByRole('button', { name: 'Retry' }).press('Enter');
  // A retry returns to the list with its filter, and says which run it has made.
  await page.getByText('1 run requested again: run').waitFor();
  expect(page.url()).toBe(listUrl);
  // The list that was open has followed; what was ticked stays so, and what is new is not.
  await list.getByRole('checkbox', { name: /Select run/, checked: false }).waitFor();
  expect(await list.locator(`[name="${ticked}"]`).isChecked()).toBe(true);
  await list.close();
  await page.goto(`${proctor.url}/user/mara/jobs?package=fail-*&tick=all`);
  expect(await page.getByRole('checkbox', { name: /Select run/, checked: true }).count()).toBe(2);
  await page.getByRole('button', { name: 'Publish…' }).click();
  await page.getByRole('button', { name: /^Publish / }).click();
  await page.waitForURL('**/user/mara/jobs?*');
  const stranger = await fetch(`${proctor.url}/packages/f/fail-of-mara/${PLACE}/`);
  expect(stranger.status).toBe(200);
  expect(faults).toEqual([]);
  await page.context().close();
});

it('a maintainer who has a keyboard only finds a package, reads its failed run and its log, and retries it', async () => {
  const admin = Client.of(proctor);
  const runId = await admin.submitOne(STUB_SUITE, arch, { package: 'typed', trigger: 'exit:4' });
  await admin.finished(runId);
  const { page, faults } = await openPage(browser, `${proctor.url}/user/login`);
  await tabTo(page, page.getByLabel('User name'));
  await page.keyboard.type('mara');
  await tabTo(page, page.getByLabel('Password'));
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'mara', exact: true }).waitFor();
  await tabTo(page, page.getByLabel('Search', { exact: true }));
  await page.keyboard.type('typed');
  await Promise.all([page.waitForURL('**/packages/t/typed/'), page.keyboard.press('Enter')]);
  await tabTo(page, page.locator(`main a[href$="/${runId}/"]`).first());
  await Promise.all([page.waitForURL(`**/${runId}/`), page.keyboard.press('Enter')]);
  await tabTo(page, page.getByRole('link', { name: 'Log', exact: true }).first());
  await Promise.all([page.waitForURL(/\/log$/), page.keyboard.press('Enter')]);
  await page.locator('#log-lines .lines').first().waitFor();
  await page.goBack();
  await tabTo(page, page.getByRole('link', { name: 'Retry', exact: true }));
  await Promise.all([page.waitForURL(`**/retry/${runId}`), page.keyboard.press('Enter')]);
  await tabTo(page, page.getByRole('button', { name: 'Retry', exact: true }));
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('1 run requested again: run').waitFor();
  expect(page.url()).toContain(`/${runId}/`);
  expect(faults).toEqual([]);
  await page.context().close();
});

it('a release manager reads what a trigger broke, compares with the reference, and retries it all after a preview', async () => {
  const admin = Client.of(proctor);
  const reference = await admin.submitOne(STUB_SUITE, arch, {
    package: 'moved',
    trigger: 'migration-reference/0',
  });
  await admin.finished(reference);
  const broken = await admin.submitOne(STUB_SUITE, arch, { package: 'moved', trigger: 'gate/2.0-1 exit:4' });
  await admin.finished(broken);
  const { page, faults } = await loggedIn('mara', '/triggers/gate/2.0-1');
  await page.getByText('1 regression').first().waitFor();
  await page.getByRole('link', { name: /^Compare with the reference, pass: moved/ }).click();
  await page.waitForURL('**/compare/*');
  await page.goBack();
  await page.getByRole('link', { name: /^Regressions/ }).click();
  await page.getByRole('link', { name: 'compare', exact: true }).waitFor();
  const choice = page.getByRole('checkbox', { name: /moved/ });
  await choice.check();
  await admin.submitOne(STUB_SUITE, arch, { package: 'another', trigger: 'gate/2.0-1' });
  await page.getByText('2 of 2').first().waitFor();
  expect(await choice.isChecked()).toBe(true);
  await page.getByRole('button', { name: /^Retry/ }).click();
  await page.getByRole('button', { name: /^Retry/ }).click();
  await page.getByText('1 run requested again: run').waitFor();
  expect(page.url()).toContain('/triggers/gate/2.0-1?group=regression');
  const again = await page.getByRole('link', { name: /^run \d+$/ }).textContent();
  const run = await admin.finished(Number(again!.slice(4)));
  expect(run).toMatchObject({ package: 'moved', status: 'fail', trigger: 'gate/2.0-1 exit:4' });
  await page.goto(`${proctor.url}/triggers/gate/2.0-1`);
  await page.getByRole('button', { name: /^Retry moved/ }).click();
  await page.getByText('1 run requested again: run').waitFor();
  expect(page.url()).toBe(`${proctor.url}/triggers/gate/2.0-1`);
  expect(faults).toEqual([]);
  await page.context().close();
});

it('an administrator drains a worker, its owner reads why it gets nothing, and the run that waits says so', async () => {
  const admin = Client.of(proctor);
  const before = await admin.finished(await admin.submitOne(STUB_SUITE, arch, { package: 'earlier' }));
  const name = String(before['worker']);
  const { page, faults } = await loggedIn('admin', '/status/workers/');
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByLabel('Reason', { exact: true }).fill('a new disk');
  await page.getByRole('button', { name: 'Drain', exact: true }).press('Enter');
  await page.getByText(/Drained by admin/).waitFor();

  const owner = await openPage(browser, `${proctor.url}/status/workers/${name}`);
  await owner.page.getByText(/^Drained by admin since .*: a new disk\.$/).waitFor();
  const runId = await admin.submitOne(STUB_SUITE, arch, { package: 'patient' });
  await owner.page.goto(`${proctor.url}/runs/${runId}`);
  await owner.page.getByRole('region', { name: 'Why this run waits' }).getByText('drained').waitFor();

  await page.getByRole('button', { name: 'Resume' }).press('Enter');
  await owner.page.getByText('patient 1.0-1', { exact: false }).first().waitFor();
  await page.goto(`${proctor.url}/admin/audit/`);
  await page
    .getByRole('row', { name: /worker-drained|drained/ })
    .getByText('a new disk')
    .first()
    .waitFor();
  expect([...faults, ...owner.faults]).toEqual([]);
  await Promise.all([page.context().close(), owner.page.context().close()]);
});

const STOPS_MAX = 150;

/** Goes on by the key Tab until something has the focus, which must be seen. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let stops = 0; stops < STOPS_MAX; stops += 1) {
    await page.keyboard.press('Tab');
    if (!(await target.evaluate((element) => element === element.ownerDocument.activeElement))) continue;
    const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).not.toBe('none');
    return;
  }
  throw new Error(`${STOPS_MAX} times Tab do not lead to ${String(target)}`);
}
