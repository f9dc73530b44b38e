import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '@proctor/database';
import { AppProcess } from '@proctor/embedded';
import type { Browser } from 'playwright-core';
import { stringify } from 'yaml';
import { launchChromium, openPage } from '@test/support/chromium';
import { hostArchitecture } from '@test/support/host-architecture';
import { startProctor, type RunningProctor } from '@test/support/proctor';
import { stubConfiguration } from '@test/support/stub';

const PASSWORD = 'a password of the test';
const NAME = 'new-machine';

let proctor: RunningProctor;
let browser: Browser;
let worker: AppProcess | undefined;

beforeAll(async () => {
  [proctor, browser] = await Promise.all([
    startProctor({ config: stubConfiguration(), apps: ['api', 'scheduler'] }),
    launchChromium(),
  ]);
  const database = await openDatabase(proctor.databaseUrl);
  await database.users.setPassword('admin', PASSWORD);
  await database.close();
});
afterAll(async () => {
  await browser?.close();
  await worker?.stop();
  await proctor?.stop();
});

/** A worker with the files of the folder, as the unit of the service starts it. */
function workerIn(folder: string): AppProcess {
  return new AppProcess({
    name: 'worker',
    main: join(__dirname, '../../../dist/apps/worker/src/main.js'),
    env: {
      ...process.env,
      PROCTOR_HOME: join(folder, 'home'),
      PROCTOR_CONFIG: folder,
      PROCTOR_NATS_CREDENTIALS: join(folder, 'credentials.json'),
      PROCTOR_DATABASE_URL: undefined,
    },
    identityFile: join(folder, 'worker.pid'),
    stopSignal: 'SIGINT',
    onLine: (line) => proctor.output.add('worker', line),
  });
}

it('the owner of a machine adds it, types what the page says, and sees it turn green; then an administrator drains it', async () => {
  const { page, faults } = await openPage(browser, `${proctor.url}/user/login?next=/status/workers/`);
  await page.getByLabel('User name').fill('admin');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Add a worker' }).click();
  await page.getByText('which other machines cannot reach').waitFor();

  await page.getByLabel('Name', { exact: true }).fill('a b');
  await page.getByLabel(hostArchitecture(), { exact: true }).check();
  await page.getByRole('button', { name: 'Add' }).click();
  const field = page.getByLabel('Name', { exact: true });
  await expect(field.getAttribute('aria-invalid')).resolves.toBe('true');
  expect(await field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  expect([await field.inputValue(), await page.getByLabel(hostArchitecture()).isChecked()]).toEqual([
    'a b',
    true,
  ]);
  await field.fill(NAME);
  await page.keyboard.press('Enter');

  await page.getByText('Only this machine reaches NATS').waitFor();
  await page.getByText(`${NAME} has not requested work yet.`).waitFor();
  await page.getByRole('button', { name: 'Copy the credentials' }).waitFor();
  const commands = await page.locator('ol.command-steps pre').allTextContents();
  expect([commands.length, commands.at(-1)]).toEqual([5, 'systemctl enable --now proctor-worker']);
  const folder = await mkdtemp(join(proctor.home.path, 'machine-'));
  for (const command of commands.slice(1, 3))
    execFileSync('sh', ['-ec', command.replaceAll('/etc/proctor-worker', folder)]);
  // Of this machine the test executes only the stub.
  await appendFile(join(folder, 'worker.yaml'), stringify(stubConfiguration().worker));
  worker = workerIn(folder);
  await worker.start();
  await page.locator('#worker-state .status.pass').waitFor();
  await page.getByText(`${NAME} is ready; 0 of 2 slots are busy.`).waitFor();

  await page.goto(`${proctor.url}/status/workers/`);
  const open = await page.context().newPage();
  await open.goto(page.url());
  await open.getByLabel('Drain…: second').click();
  const reason = open.locator('#second-reason');
  await reason.fill('not sent yet');
  await open.getByRole('heading', { name: 'Workers' }).click();

  await page.getByLabel(`Drain…: ${NAME}`).click();
  await page.locator(`#${NAME}-reason`).fill('new disks');
  await page.keyboard.press('Enter');
  await page.getByText(`${NAME} gets no new runs.`).waitFor();
  await open.getByLabel(`Resume…: ${NAME}`).waitFor();
  expect(await reason.inputValue()).toBe('not sent yet');
  await open.close();
  await page.getByLabel(`Resume…: ${NAME}`).click();
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await page.getByText(`${NAME} gets runs again.`).waitFor();
  await page.getByRole('link', { name: NAME, exact: true }).click();
  await page.getByText(/^\d+ % of its processors$/).waitFor();
  await page.getByLabel('Reason', { exact: true }).fill('odd results');
  await page.getByRole('button', { name: 'Drain', exact: true }).click();
  await page.getByText(`${NAME} gets no new runs.`).waitFor();
  await page.getByText(/^Drained by admin since .*: odd results\.$/).waitFor();
  expect(page.url()).toBe(`${proctor.url}/status/workers/${NAME}`);
  await page.getByText(`${NAME} is drained`).waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText(`${NAME} gets runs again.`).waitFor();
  expect(await page.getByText('Drained by admin').count()).toBe(0);
  // Chromium says so of the form that was refused.
  expect(faults).toEqual([expect.stringContaining('a status of 400')]);
});
