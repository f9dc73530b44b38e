import {
  grantOf,
  type CanaryTest,
  type FinishedReport,
  type Grant,
  type Lease,
  type LeaseReply,
  type LeaseRequest,
  type RenewReply,
  type RenewRequest,
  type ReturnRequest,
} from '@proctor/contracts';
import { VirtualClock } from '../simulation/world/virtual-clock';
import { Epochs } from '@apps/worker/src/slot/epochs';
import { Notices } from '@apps/worker/src/slot/notices';
import type { AttemptResult, AttemptVerdict, CanaryEnd } from '@apps/worker/src/slot/ports';
import { AskTurns } from '@apps/worker/src/slot/ask-turns';
import { BusySlots } from '@apps/worker/src/slot/busy-slots';
import { Slot } from '@apps/worker/src/slot/slot';

const RESULT: AttemptResult = {
  verdict: 'pass',
  message: 'all tests passed',
  exitCode: 0,
  version: '1.0-1',
  durationSeconds: 5,
  tests: [{ name: 'unit', status: 'PASS', detail: null }],
  files: [{ name: 'log.gz', size: 1, sha256: 'a'.repeat(64), path: '/nowhere/log.gz' }],
};

const { files: _files, ...VERDICT } = RESULT;

export function leaseOf(runId: number, overrides: Partial<Lease> = {}): Lease {
  return {
    runId,
    attempt: 1,
    grantEpoch: 1,
    ttlMs: 60_000,
    renewEveryMs: 15_000,
    package: 'hello',
    suite: 'bookworm',
    arch: 'amd64',
    backend: 'unshare',
    variant: 'autopkgtest',
    trigger: null,
    pinPackages: [],
    extraAptSources: [],
    rejectedVersions: [],
    isPrivate: false,
    ...overrides,
  };
}

export interface Ask {
  arch: string;
  request: LeaseRequest;
  answer: (reply?: Partial<LeaseReply>) => void;
  fail: () => void;
}

interface Attempt {
  lease: Lease;
  signal: AbortSignal;
  /** The test ends; resolves when its verdict was kept, as far as it could be. */
  ends: (verdict?: AttemptVerdict) => Promise<void>;
  /** It ends, and its files are packed. */
  finish: (result?: AttemptResult) => void;
  fail: (error: Error) => void;
}

interface Canary {
  test: CanaryTest;
  signal: AbortSignal;
  finish: (end: CanaryEnd) => void;
  fail: (error: Error) => void;
}

const RETRY_MS = 2_000;

/** One slot whose dispatcher, runner and outbox are in the hands of the test. */
export function makeSlot(architectures = ['amd64']) {
  const clock = new VirtualClock();
  const asks: Ask[] = [];
  const renewals: { request: RenewRequest; answer: (reply?: Partial<RenewReply>) => void }[] = [];
  const returns: ReturnRequest[] = [];
  const attempts: Attempt[] = [];
  const keptReports: FinishedReport[] = [];
  const reports: { report: object; recorded: () => void }[] = [];
  const unkept: { report: object; recorded: () => void }[] = [];
  const started: number[] = [];
  const requestedTestbeds: object[] = [];
  const canaries: Canary[] = [];
  const lines: string[] = [];
  const state: {
    returnsAreAnswered: boolean;
    problem?: string;
    kept: ({ arch: string } & Grant)[];
    /** Why nothing can be kept. */
    diskProblem?: string;
    /** Nothing that is written is ever there. */
    diskHangs?: boolean;
  } = { returnsAreAnswered: true, kept: [] };
  const log = { log: () => undefined, warn: (line: string) => void lines.push(line) };
  const notices = new Notices(log);
  const turns = new AskTurns(clock);
  const slot = new Slot(
    { worker: 'w', incarnation: '0b9f6a2c-8a53-4c7e-9d7a-5a2f2f0f0a01', slot: 0 },
    architectures,
    {
      client: {
        request: (arch, request) =>
          new Promise((resolve, reject) => {
            const reply = { arch, epoch: 1, ask: request.ask, lease: null, wanted: [], askAgainMs: 10_000 };
            asks.push({
              arch,
              request,
              answer: (overrides) => resolve({ ...reply, ...overrides }),
              fail: () => reject(new Error('no answer')),
            });
          }),
        renew: (arch, request) =>
          new Promise((resolve) => {
            const reply: RenewReply = { arch, epoch: 1, ...grantOf(request), instruction: 'continue' };
            renewals.push({ request, answer: (overrides) => resolve({ ...reply, ...overrides }) });
          }),
        return: (arch, request) => {
          returns.push(request);
          if (!state.returnsAreAnswered) return new Promise(() => undefined);
          return Promise.resolve({ arch, epoch: 1, ...grantOf(request), returned: true });
        },
      },
      outbox: {
        reportStart: (_arch, report) => void started.push(report.runId),
        save: (_arch, report) => {
          if (state.diskHangs) return new Promise(() => undefined);
          if (state.diskProblem !== undefined) return Promise.reject(new Error(state.diskProblem));
          keptReports.push(report);
          return Promise.resolve(() => new Promise((resolve) => reports.push({ report, recorded: resolve })));
        },
        listWaiting: (arch) => state.kept.filter((each) => each.arch === arch).map(grantOf),
        reportUnsaved: (_arch, report) =>
          new Promise((resolve) => unkept.push({ report, recorded: resolve })),
      },
      runner: {
        run: (lease, hasStarted, signal, keeper) =>
          new Promise((resolve, reject) => {
            hasStarted();
            let hasEnded = false;
            signal.addEventListener('abort', () => hasEnded || reject(signal.reason as Error));
            const ends = (verdict: AttemptVerdict = VERDICT) => {
              hasEnded = true;
              keeper.onEnded();
              return keeper.saveVerdict(verdict);
            };
            const finish = (result = RESULT) => {
              if (hasEnded) resolve(result);
              else void ends(result).then(() => resolve(result));
            };
            attempts.push({ lease, signal, ends, finish, fail: reject });
          }),
      },
      canaries: {
        execute: (test, signal) =>
          new Promise((resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
            canaries.push({ test, signal, finish: resolve, fail: reject });
          }),
      },
      testbeds: {
        currentOffer: () => ({
          testbeds: [],
          variants: [],
          ...(state.problem && { problem: state.problem }),
        }),
        requestTestbeds: (_arch, list) => void requestedTestbeds.push(...list),
      },
      epochs: new Epochs({ clock, log, lowerEpochWaitMs: () => 15_000 }),
      notices,
      previous: ['0b9f6a2c-8a53-4c7e-9d7a-5a2f2f0f0a00'],
      standings: { onAnswer: () => undefined },
      turns,
      busy: new BusySlots(architectures, 1, clock, RETRY_MS),
      clock,
      log,
      settings: {
        replyTimeoutMs: 5_000,
        retryMs: RETRY_MS,
        stopTimeoutMs: 2_000,
        keepTimeoutMs: 20_000,
        answerWaitMs: 30_000,
      },
      newAskId: () => `ask-${asks.length}`,
      random: () => 0.5,
    },
  );
  slot.start();
  const settle = () => clock.runUntil(clock.now());
  const pass = (ms: number) => clock.runUntil(clock.now() + ms);
  const record = {
    asks,
    renewals,
    returns,
    attempts,
    canaries,
    keptReports,
    finished: reports,
    unkept,
    started,
    requestedTestbeds,
    lines,
    notices,
    turns,
  };
  return { slot, clock, ...record, state, settle, pass };
}

export type Rig = ReturnType<typeof makeSlot>;

/** Answers the last ask with a lease. */
export async function grant(rig: Rig, lease = leaseOf(1)): Promise<Attempt> {
  rig.asks.at(-1)?.answer({ lease });
  await rig.settle();
  return rig.attempts.at(-1) as Attempt;
}
