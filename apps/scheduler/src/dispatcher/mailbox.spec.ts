import { Mailbox, MailboxFull } from './mailbox';

describe('Mailbox', () => {
  it('gives letters in the order of arrival, a bounded number at a time', () => {
    const mailbox = new Mailbox(10, () => undefined);
    for (const runId of [1, 2, 3]) void mailbox.offer({ kind: 'explain', runId });
    expect(mailbox.take(2).map(({ message }) => message)).toMatchObject([{ runId: 1 }, { runId: 2 }]);
    expect(mailbox.take(2).map(({ message }) => message)).toMatchObject([{ runId: 3 }]);
  });

  it('refuses what it has no room for, at once and without a call', async () => {
    const onMail = jest.fn();
    const mailbox = new Mailbox(1, onMail);
    void mailbox.offer({ kind: 'status' });
    await expect(mailbox.offer({ kind: 'status' })).rejects.toThrow(MailboxFull);
    expect(onMail).toHaveBeenCalledTimes(1);
    expect(mailbox.length).toBe(1);
  });
});
