import { hostArchitecture } from '@test/support/host-architecture';
import { STUB_SUITE } from '@test/support/stub';
import { WebhookReceiver } from '@test/support/webhook-receiver';
import type { CommandStage } from './command-stage';

const arch = hostArchitecture();

/** Commands about what other programs receive. */
export function testNotifyingCommands(stage: () => CommandStage): void {
  const typed: CommandStage['typed'] = (args) => stage().typed(args);
  const expectAsDocumented: CommandStage['expectAsDocumented'] = (...answer) =>
    stage().expectAsDocumented(...answer);

  it('webhooks are made, listed, tested, held and removed, and what they missed is sent', async () => {
    const receiver = new WebhookReceiver();
    await receiver.open();
    const webhookAnswer = await typed([
      'webhook',
      'add',
      receiver.url,
      '--package',
      'noticed',
      '--kind',
      'requested',
    ]);
    expect(webhookAnswer).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_\S+\n$/) });
    receiver.secret = webhookAnswer.stdout.trim();
    const id = /proctor webhook ping (\d+)/.exec(webhookAnswer.stderr)![1]!;
    expect(await typed(['webhook', 'ping', id])).toMatchObject({ code: 0 });
    await receiver.until((received) => received.length === 1);
    const rotated = await typed(['webhook', 'rotate', id]);
    receiver.secret = rotated.stdout.trim();

    const disabled = await typed(['webhook', 'disable', id, '--json']);
    expect(expectAsDocumented('post', '/api/v1/webhooks/{webhook_id}', '200', disabled.stdout)).toMatchObject(
      { enabled: false },
    );
    await stage().client.submitOne(STUB_SUITE, arch, { package: 'noticed' });
    const show = await typed(['webhook', 'show', id, '--json']);
    expect(expectAsDocumented('get', '/api/v1/webhooks/{webhook_id}', '200', show.stdout)).toMatchObject({
      ...{ enabled: false, package: ['noticed'], kinds: ['requested'], old_secret_until: expect.any(String) },
    });
    expect(await typed(['webhook', 'recover', id, '--since', '1h'])).toMatchObject({ code: 1 });
    expect((await typed(['webhook', 'enable', id])).stderr).toContain(
      `proctor webhook recover ${id} --since 20`,
    );
    let recovered = await typed(['webhook', 'recover', id, '--since', '1h', '--json']);
    while ((JSON.parse(recovered.stdout) as { made: number }).made === 0)
      recovered = await typed(['webhook', 'recover', id, '--since', '1h', '--json']);
    await receiver.until((received) => received.length === 2);
    expect(receiver.received.map(({ data }) => data.package)).toEqual([undefined, 'noticed']);

    let log = await typed(['webhook', 'deliveries', id, '--state', 'delivered', '--json']);
    while ((JSON.parse(log.stdout) as { deliveries: object[] }).deliveries.length < 2)
      log = await typed(['webhook', 'deliveries', id, '--state', 'delivered', '--json']);
    const answer = expectAsDocumented('get', '/api/v1/webhooks/{webhook_id}/deliveries', '200', log.stdout);
    const [{ id: newest }] = (answer as { deliveries: [{ id: number }] }).deliveries;
    expect(await typed(['webhook', 'redeliver', id, String(newest)])).toMatchObject({ code: 0 });
    await receiver.until((received) => received.length === 3);
    const list = await typed(['webhook', 'list', '--json']);
    expectAsDocumented('get', '/api/v1/webhooks', '200', list.stdout);
    expect(await typed(['webhook', 'remove', id])).toMatchObject({ code: 2 });
    expect(await typed(['webhook', 'remove', id, '--yes', '--json'])).toMatchObject({
      ...{ code: 0, stdout: `${JSON.stringify({ id: Number(id), url: receiver.url })}\n` },
    });
    expect(await typed(['webhook', 'show', id])).toMatchObject({
      ...{ code: 1, stderr: expect.stringMatching(/there is no webhook \d+\nproctor webhook list /) },
    });
    expect(receiver.refused).toEqual([]);
    await receiver.close();
  });

  it('events are lines of JSON, each with where to go on', async () => {
    const runId = await stage().client.submitOne(STUB_SUITE, arch, { package: 'evented' });
    await stage().client.finished(runId);
    const readEvents = async (...args: string[]) => {
      const { code, stdout } = await typed(['events', '--package', 'evented', ...args]);
      expect(code).toBe(0);
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { id: string; kind: string; run_id: number; stream_id: string });
    };
    let events = await readEvents('--after', '1h');
    while (events.at(-1)?.kind !== 'finished') events = await readEvents('--after', '1h');
    expect(events.map((event) => event.run_id)).toEqual(events.map(() => runId));
    const ends = await readEvents('--after', events[0]!.stream_id, '--kind', 'finished');
    expect(ends).toMatchObject([{ id: events.at(-1)!.id }]);
    expect(await typed(['events'])).toMatchObject({ code: 2 });
    expect(await typed(['events', '--follow', '--kind', 'gone'])).toMatchObject({ code: 2 });
  });
}
