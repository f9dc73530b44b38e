import { NoAnswer, RetryLater } from '@proctor/bus';
import { TimedOut } from '@proctor/clock';
import { DatabaseUnavailable } from '@proctor/database';
import { StaleEpoch } from '@proctor/dispatch';
import { StoreUnavailable } from '@proctor/store';
import { MailboxFull } from './mailbox';
import { NotHandled, NotOwner } from './not-handled';

/** Failures that end without a change, or that another scheduler may not have. */
const PASSING = [
  NotOwner,
  StaleEpoch,
  NotHandled,
  MailboxFull,
  DatabaseUnavailable,
  TimedOut,
  StoreUnavailable,
  NoAnswer,
];

/** Runs the work for a message. A failure for a reason outside of the message becomes RetryLater. */
export async function retryLater<Reply>(work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !PASSING.some((passing) => error instanceof passing)) throw error;
    throw new RetryLater(error.message, { cause: error });
  }
}
