import { hostRelease } from '@proctor/config';
import { join } from 'node:path';
import { Client } from '@test/support/client';
import { hostArchitecture } from '@test/support/host-architecture';
import { startProctor, type RunningProctor } from '@test/support/proctor';
import { until } from '@test/support/until';
import { prepareImage, provideImage } from '@test/support/worker-images';

const arch = hostArchitecture();
const suite = hostRelease() as string;

let proctor: RunningProctor;
let client: Client;

prepareImage();
beforeAll(async () => {
  proctor = await startProctor({ apps: ['api', 'scheduler'] });
  client = Client.of(proctor);
});

afterAll(() => proctor?.stop());

it('real packages of the archive are tested end to end: hello passes, figlet fails', async () => {
  const [hello, figlet] = await client.submit(suite, arch, [{ package: 'hello' }, { package: 'figlet' }]);
  expect(await client.run(hello as number)).toMatchObject({
    status: null,
    reasons: [`no worker has requested work on ${arch} yet`],
  });
  await provideImage(join(proctor.home.path, 'worker'));
  await proctor.restart('worker');

  const passed = await client.finished(hello as number, 200_000);
  expect(passed).toMatchObject({ status: 'pass', exit_code: 0, attempt: 1, backend: 'unshare', suite, arch });
  expect(passed.version).toMatch(/^2\./);
  expect(passed.duration_seconds).toBeGreaterThan(0);
  const failedRun = await client.finished(figlet as number, 200_000);
  expect(failedRun).toMatchObject({ status: 'fail', exit_code: 4 });

  for (const run of [passed, failedRun]) {
    const log = await (await fetch(`${proctor.url}${run.log_url}`)).text();
    expect(log).toContain(`testbed dpkg architecture: ${arch}`);
    expect(log).toContain(`${run.package} ${run.version}`);
    expect(log).toMatch(/@@@@@@+ summary/);
  }
});

it('the page of a trigger has the changes of its version, from the changelog of the tested source', async () => {
  const { version } = await client.finished(
    (await client.submit(suite, arch, [{ package: 'hello' }]))[0] as number,
    200_000,
  );
  const trigger = `hello/${version}`;
  const [runId] = await client.submit(suite, arch, [{ package: 'hello', trigger }]);
  await client.finished(runId as number, 200_000);
  const html = await (await fetch(`${proctor.url}/triggers/${trigger}`)).text();
  expect(html).toContain('Changes in the package');
  expect(html).toContain(`<h2>${version} `);
  const [, url] = /<a href="([^"]*testpkg-changelog[^"]*)"/.exec(html)!;
  expect(await (await fetch(`${proctor.url}${url}`)).text()).toContain(`hello (${version}) `);
});

it('the worker says which packages its suite has, and a request for one that is not there gets a warning', async () => {
  await proctor.output.line(
    'scheduler',
    new RegExp(`says that ${suite} has \\d+ source packages on ${arch}`),
  );
  const warnings = async (name: string): Promise<string[]> => {
    const path = `/api/v1/test/${suite}/${arch}/${name}?dry_run=true`;
    const answer = await (await client.fetch(path, { method: 'POST' })).json();
    return (answer as { warnings: string[] }).warnings;
  };
  expect(await until(async () => (await warnings('helo')).length > 0)).toBe(true);
  const [warning] = await warnings('helo');
  expect(warning).toContain(`${suite} has no source package "helo"; did you mean`);
  expect(warning).toContain('"hello"');
  expect(await warnings('hello')).toEqual([]);
});
