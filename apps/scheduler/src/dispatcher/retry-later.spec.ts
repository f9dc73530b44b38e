import { NoAnswer, RetryLater } from '@proctor/bus';
import { TimedOut } from '@proctor/clock';
import { DatabaseUnavailable } from '@proctor/database';
import { StaleEpoch } from '@proctor/dispatch';
import { StoreUnavailable } from '@proctor/store';
import { MailboxFull } from './mailbox';
import { NotHandled, NotOwner } from './not-handled';
import { retryLater } from './retry-later';

it.each([
  new NotOwner('amd64'),
  new StaleEpoch('amd64', 1),
  new NotHandled('the dispatcher cannot load its runs'),
  new MailboxFull(1),
  new DatabaseUnavailable('gone'),
  new TimedOut('a commit', 3_000),
  new StoreUnavailable('the bucket', 'connect ECONNREFUSED'),
  new NoAnswer('not connected'),
])('a message is tried later when its failure will pass: %s', async (error) => {
  await expect(retryLater(() => Promise.reject(error))).rejects.toThrow(RetryLater);
});

it('a failure that the message may have caused is passed on as it is', async () => {
  const full = new Error('no space left on device');
  await expect(retryLater(() => Promise.reject(full))).rejects.toBe(full);
});
