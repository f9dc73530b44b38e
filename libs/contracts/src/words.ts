import { REQUEST_FIELDS } from '@proctor/request-fields';

/** The scopes of an API key: it may do everything that its user may, only read, or only request tests. */
export const KEY_SCOPES = ['everything', 'read', 'submit'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];

/** Where a run is in its life. Its verdict says how it ended. */
export const RUN_STATES = ['queued', 'leased', 'running', 'finished'] as const;
export type RunState = (typeof RUN_STATES)[number];

/**
 * The verdicts about a package, with tmpfail: it could not be tested. `neutral` is autopkgtest's exit 8 (no tests, or all skipped):
 * it is stored and shown with the deployment's `api.neutral`, `pass` by default.
 */
export const PACKAGE_VERDICTS = ['pass', 'neutral', 'fail', 'tmpfail'] as const;
export type PackageVerdict = (typeof PACKAGE_VERDICTS)[number];

interface Untested {
  /** The interface's `status`, as debci answers, whatever `api.neutral` is. An earlier dispatcher gets it as the verdict. */
  status: Exclude<PackageVerdict, 'neutral'>;
  /** The feature of a dispatcher that knows the verdict, see DISPATCHER_FEATURES. */
  feature: string;
  /** Why nothing was tested, in a sentence of the API's document. */
  meaning: string;
  /** The heading of such tests of a trigger. */
  heading: string;
  /** After a number of runs: `2 of packages that are not there`. */
  afterCount: string;
}

/**
 * The verdicts of runs that tested nothing. No package is to blame, so they count for no package; pages and commands show the verdict
 * itself, and the run's message says why. A new verdict of this kind is an entry here.
 */
export const UNTESTED = {
  absent: {
    status: 'fail',
    feature: 'absent-verdict',
    meaning: 'the suite has no such source package, or nothing of it for the architecture',
    heading: 'Not in the suite',
    afterCount: 'of packages that are not there',
  },
} as const satisfies Record<string, Untested>;
export type UntestedVerdict = keyof typeof UNTESTED;
export const UNTESTED_VERDICTS = Object.keys(UNTESTED) as UntestedVerdict[];

/** How a run ended. */
export const VERDICTS = [...PACKAGE_VERDICTS, ...UNTESTED_VERDICTS] as const;
export type Verdict = (typeof VERDICTS)[number];

export function isUntested(verdict: string | null): verdict is UntestedVerdict {
  return verdict !== null && Object.hasOwn(UNTESTED, verdict);
}

/** The interface's `status`: null while the run has not finished. */
export type Status = PackageVerdict | null;

/** How `neutral` may be shown, by the deployment's choice. */
export const NEUTRAL_STATUSES = ['pass', 'neutral'] as const satisfies readonly PackageVerdict[];
export type NeutralStatus = (typeof NEUTRAL_STATUSES)[number];

/**
 * How one attempt ended. `failed`: its verdict is tmpfail, which says nothing about the package, and the run was tried again.
 * `returned`: the slot handed the lease back before it started. `cancelled`: a user ended the run.
 */
export const ATTEMPT_OUTCOMES = ['finished', 'failed', 'expired', 'lost', 'returned', 'cancelled'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** Beginning of the message when the testbed failed during a test, whose name follows: the test may be the cause. */
export const FAILED_UNDER_TEST = 'the testbed failed under the test ';

/**
 * The cause of a tmpfail, if its worker knows it: a file could not be downloaded from an archive or
 * mirror; the testbed did not start or broke; the machine lacks something (disk, memory, an image); it reached one
 * of the worker's own limits (time, output, file space), as another attempt would too; the request has a value that no
 * worker passes to a test runner.
 */
export const TROUBLES = ['archive', 'testbed', 'machine', 'limit', 'request'] as const;
export type Trouble = (typeof TROUBLES)[number];

/**
 * How far a dispatcher trusts a worker. `slowed`: attempts keep failing there, but no other worker could do its work.
 * `quarantined`: it gets no runs until a canary test passes there.
 */
export const WORKER_STANDINGS = ['sound', 'slowed', 'quarantined'] as const;
export type WorkerStanding = (typeof WORKER_STANDINGS)[number];

export const {
  minimum: PRIORITY_MIN,
  maximum: PRIORITY_MAX,
  absent: PRIORITY_DEFAULT,
} = REQUEST_FIELDS.priority;

/** The result files of a finished attempt that people read. */
export const RESULT_CONTENTS = ['log.gz', 'artifacts.tar.gz'] as const;
export type ResultContentName = (typeof RESULT_CONTENTS)[number];

/**
 * The files of a finished attempt in the store: the log, the artifacts, and an index of each, which knows what
 * is where in it.
 */
export const RESULT_FILES = [...RESULT_CONTENTS, 'log-index.json', 'artifacts-index.json'] as const;
export type ResultFileName = (typeof RESULT_FILES)[number];

/** The backends that need no description in a worker's configuration; `null` is the worker's machine itself. */
export const OWN_BACKENDS = ['unshare', 'schroot', 'lxc', 'podman', 'qemu', 'null'] as const;
export type KnownBackend = (typeof OWN_BACKENDS)[number];

/** The backends of these whose testbeds have no init: they start no services. */
const WITHOUT_INIT: readonly string[] = ['unshare', 'schroot', 'podman'];

/** Whether the testbeds of a backend are known to have no init. */
export function lacksInit(backend: string): boolean {
  return WITHOUT_INIT.includes(backend);
}

export function isOwnBackend(name: string): name is KnownBackend {
  return (OWN_BACKENDS as readonly string[]).includes(name);
}

/** The actions of users that the audit log records. */
export const AUDIT_ACTIONS = [
  'login',
  'login-refused',
  'logout',
  'sessions-ended',
  'user-added',
  'password-set',
  'administrator-appointed',
  'administrator-dismissed',
  'user-disabled',
  'user-enabled',
  'user-removed',
  'key-created',
  'key-rotated',
  'key-changed',
  'key-revoked',
  'queue-paused',
  'queue-resumed',
  'worker-added',
  'worker-rotated',
  'worker-revoked',
  'worker-drained',
  'worker-undrained',
  'worker-trusted',
  'worker-quarantined',
  'runs-cancelled',
  'runs-reprioritised',
  'runs-published',
  'backend-changed',
  'note-added',
  'note-changed',
  'note-removed',
  'webhook-added',
  'webhook-changed',
  'webhook-rotated',
  'webhook-removed',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The subjects of a note; a signature identifies an error. */
export const NOTE_SUBJECTS = ['package', 'place', 'error'] as const;
export type NoteSubject = (typeof NOTE_SUBJECTS)[number];

/** What a user can follow; a package also by a pattern. */
export const FOLLOW_KINDS = ['package', 'run', 'trigger'] as const;
export type FollowKind = (typeof FOLLOW_KINDS)[number];

/** How often a user gets mail about what they follow. */
export const MAIL_PERIODS = ['none', 'hour', 'day'] as const;
export type MailPeriod = (typeof MAIL_PERIODS)[number];

/** The states of a delivery to a webhook. */
export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
