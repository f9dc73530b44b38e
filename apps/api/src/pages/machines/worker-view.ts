import { isUntested } from '@proctor/contracts';
import type { DrainResource, WorkerDetails, WorkerResource } from '@proctor/resources';
import { drainReason } from '../../workers/idle-reasons';
import { shapeOf } from '../layout/mark';
import { historyPath } from '../../runs/page-paths';
import { MIB_IN_GIB } from './hours-view';
import { architecturesOf, slotsOf, stateOf, stripEntry, versionsOf, workerUrl } from './workers-view';

/** Failures are marked as more frequent than expected when there are twice as many, and at least three more. */
const OFTENER_BY = 2;
const OFTENER_MIN = 3;

/** The page of a worker. @param drain the decision of an administrator; its schedulers have it, too, once they know it */
export function workerView(worker: WorkerDetails, drain: DrainResource | null = null) {
  const { name, offers, registered, attempts, running, comparison } = worker;
  const state = registered?.revoked_at ? ({ shape: 'cancelled', word: 'revoked' } as const) : stateOf(offers);
  return {
    name,
    url: workerUrl(name),
    /** The page is also the answer to forms, which the browser cannot fetch again. */
    address: workerUrl(name),
    state,
    sentence: workerSentence(worker, state.word),
    ...reasonsOf(worker, drain),
    machine: machineView(offers),
    version: versionsOf(offers),
    lastRefusal: registered?.last_refusal ?? null,
    architectures: architecturesOf(registered?.architectures ?? [], offers).join(', '),
    since: timeOf(registered?.since ?? null),
    isConnected: offers.length > 0,
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

/** A disk is nearly full below this multiple of the room without which the worker accepts no work. */
const NEARLY_FULL_BELOW = 2;

/** The load and the disk of the machine; null when no scheduler shows them. */
function machineView(offers: WorkerResource[]) {
  const machine = offers.find((offer) => offer.machine !== undefined)?.machine;
  if (!machine) return null;
  const { load_percent, free_disk_mib: free, free_disk_mib_min: least } = machine;
  return {
    load: `${load_percent} % of its processors`,
    freeDisk: roomOf(free),
    warning:
      free < least * NEARLY_FULL_BELOW
        ? `The disk is nearly full: ${roomOf(free)} are free. With less than ${roomOf(least)} the worker accepts no work.`
        : null,
  };
}

/** `512 MiB`, `3.5 GiB` */
function roomOf(mib: number): string {
  return mib < MIB_IN_GIB ? `${mib} MiB` : `${(mib / MIB_IN_GIB).toFixed(1)} GiB`;
}

function endOf({ status, verdict }: WorkerDetails['attempts'][number]): string | null {
  return isUntested(verdict) ? verdict : status;
}

function timeOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

/** A drain is shown once, beside the state, and is none of the other reasons. */
function reasonsOf({ offers, idle_reasons: reasons }: WorkerDetails, drain: DrainResource | null) {
  const decision = drain ?? offers.find((offer) => offer.drained !== null)?.drained ?? null;
  const drainReasons = offers.flatMap(({ drained }) => (drained === null ? [] : drainReason(drained)));
  return {
    reasons: reasons.filter((reason) => !drainReasons.includes(reason)),
    drained: decision && {
      by: decision.by,
      reason: decision.reason,
      since: new Date(decision.since),
      deadline: timeOf(drain?.deadline ?? null),
    },
  };
}

/** `w1 is ready; 1 of 4 slots are busy.` */
function workerSentence({ name, offers, registered }: WorkerDetails, word: string): string {
  if (
    registered !== null &&
    registered.last_seen_at === null &&
    registered.revoked_at === null &&
    offers.length === 0
  )
    return `${name} has not requested work yet.`;
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
