import { Mailbox, MailboxFull, TickWatch } from './mailbox';

it('a mailbox gives envelopes in the order of arrival, a bounded number at a time', () => {
  const mailbox = new Mailbox(10, () => undefined);
  for (const runId of [1, 2, 3]) void mailbox.offer({ kind: 'explain', runId });
  expect(mailbox.take(2).map(({ message }) => message)).toMatchObject([{ runId: 1 }, { runId: 2 }]);
  expect(mailbox.take(2).map(({ message }) => message)).toMatchObject([{ runId: 3 }]);
});

it('a mailbox refuses what it has no room for, at once and without a call', async () => {
  const onMail = jest.fn();
  const mailbox = new Mailbox(1, onMail);
  void mailbox.offer({ kind: 'status' });
  await expect(mailbox.offer({ kind: 'status' })).rejects.toThrow(MailboxFull);
  expect(onMail).toHaveBeenCalledTimes(1);
  expect(mailbox.length).toBe(1);
});

describe('TickWatch', () => {
  const mailbox = { received: 0, taken: 0 };
  let watch: TickWatch;

  beforeEach(() => {
    Object.assign(mailbox, { received: 0, taken: 0 });
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
    Object.assign(mailbox, { received: 3, taken: 1 });
    expect(watch.dueMs(10, 10)).toBeNull();
    Object.assign(mailbox, { received: 5, taken: 2 });
    expect(watch.dueMs(10, 12)).toBeNull();
    Object.assign(mailbox, { received: 9, taken: 3 });
    expect(watch.dueMs(10, 14)).toBe(10);
  });

  it('the wait of a tick begins again when an envelope has moved the deadline', () => {
    Object.assign(mailbox, { received: 2, taken: 1 });
    expect(watch.dueMs(10, 10)).toBeNull();
    mailbox.taken = 2;
    expect(watch.dueMs(20, 12)).toBeNull();
    expect(watch.dueMs(20, 21)).toBe(21);
  });
});
