import { hostArchitecture } from '@test/support/host-architecture';
import { STUB_SUITE } from '@test/support/stub';
import { type CommandStage, REJECTED } from './command-stage';

const arch = hostArchitecture();

/** Triggers and the reject list. */
export function testTriggerCommands(stage: () => CommandStage): void {
  const typed: CommandStage['typed'] = (args) => stage().typed(args);
  const expectAsDocumented: CommandStage['expectAsDocumented'] = (...answer) =>
    stage().expectAsDocumented(...answer);

  it('triggers and the reject list are shown as the API answers them', async () => {
    const runId = await stage().client.submitOne(STUB_SUITE, arch, {
      package: 'hello',
      trigger: 'glibc/2.40-4',
    });
    await stage().client.finished(runId);
    const list = await typed(['trigger', 'list', '--query', 'glibc', '--json']);
    expectAsDocumented('get', '/api/v1/triggers', '200', list.stdout);
    const show = await typed(['trigger', 'show', 'glibc/2.40-4', '--json']);
    expectAsDocumented('get', '/api/v1/triggers/{package}/{version}', '200', show.stdout);
    expect((await typed(['trigger', 'show', 'glibc/2.40-4'])).stdout).toContain(`\t${runId}\thello\t`);
    const rejected = await typed(['reject-list', 'show', '--json']);
    expect(expectAsDocumented('get', '/api/v1/reject_list', '200', rejected.stdout)).toEqual(REJECTED);
    expect(await typed(['reject-list', 'check', 'hello'])).toMatchObject({ code: 0 });
    expect(await typed(['reject-list', 'check', 'blocked', '--arch', arch])).toMatchObject({
      ...{ code: 1, stdout: `blocked\t*\t${arch}\t*\n` },
    });
  });

  it('trigger retry, refresh and cancel count first, change what they counted, and end differently from nothing to do', async () => {
    const runId = await stage().client.submitOne(STUB_SUITE, arch, {
      package: 'fail-now',
      trigger: 'many/1',
    });
    await stage().client.finished(runId);
    const path = '/api/v1/triggers/{package}/{version}/{action}';
    const retry = ['trigger', 'retry', 'many/1', '--group', 'unknown'];
    const dry = await typed([...retry, '--dry-run', '--json']);
    expect(expectAsDocumented('post', path, '200', dry.stdout)).toMatchObject({ is_dry_run: true });
    expect(await typed(retry)).toMatchObject({
      ...{ code: 2, stderr: expect.stringMatching(/^error: 1 test is repeated.*\nuse --yes/) },
    });
    const repeated = await typed([...retry, '--yes']);
    expect(repeated).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`^${runId}\tfail-now\t`)),
    });
    await stage().client.finished(Number(repeated.stdout.trim().split('\t')[4]));
    expect(await typed(['trigger', 'refresh', 'many/1', '--run', String(runId), '--yes'])).toMatchObject({
      code: 0,
    });
    expect(await typed(['trigger', 'cancel', 'many/1', '--reason', 'x', '--yes'])).toMatchObject({
      ...{
        code: 1,
        stderr: expect.stringMatching(/no test of many\/1 can be cancelled\nproctor trigger show many\/1/),
      },
    });
    expect(await typed(['trigger', 'retry', 'many/1'])).toMatchObject({ code: 2 });
  });
}
