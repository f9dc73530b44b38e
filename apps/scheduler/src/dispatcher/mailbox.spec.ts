import { leaseRequest, startedReport } from '@test/support/runs';
import { Mailbox, MailboxFull, TickWatch } from './mailbox';

it('a mailbox gives envelopes in the order of arrival, a bounded number at a time', () => {
  const mailbox = new Mailbox(10, () => undefined);
  for (const runId of [1, 2, 3]) void mailbox.add({ kind: 'explain', runId });
  expect(mailbox.removeFirst(2).map(({ message }) => message)).toMatchObject([{ runId: 1 }, { runId: 2 }]);
  expect(mailbox.removeFirst(2).map(({ message }) => message)).toMatchObject([{ runId: 3 }]);
});

it('a mailbox refuses what it has no room for, at once and without a call', async () => {
  const onMail = jest.fn();
  const mailbox = new Mailbox(1, onMail);
  void mailbox.add({ kind: 'status' });
  await expect(mailbox.add({ kind: 'status' })).rejects.toThrow(MailboxFull);
  expect(onMail).toHaveBeenCalledTimes(1);
  expect(mailbox.length).toBe(1);
});

describe('TickWatch', () => {
  const mailbox = { receivedCount: 0, takenCount: 0 };
  let watch: TickWatch;

  beforeEach(() => {
    Object.assign(mailbox, { receivedCount: 0, takenCount: 0 });
    watch = new TickWatch(mailbox);
  });

  it('a tick is due once its deadline has passed', () => {
    expect([watch.dueMs(null, 5), watch.dueMs(10, 9), watch.dueMs(10, 10), watch.dueMs(10, 11)]).toEqual([
      null,
      null,
      10,
      11,
    ]);
  });

  it('a tick waits for the envelopes that were there at its deadline, and for no later ones', () => {
    Object.assign(mailbox, { receivedCount: 3, takenCount: 1 });
    expect(watch.dueMs(10, 10)).toBeNull();
    Object.assign(mailbox, { receivedCount: 5, takenCount: 2 });
    expect(watch.dueMs(10, 12)).toBeNull();
    Object.assign(mailbox, { receivedCount: 9, takenCount: 3 });
    expect(watch.dueMs(10, 14)).toBe(10);
  });

  it('the wait of a tick begins again when an envelope has moved the deadline', () => {
    Object.assign(mailbox, { receivedCount: 2, takenCount: 1 });
    expect(watch.dueMs(10, 10)).toBeNull();
    mailbox.takenCount = 2;
    expect(watch.dueMs(20, 12)).toBeNull();
    expect(watch.dueMs(20, 21)).toBe(21);
  });
});

describe('what goes first', () => {
  const ask = (worker: string, slot = 0) => ({
    kind: 'lease' as const,
    request: leaseRequest({ worker, slot }),
  });
  const renew = (worker: string) => ({ kind: 'renew' as const, request: startedReport(1, 1, { worker }) });
  const namesOfFirst = (mailbox: Mailbox, max: number): string[] =>
    mailbox.removeFirst(max).map(({ message }) => {
      if (message.kind === 'lease' || message.kind === 'renew')
        return `${message.kind} ${message.request.worker} ${message.request.slot}`;
      return message.kind;
    });

  it('renewals go before asks, and asks before questions of people', () => {
    const mailbox = new Mailbox(100, () => undefined);
    void mailbox.add({ kind: 'status' });
    for (let slot = 0; slot < 5; slot += 1) void mailbox.add(ask('flood', slot));
    void mailbox.add(renew('sound'));
    expect(namesOfFirst(mailbox, 2)).toEqual(['renew sound 0', 'lease flood 0']);
    expect(namesOfFirst(mailbox, 4)).toEqual([1, 2, 3, 4].map((slot) => `lease flood ${slot}`));
    expect(namesOfFirst(mailbox, 4)).toEqual(['status']);
  });

  it('of several workers that ask, each has its turn', () => {
    const mailbox = new Mailbox(100, () => undefined);
    for (let slot = 0; slot < 5; slot += 1) void mailbox.add(ask('flood', slot));
    void mailbox.add(ask('sound'));
    expect(namesOfFirst(mailbox, 3)).toEqual(['lease flood 0', 'lease sound 0', 'lease flood 1']);
  });

  it('no worker has more than a quarter of the room', async () => {
    const mailbox = new Mailbox(8, () => undefined);
    for (let slot = 0; slot < 2; slot += 1) void mailbox.add(ask('flood', slot));
    await expect(mailbox.add(ask('flood', 2))).rejects.toThrow(MailboxFull);
    void mailbox.add(ask('sound'));
    expect(mailbox.length).toBe(3);
    mailbox.removeFirst(1);
    void mailbox.add(ask('flood', 2));
    expect(mailbox.length).toBe(3);
  });
});
