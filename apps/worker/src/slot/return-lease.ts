import { waitAtMost } from '@proctor/clock';
import { EXPLANATION_LENGTH_MAX, grantOf, oneLine, type Lease, type SlotIdentity } from '@proctor/contracts';
import type { SlotParts } from './slot-parts';

/**
 * Returns a lease to its dispatcher; never rejects.
 * @returns whether it was confirmed in time; otherwise the dispatcher may still count it as the slot's
 */
export async function returnLease(
  identity: SlotIdentity,
  lease: Lease,
  reason: string,
  timeoutMs: number,
  { client, clock, log }: Pick<SlotParts, 'client' | 'clock' | 'log'>,
): Promise<boolean> {
  const { runId, attempt } = lease;
  let why = 'no answer came';
  const request = { ...identity, ...grantOf(lease), reason: oneLine(reason, EXPLANATION_LENGTH_MAX) };
  const answer = client.return(lease.arch, request).catch((error: unknown) => {
    why = String(error);
    return null;
  });
  const reply = await waitAtMost(answer, timeoutMs, clock);
  if (reply === null) {
    log.warn(`run ${runId} attempt ${attempt}: the lease was not taken back, it will expire: ${why}`);
  }
  return reply !== null;
}
