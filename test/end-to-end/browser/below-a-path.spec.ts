import type { Browser } from 'playwright-core';
import { startApi } from '@test/support/api';
import type { RunningApi } from '@test/support/api';
import { launchChromium, openPage } from '@test/support/chromium';
import { startPathProxy, type PathProxy } from '@test/support/path-proxy';

let proxy: PathProxy;
let api: RunningApi;
let browser: Browser;

beforeAll(async () => {
  proxy = await startPathProxy(() => api.url);
  const server = { publicUrl: `${proxy.origin}/ci` };
  [api, browser] = await Promise.all([startApi({ server }), launchChromium()]);
  await api.finish(await api.submit('hello-traditional'), {
    verdict: 'fail',
    files: { 'log.gz': 'a log\n' },
  });
});
afterAll(async () => {
  await browser?.close();
  proxy.stop();
  await api?.stop();
});

it('below a path, the script finds what it asks for: suggestions, changes of an open page, and the log', async () => {
  const { page, faults } = await openPage(browser, `${proxy.origin}/ci/`);
  await page.keyboard.press('/');
  await page.keyboard.type('trad');
  await page.getByRole('option', { name: 'hello-traditional' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await Promise.all([page.waitForURL('**/ci/packages/h/hello-traditional/'), page.keyboard.press('Enter')]);

  const runId = await api.submit('hello-traditional', { trigger: 'glibc/2.40-4' });
  await page.getByText('1 run is waiting.').waitFor();
  await api.finish(runId, {
    verdict: 'fail',
    message: 'the unit test failed',
    files: { 'log.gz': 'one\ntwo\n' },
  });
  await page.getByText('the unit test failed').first().waitFor();

  await page.goto(`${proxy.origin}/ci/runs/${runId}`);
  await page.waitForURL(`**/ci/packages/h/hello-traditional/bookworm/amd64/${runId}/`);
  await page.goto(`${page.url()}log`);
  await page.getByText('two').waitFor();
  expect(faults).toEqual([]);
  expect(proxy.strays).toEqual([]);
  await page.context().close();
});
