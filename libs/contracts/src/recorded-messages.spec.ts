import 'reflect-metadata';
import { RenewRequest, ReturnRequest, StopAttemptSignal } from './held-attempt';
import type { RenewReply, ReturnReply } from './held-attempt';
import { SlotsWanted } from './lease';
import { LeaseRequest } from './lease-request';
import type { LeaseReply } from './lease';
import { parseMessage } from './message';
import { FinishedReport, RecordedSignal, StartedReport } from './report';
import { isOnSubject, reportOrigin, REPORT_PATTERNS, REQUEST_PATTERNS, SUBJECTS } from './subjects';

/** What processes of the release before this one, e04cbe6, said to each other; with the next release, record them again. */
const RECORDED: [new () => object, string, string, object][] = [
  [
    LeaseRequest,
    REQUEST_PATTERNS.lease,
    'proctor.rpc.arm64.w3.lease',
    {
      worker: 'w3',
      incarnation: '6c41ff0d-1698-4b24-8980-2932a90106aa',
      slot: 0,
      previous: [],
      ask: 'db3fbe2f-0729-4911-8749-124bd77fc1f1',
      wakeable: true,
      testbeds: [
        { suite: 'trixie', backend: 'unshare', state: 'absent' },
        { suite: 'sid', backend: 'unshare', state: 'absent' },
      ],
      variants: ['autopkgtest'],
    },
  ],
  [
    LeaseRequest,
    REQUEST_PATTERNS.lease,
    'proctor.rpc.amd64.w2.lease',
    {
      worker: 'w2',
      incarnation: '38ca3466-197d-4151-8530-3c73e50519be',
      slot: 1,
      previous: ['14aa1883-c4ff-4020-85bd-14dcc312684e'],
      ask: '42f7f02c-d253-418d-883a-f6b306e04eed',
      wakeable: true,
      testbeds: [
        { suite: 'trixie', backend: 'unshare', state: 'ready' },
        { suite: 'sid', backend: 'unshare', state: 'absent' },
      ],
      variants: ['autopkgtest'],
      kept: [{ runId: 21, attempt: 1, grantEpoch: 57250 }],
    },
  ],
  [
    LeaseRequest,
    REQUEST_PATTERNS.lease,
    'proctor.rpc.amd64.w2.lease',
    {
      worker: 'w2',
      incarnation: 'bb1ce915-606e-4c0d-88d3-915a4a34fa7b',
      slot: 0,
      previous: [],
      ask: '2131b931-e7f6-48de-8262-de6bf1e2ca34',
      wakeable: true,
      testbeds: [
        { suite: 'trixie', backend: 'unshare', state: 'ready' },
        { suite: 'sid', backend: 'unshare', state: 'ready' },
      ],
      variants: ['autopkgtest'],
      kept: [{ runId: 1, attempt: 1, grantEpoch: 38 }],
      onlyHeld: true,
    },
  ],
  [
    LeaseRequest,
    REQUEST_PATTERNS.lease,
    'proctor.rpc.arm64.w3.lease',
    {
      worker: 'w3',
      incarnation: 'da943bf3-feea-40ba-8f2c-4dd50bacffde',
      slot: 1,
      previous: ['aeee9fbc-f0ef-4c9e-8bca-c32935ddf662'],
      ask: 'f201e3a7-f69b-4b10-8e10-3a357ddd2697',
      wakeable: true,
      testbeds: [
        { suite: 'trixie', backend: 'unshare', state: 'absent' },
        { suite: 'sid', backend: 'unshare', state: 'ready' },
      ],
      variants: ['autopkgtest'],
      canary: { canary: '240048.1', passed: true, message: 'all tests passed' },
    },
  ],
  [
    RenewRequest,
    REQUEST_PATTERNS.renew,
    'proctor.rpc.arm64.w3.renew',
    {
      worker: 'w3',
      incarnation: '6c41ff0d-1698-4b24-8980-2932a90106aa',
      slot: 1,
      runId: 2,
      attempt: 1,
      grantEpoch: 56722,
    },
  ],
  [
    ReturnRequest,
    REQUEST_PATTERNS.return,
    'proctor.rpc.arm64.w2.return',
    {
      worker: 'w2',
      incarnation: '14aa1883-c4ff-4020-85bd-14dcc312684e',
      slot: 1,
      runId: 17,
      attempt: 1,
      grantEpoch: 56722,
      reason: 'the disk is full',
    },
  ],
  [
    StartedReport,
    REPORT_PATTERNS.started,
    'proctor.report.arm64.w3.started.2.1.56722',
    {
      worker: 'w3',
      incarnation: '6c41ff0d-1698-4b24-8980-2932a90106aa',
      slot: 1,
      runId: 2,
      attempt: 1,
      grantEpoch: 56722,
    },
  ],
  [
    FinishedReport,
    REPORT_PATTERNS.finished,
    'proctor.report.amd64.w2.finished.7.1.56694',
    {
      worker: 'w2',
      incarnation: '14aa1883-c4ff-4020-85bd-14dcc312684e',
      slot: 0,
      runId: 7,
      attempt: 1,
      grantEpoch: 56694,
      verdict: 'pass',
      message: 'result of attempt 7/1/56694.',
      exitCode: 0,
      version: '1.0-1',
      durationSeconds: 1,
      tests: [],
      files: [
        {
          name: 'log.gz',
          size: 3,
          sha256: '836ff184e7b41b1e13cb5fd89fa1de98dbbab99e9d2918913ff43b86a5c7c213',
        },
      ],
    },
  ],
  [
    FinishedReport,
    REPORT_PATTERNS.finished,
    'proctor.report.amd64.w1.finished.14.2.56694',
    {
      worker: 'w1',
      incarnation: '08ff49b6-f772-4327-86c4-3069c43a8c3b',
      slot: 0,
      runId: 14,
      attempt: 2,
      grantEpoch: 56694,
      verdict: 'tmpfail',
      message: 'the worker could not keep the result: Error: no space left on device',
      trouble: 'machine',
      durationSeconds: 1,
      exitCode: null,
      version: null,
      tests: [],
      files: [],
    },
  ],
  [SlotsWanted, SUBJECTS.slotsWanted, 'proctor.worker.w2.work-waiting', { arch: 'arm64', slots: [1] }],
  [
    RecordedSignal,
    SUBJECTS.recorded,
    'proctor.worker.w2.recorded',
    { runId: 7, attempt: 1, grantEpoch: 56694, answer: 'recorded' },
  ],
  [
    RecordedSignal,
    SUBJECTS.recorded,
    'proctor.worker.w2.recorded',
    {
      runId: 17,
      attempt: 3,
      grantEpoch: 56722,
      answer: 'stale',
      reason: 'a newer attempt was granted, or the run has finished',
    },
  ],
  [
    StopAttemptSignal,
    SUBJECTS.stopAttempt,
    'proctor.worker.w3.stop',
    { runId: 4, attempt: 1, grantEpoch: 56722, reason: 'worker w3 was revoked by ada' },
  ],
];

/** Answers of its dispatchers. No code checks an answer, so the compiler does: each is an answer of this release. */
const ANSWERS = {
  lease: [
    {
      arch: 'arm64',
      epoch: 240048,
      ask: 'a9b49f70-25e5-4e0f-8421-1cfdcd4fc53b',
      lease: {
        runId: 6,
        attempt: 3,
        grantEpoch: 240048,
        ttlMs: 60000,
        renewEveryMs: 15000,
        package: 'sed',
        suite: 'sid',
        arch: 'arm64',
        backend: 'unshare',
        variant: 'autopkgtest',
        trigger: null,
        pinPackages: [],
        extraAptSources: [],
        rejectedVersions: [],
        isPrivate: false,
      },
      wanted: [{ suite: 'trixie', backend: 'unshare' }],
      notice:
        'another process calls itself worker w3, too, and is granted nothing; each needs a name of its own',
      askAgainMs: 5000,
    },
    {
      arch: 'amd64',
      epoch: 56694,
      ask: 'ccf85d64-f08e-444e-87aa-4eae8ea763d7',
      lease: null,
      wanted: [],
      standing: {
        standing: 'slowed',
        reason:
          'attempts failed here in a row, the latest of a public run: run 13 (result of attempt 13/1/56694.)',
        untilMs: 2145,
      },
      askAgainMs: 2144.7498021041974,
      canary: { canary: '56694.1', arch: 'amd64', suite: 'sid', backend: 'unshare', variant: 'autopkgtest' },
    },
    {
      arch: 'arm64',
      epoch: 56722,
      ask: '7160c203-f8d6-461c-895e-96a5c0361a44',
      lease: null,
      wanted: [],
      refused: 'worker w3 was revoked; an administrator adds it with: proctor worker add w3 --arch arm64',
      askAgainMs: 5000,
    },
  ] satisfies LeaseReply[],
  renew: [
    {
      arch: 'amd64',
      epoch: 56694,
      runId: 3,
      attempt: 1,
      grantEpoch: 56694,
      instruction: 'stop',
      reason: 'the run has finished',
    },
    {
      arch: 'amd64',
      epoch: 240079,
      runId: 9,
      attempt: 2,
      grantEpoch: 240079,
      instruction: 'continue',
      notice:
        'another process calls itself worker w2, too, and is granted nothing; each needs a name of its own',
    },
  ] satisfies RenewReply[],
  return: [
    { arch: 'arm64', epoch: 56722, runId: 17, attempt: 1, grantEpoch: 56722, returned: true },
  ] satisfies ReturnReply[],
};

const NAMED = RECORDED.map((recorded) => [recorded[0].name, recorded] as const);

it.each(NAMED)('a %s of the release before is read whole: message %#', (_name, recorded) => {
  const [shape, pattern, subject, body] = recorded;
  expect(isOnSubject(pattern, subject)).toBe(true);
  expect({ ...parseMessage(shape, structuredClone(body)) }).toEqual(body);
});

it('the subject of a report of the release before names its grant', () => {
  const reports = RECORDED.filter(([, , subject]) => subject.startsWith('proctor.report.'));
  expect(reports.length).toBeGreaterThan(0);
  for (const [, , subject, body] of reports) expect(body).toMatchObject(grantOf(subject));
});

function grantOf(subject: string): object {
  const { worker, runId, attempt, grantEpoch } = reportOrigin(subject)!;
  return { worker, runId, attempt, grantEpoch };
}

it('an answer of the release before names the architecture and the epoch', () => {
  for (const answer of Object.values(ANSWERS).flat())
    expect(answer).toMatchObject({ arch: expect.any(String), epoch: expect.any(Number) });
});
