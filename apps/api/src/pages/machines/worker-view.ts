import { isUntested } from '@proctor/contracts';
import type { WorkerDetails } from '@proctor/resources';
import { shapeOf } from '../layout/mark';
import { historyPath } from '../../runs/page-paths';
import { architecturesOf, slotsOf, stateOf, stripEntry, versionsOf, workerUrl } from './workers-view';

/** Failures are marked as more frequent than expected when there are twice as many, and at least three more. */
const OFTENER_BY = 2;
const OFTENER_MIN = 3;

/** The page of a worker. */
export function workerView(worker: WorkerDetails) {
  const { name, offers, registered, attempts, running, comparison } = worker;
  const state = registered?.revoked_at ? ({ shape: 'cancelled', word: 'revoked' } as const) : stateOf(offers);
  return {
    name,
    url: workerUrl(name),
    state,
    sentence: workerSentence(worker, state.word),
    reasons: worker.idle_reasons,
    version: versionsOf(offers),
    lastRefusal: registered?.last_refusal ?? null,
    architectures: architecturesOf(registered?.architectures ?? [], offers).join(', '),
    since: timeOf(registered?.since ?? null),
    lastSeenAt: timeOf(registered?.last_seen_at ?? null),
    offers: offers.map((offer) => ({
      arch: offer.arch,
      busy: offer.busy,
      slots: offer.slots,
      standing: offer.standing,
      until: timeOf(offer.until),
      variants: offer.variants.join(', '),
      sizeClasses: offer.size_classes.join(', '),
      testbeds: offer.testbeds,
      leftOut: offer.testbeds_left_out ?? 0,
    })),
    running: running.map((run) => ({
      runId: run.run_id,
      url: run.page_url,
      package: run.package,
      place: `${run.suite}/${run.arch}`,
      isPrivate: run.is_private,
    })),
    strip: attempts.map(stripEntry).reverse(),
    comparison: comparison && comparisonView(comparison),
    attempts: attempts.map((attempt) => ({
      url: attempt.page_url,
      package: attempt.package,
      packageUrl: historyPath(attempt),
      runId: attempt.run_id,
      attempt: attempt.attempt,
      place: `${attempt.suite}/${attempt.arch}`,
      status: endOf(attempt) ?? attempt.outcome,
      shape: shapeOf(endOf(attempt) ?? 'tmpfail'),
      endedAt: new Date(attempt.ended_at),
      reason: attempt.outcome === 'finished' ? '' : (attempt.reason ?? ''),
    })),
  };
}

function endOf({ status, verdict }: WorkerDetails['attempts'][number]): string | null {
  return isUntested(verdict) ? verdict : status;
}

function timeOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

/** `w1 is ready: 1 of 4 slots is busy.` */
function workerSentence({ name, offers }: WorkerDetails, word: string): string {
  const { slots, busy } = slotsOf(offers);
  return offers.length === 0
    ? `${name} is ${word}.`
    : `${name} is ${word}; ${busy} of ${slots} slots are busy.`;
}

/** The failures of this worker, compared with the number that other workers would have for the same runs. */
function comparisonView(comparison: NonNullable<WorkerDetails['comparison']>) {
  const { attempts, failed, expected_failed, without_result, expected_without_result } = comparison;
  return {
    attempts,
    rows: [
      {
        word: 'fail',
        count: failed,
        expected: expected_failed,
        isOftener: isOftener(failed, expected_failed),
      },
      {
        word: 'tmpfail',
        count: without_result,
        expected: expected_without_result,
        isOftener: isOftener(without_result, expected_without_result),
      },
    ],
  };
}

function isOftener(count: number, expected: number): boolean {
  return count >= OFTENER_BY * expected && count - expected >= OFTENER_MIN;
}
