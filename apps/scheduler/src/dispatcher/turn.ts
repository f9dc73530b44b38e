import type { LoggerService } from '@nestjs/common';
import {
  standingText,
  step,
  undoRefusedWrites,
  type AttemptToStop,
  type DispatcherState,
  type Journal,
  type Step,
  type Write,
} from '@proctor/dispatch';
import type { OwnershipTerm } from '../ownership/ownership-term';
import type { Envelope } from './mailbox';
import { NotOwner } from './not-handled';
import { sightingOf, type Sighting } from './sightings';

type JudgedWorker = Extract<Write, { kind: 'judge-worker' }>;

/** The changes that others are notified about after the turn is committed. */
export interface TurnOutcome {
  /** Runs became available. */
  workWaiting: boolean;
  stops: AttemptToStop[];
  /** Workers whose standing has changed. */
  judged: JudgedWorker[];
  /** The writes that the rows accepted. */
  committed: Write[];
  /** Something was committed, by the turn or with the runs that it ingested. */
  hasWritten: boolean;
  /** The workers that have sent a message. */
  sightings: Sighting[];
  /** Runs whose rows differ from memory: memory must be corrected. */
  doubtedRuns: number[];
  /** Messages without an answer because the rows refused their writes. They are handled again. */
  undone: Envelope[];
  /** Messages without an answer because more rows must be read first. */
  undecided: Envelope[];
}

/**
 * Handles the messages in order, all at the time `now`, commits their writes in one transaction, and answers all
 * except those about a run whose row differed. If it throws, nothing was answered, and the state must be discarded.
 * @throws StaleEpoch or NotOwner if the term is over
 */
export async function runTurn(
  state: DispatcherState,
  envelopes: Envelope[],
  now: number,
  journal: Pick<Journal, 'commit'>,
  term: OwnershipTerm,
): Promise<TurnOutcome> {
  const steps: Step[] = envelopes.map(({ message }) => step(state, message, now));
  const writes = [...steps.flatMap((each) => each.writes), ...state.usageWrites(now)];
  const refusedWrites = writes.length > 0 ? await journal.commit(term.arch, term.epoch, writes) : [];
  if (!term.holds()) throw new NotOwner(term.arch);
  undoRefusedWrites(state, refusedWrites);
  const doubted = new Set(refusedWrites.flatMap(runsOfWrite));
  const undone = envelopes.filter((envelope, place) => {
    if (steps[place]?.isUndecided) return false;
    if (doubted.size > 0 && isAbout(envelope, steps[place]!, doubted)) return true;
    envelope.resolve(steps[place]?.reply);
    return false;
  });
  const committed = writes.filter((write) => !refusedWrites.includes(write));
  return {
    workWaiting: steps.some((each) => each.workWaiting === true),
    stops: steps.flatMap((each) => each.stops ?? []),
    judged: writes.filter((write) => write.kind === 'judge-worker'),
    committed,
    hasWritten: committed.length > 0 || envelopes.some(({ message }) => message.kind === 'arrivals'),
    sightings: envelopes.flatMap(({ message }, place) => sightingOf(message, steps[place]!)),
    doubtedRuns: [...doubted],
    undone,
    undecided: envelopes.filter((_, place) => steps[place]?.isUndecided === true),
  };
}

/** Logs why a worker gets fewer runs. */
export function logJudgements(
  state: DispatcherState,
  judgements: JudgedWorker[],
  now: number,
  logger: Pick<LoggerService, 'log' | 'warn'>,
): void {
  for (const { worker, standing, reason } of judgements) {
    const details = state.judgements.detailsOf(state, worker, now);
    if (details) logger.warn(`worker ${worker} is ${standingText(details)}`);
    else logger.log(`worker ${worker} is ${standing}: ${reason}`);
  }
}

/** Whether the writes or the answer of a message depend on one of the runs. */
function isAbout({ message }: Envelope, { writes, reply }: Step, runIds: ReadonlySet<number>): boolean {
  const subjects = [
    ...('runId' in message ? [message.runId] : []),
    ...('request' in message && 'runId' in message.request ? [message.request.runId] : []),
    ...('report' in message ? [message.report.runId] : []),
    ...(typeof reply === 'object' && 'lease' in reply && reply.lease ? [reply.lease.runId] : []),
    ...writes.flatMap(runsOfWrite),
  ];
  return subjects.some((runId) => runIds.has(runId));
}

function runsOfWrite(write: Write): number[] {
  return 'runId' in write ? [write.runId] : [];
}
