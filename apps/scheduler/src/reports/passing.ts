import { NoAnswer, NotNow } from '@proctor/bus';
import { DatabaseUnavailable } from '@proctor/database';
import { StaleEpoch } from '@proctor/dispatch';
import { MailboxFull } from '../dispatcher/mailbox';
import { NotHandled, NotOwner } from '../dispatcher/turn';

/** Failures that pass by themselves, or that another scheduler does not have. */
const PASSING = [NotOwner, StaleEpoch, NotHandled, MailboxFull, DatabaseUnavailable, NoAnswer];

/** Does the work for a report; what fails through no fault of the report becomes NotNow. */
export async function forReport(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!PASSING.some((passing) => error instanceof passing)) throw error;
    throw new NotNow(String(error), { cause: error });
  }
}
