import { NoAnswer, NotNow } from '@proctor/bus';
import { DatabaseUnavailable } from '@proctor/database';
import { StaleEpoch } from '@proctor/dispatch';
import { MailboxFull } from '../dispatcher/mailbox';
import { NotHandled, NotOwner } from '../dispatcher/turn';
import { forReport } from './passing';

describe('a report whose handling fails', () => {
  it.each([
    new NotOwner('amd64'),
    new StaleEpoch('amd64', 1),
    new NotHandled('the dispatcher cannot load its runs'),
    new MailboxFull(1),
    new DatabaseUnavailable('gone'),
    new NoAnswer('not connected'),
  ])('comes again for as long as it takes: %s', async (error) => {
    await expect(forReport(() => Promise.reject(error))).rejects.toThrow(NotNow);
  });

  it('counts when the failure may be its own', async () => {
    const full = new Error('no space left on device');
    await expect(forReport(() => Promise.reject(full))).rejects.toBe(full);
  });
});
