import type { FactKind } from './fact';
import { grantName, type Grant } from './grant';

/**
 * Every NATS subject and stream. `*` stands for the scope: an architecture, or a worker's name. A subject without it is for
 * all processes. RPC subjects and stream subjects are disjoint: a request on a stream's subject would be answered by the
 * stream.
 */
export const SUBJECTS = {
  /** Request/reply of the api; answered by the owner of the architecture alone. */
  explain: 'proctor.query.*.explain',
  status: 'proctor.query.*.status',
  /** api → dispatcher: runs were committed, look again. */
  runsSubmitted: 'proctor.command.*.runs-submitted',
  /** api → dispatcher: orders about runs, such as a cancellation, were committed, look again. */
  ordersWaiting: 'proctor.command.*.orders',
  /** api and command line → dispatcher: the register of workers was changed, which orders say too, look again. */
  workersChanged: 'proctor.command.*.workers',
  /** To all api processes: runs were created, finished or published; clients that wait for results may be answered. */
  resultsChanged: 'proctor.signal.results-changed',
  /** To all api processes: API keys were revoked or have another secret now; cached keys are removed. */
  keysChanged: 'proctor.signal.keys-changed',
  /** To all schedulers: one has released architectures, others may claim them at once. */
  architecturesReleased: 'proctor.signal.architectures-released',
  /** dispatcher → idle workers of the architecture: work may be waiting, ask again. */
  workWaiting: 'proctor.signal.*.work-waiting',
  /** dispatcher → worker: these of its idle slots should ask again, work is waiting. See SlotsWanted. */
  slotsWanted: 'proctor.worker.*.work-waiting',
  /** dispatcher → worker. */
  recorded: 'proctor.worker.*.recorded',
  stopAttempt: 'proctor.worker.*.stop',
} as const;

export type Subject = (typeof SUBJECTS)[keyof typeof SUBJECTS];

/** True when the `*` of a pattern of SUBJECTS stands for a worker's name, false when for an architecture. */
export function isOfWorker(pattern: string): boolean {
  return pattern.startsWith('proctor.worker.');
}

/** The subject of one scope: an architecture or a worker's name. */
export function subjectOf(subject: Subject, scope: string): string {
  return subject.replace('*', scope);
}

/**
 * Requests of workers to the owner of an architecture: `proctor.rpc.{arch}.{worker}.{kind}`. nats-server lets a worker publish
 * only with its own name, so the subject names the sender.
 */
export const REQUEST_PATTERNS = {
  lease: 'proctor.rpc.*.*.lease',
  renew: 'proctor.rpc.*.*.renew',
  return: 'proctor.rpc.*.*.return',
  sources: 'proctor.rpc.*.*.sources',
} as const;

export type RequestKind = keyof typeof REQUEST_PATTERNS;

/** The longest request of each kind in bytes, with its headers: a request for a lease names all testbeds of its worker. */
export const REQUEST_BYTES_MAX: Record<RequestKind, number> = {
  lease: 512 * 1024,
  renew: 8 * 1024,
  return: 16 * 1024,
  sources: 4 * 1024,
};

/** The kind of request of a subject; null if it is not the subject of a request. */
export function requestKind(subject: string): RequestKind | null {
  const kind = subject.startsWith('proctor.rpc.') ? subject.slice(subject.lastIndexOf('.') + 1) : '';
  return Object.hasOwn(REQUEST_PATTERNS, kind) ? (kind as RequestKind) : null;
}

export function requestSubject(arch: string, worker: string, kind: RequestKind): string {
  return `proctor.rpc.${arch}.${worker}.${kind}`;
}

/** The worker that a request's subject names. */
export function requestingWorker(subject: string): string | undefined {
  return subject.split('.')[3];
}

/** The rules of NATS: a `*` of the pattern stands for one token, a `>` at its end for one or more tokens. */
export function isOnSubject(pattern: string, subject: string): boolean {
  const isOpen = pattern.endsWith('.>');
  if (!isOpen && !pattern.includes('*')) return pattern === subject;
  const tokens = subject.split('.');
  const expected = (isOpen ? pattern.slice(0, -2) : pattern).split('.');
  const isLongEnough = isOpen ? tokens.length > expected.length : tokens.length === expected.length;
  return isLongEnough && expected.every((each, at) => each === '*' || each === tokens[at]);
}

/** The stream of events of runs, for programs that follow them: `proctor.event.{arch}.{kind}`. */
export const EVENT_STREAM = 'PROCTOR_EVENTS';
export const EVENT_STREAM_SUBJECTS = 'proctor.event.>';

export function eventSubject(arch: string, kind: FactKind): string {
  return `proctor.event.${arch}.${kind}`;
}

/** The events of one architecture, of every kind. */
export function eventFilter(arch: string): string {
  return `proctor.event.${arch}.*`;
}

/**
 * Durable reports of workers about attempts: `proctor.report.{arch}.{worker}.{kind}.{runId}.{attempt}.{grantEpoch}`, the
 * epoch if it is known. A stream holds what one worker reports to one architecture, at most one of each subject, so a worker
 * that repeats a report uses no additional room, and none uses the room of another.
 */
export const REPORT_PATTERNS = {
  started: 'proctor.report.*.*.started.>',
  finished: 'proctor.report.*.*.finished.>',
} as const;

/** Not on the wire: the pattern for handlers of reports that could not be read or handled, see RefusedReport. */
export const REFUSED_REPORTS = 'proctor.report.>';

export const REPORT_PREFIX = 'proctor.report.';

export type ReportKind = keyof typeof REPORT_PATTERNS;

/** The grant of a report, and its sender. */
export interface ReportedAttempt extends Grant {
  worker: string;
}

/** The parts of a report's subject. */
export interface ReportOrigin extends ReportedAttempt {
  arch: string;
  /** One of ReportKind, if the worker keeps to the protocol. */
  kind: string;
}

/** No architecture has a `_` in its name, so no two streams have the same. */
export function reportStream(arch: string, worker: string): string {
  return `${sharedReportStream(arch)}_${worker}`;
}

/** The stream of earlier versions, which all workers of an architecture shared. */
export function sharedReportStream(arch: string): string {
  return `PROCTOR_REPORTS_${arch}`;
}

export function reportSubject(arch: string, kind: ReportKind, { worker, ...grant }: ReportedAttempt): string {
  return `${REPORT_PREFIX}${arch}.${worker}.${kind}.${grantName(grant, '.')}`;
}

/** All reports of an architecture, which its dispatcher consumes. */
export function reportFilter(arch: string): string {
  return `${REPORT_PREFIX}${arch}.>`;
}

/** All reports of a worker to an architecture, which one stream holds. */
export function reportsOfWorker(arch: string, worker: string): string {
  return `${REPORT_PREFIX}${arch}.${worker}.>`;
}

/** The sender of a report, also when the subject has no valid attempt. */
export function reportSender(subject: string): string {
  return subject.slice(REPORT_PREFIX.length).split('.')[1] ?? '';
}

const REPORT_SUBJECT =
  /^proctor\.report\.([^.]+)\.([^.]+)\.([^.]+)\.([0-9]{1,16})\.([0-9]{1,9})(?:\.([0-9]{1,16}))?$/;

/** The origin of a report by its subject; null if the subject has no valid attempt. */
export function reportOrigin(subject: string): ReportOrigin | null {
  const [, arch, worker, kind, ...grant] = REPORT_SUBJECT.exec(subject) ?? [];
  if (arch === undefined || worker === undefined || kind === undefined) return null;
  return { arch, worker, kind, ...grantNamed(grant) };
}

/**
 * The live logs of one worker's attempts: `proctor.log.{worker}.{runId}.{attempt}.{grantEpoch}`. A stream for each worker, so
 * that none can fill the room of others or use their message ids before them.
 */
export function logStream(worker: string): string {
  return `PROCTOR_LOGS_${worker}`;
}

export function logFilter(worker: string): string {
  return `proctor.log.${worker}.>`;
}

/** The subject of the log of one grant: the log of another grant with the same numbers is separate. */
export function logSubject(worker: string, grant: Grant): string {
  return `proctor.log.${worker}.${grantName(grant, '.')}`;
}

/**
 * The staging area of one worker, in which files of results wait for the scheduler:
 * `proctor.staging.{worker}.chunk.{upload}` and `proctor.staging.{worker}.file.{name in base64url}`.
 */
export function stagingStream(worker: string): string {
  return `PROCTOR_STAGING_${worker}`;
}

export const STAGING_PREFIX = 'proctor.staging.';

export function stagingFilter(worker: string, kind: 'chunk' | 'file' | '*' = '*'): string {
  return `${STAGING_PREFIX}${worker}.${kind}.*`;
}

export function stagingName(grant: Grant, file: string): string {
  return `${grantName(grant, '/')}/${file}`;
}

const STAGING_NAME = /^([0-9]{1,16})\/([0-9]{1,9})\/(?:([0-9]{1,16})\/)?/;

/** The grant in a name; null if there is none. */
export function stagedGrant(name: string): Grant | null {
  const [whole, ...grant] = STAGING_NAME.exec(name) ?? [];
  return whole === undefined ? null : grantNamed(grant);
}

/** The pattern of a grant's numbers in a name. */
function grantNamed([runId, attempt, grantEpoch]: (string | undefined)[]): Grant {
  const epoch = grantEpoch === undefined ? {} : { grantEpoch: Number(grantEpoch) };
  return { runId: Number(runId), attempt: Number(attempt), ...epoch };
}
