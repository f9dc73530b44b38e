import { rejectedVersions } from '@proctor/config';
import type { RejectList } from '@proctor/config';
import { isPackageName, describe } from '@proctor/contracts';
import type { RunRequest } from '@proctor/contracts';
import type { ApiConfiguration } from '../configuration.token';
import { badRequest } from '../http/problem';
import type { Problem } from '../http/problem';
import type { SlicedWork } from '../http/slices';
import { faultAt, isOfBody, placeOf } from './place';
import type { Fault } from './place';
import { resolveItem } from './resolve-item';
import { FAULTS_MAX } from './submitted-items';
import type { Submitted, SubmittedPart } from './submitted-items';

export interface IgnoredItem {
  /** The index of the part in a batch; absent if the request is no batch. */
  request?: number;
  /** The index in the list. */
  index: number;
  package: string;
  /** In a batch: the architecture of the part on which the package is not tested. */
  arch?: string;
  reason: 'reject-list' | 'invalid-name';
}

/** The runs and ignored items of a request. */
export interface Submission {
  runs: RunRequest[];
  ignored: IgnoredItem[];
  /** Sentences for people. */
  warnings: string[];
}

/** Items between two pauses. */
const ITEMS_AT_ONCE = 20;

/**
 * Decides about a whole request: every item becomes a run on each architecture of its part, or is ignored as the
 * interface says, or all are refused.
 * @param userName decides which extra apt sources may be used
 * @param backends the own backends of packages, by name
 * @throws Problem 400 that names the faulty fields and values
 */
export function* accept(
  { parts, warnings }: Submitted,
  userName: string,
  configuration: ApiConfiguration,
  backends: ReadonlyMap<string, string> = new Map(),
): SlicedWork<Submission> {
  const submission: Submission = { runs: [], ignored: [], warnings };
  const faults: Fault[] = [];
  for (const part of parts) {
    if (faults.length >= FAULTS_MAX) break;
    faults.push(...targetFaults(part, configuration));
    yield;
  }
  for (const part of parts) {
    const accepted: RunRequest[] = [];
    for (const [index, { item, faults: shapeFaults }] of part.items.entries()) {
      if (faults.length >= FAULTS_MAX) break;
      if (index % ITEMS_AT_ONCE === 0) yield;
      const { request, faults: itemFaults } =
        shapeFaults.length > 0
          ? { request: null, faults: shapeFaults }
          : resolveItem(item, userName, configuration, backends.get(item.package));
      faults.push(...itemFaults.map(({ key, detail }) => faultAt(placeOf(part.origin, index, key), detail)));
      if (request === null) continue;
      request.priority = item.priority ?? part.priority ?? request.priority;
      accepted.push(request);
    }
    if (faults.length === 0) yield* enter(submission, part, accepted, configuration);
  }
  if (faults.length > 0) throw refusal(faults);
  return submission;
}

/** Adds the runs and ignored items of a part without faults. */
function* enter(
  { runs, ignored }: Submission,
  { suite, archs, request }: SubmittedPart,
  items: RunRequest[],
  { rejectList }: ApiConfiguration,
): SlicedWork<void> {
  for (const arch of archs) {
    for (const [index, item] of items.entries()) {
      if (index % ITEMS_AT_ONCE === 0) yield;
      const reason = !isPackageName(item.package)
        ? 'invalid-name'
        : isRejected(rejectList, item.package, suite, arch)
          ? 'reject-list'
          : null;
      if (reason === null) runs.push({ ...item, suite, arch });
      else if (request === undefined) ignored.push({ index, package: item.package, reason });
      else ignored.push({ request, index, package: item.package, arch, reason });
    }
  }
}

/**
 * The sentence has the first fault; further faults of the body are in `errors`. Faults of the address are only in the
 * sentence.
 */
function refusal(faults: Fault[]): Problem {
  const errors = faults.filter(isOfBody);
  const ofAddress = faults.filter((fault) => !isOfBody(fault));
  const namedFaults = ofAddress.length > 0 ? ofAddress : faults.slice(0, 1);
  const others = faults.length - namedFaults.length;
  const more = others > 0 ? ` (and ${others} more, see errors)` : '';
  const sentence = namedFaults.map(({ detail }) => detail).join('; ');
  return badRequest(`Nothing was accepted: ${sentence}${more}.`, errors);
}

/** Faults for a suite or architectures that this deployment does not test. */
function targetFaults(part: SubmittedPart, { server }: ApiConfiguration): Fault[] {
  const unknown = (key: 'suite' | 'arch', value: string, choices: string[]): Fault[] =>
    choices.includes(value)
      ? []
      : [faultAt(part.target[key], `${describe(value)} is unknown; there is ${choices.join(', ')}`)];
  return [
    ...unknown('suite', part.suite, server.suites),
    ...part.archs.flatMap((arch) => unknown('arch', arch, server.architectures)),
  ];
}

/**
 * Whether the reject list refuses a request before its version is known: an entry with a version applies later, on
 * the worker.
 */
export function isRejected(list: RejectList, name: string, suite: string, arch: string): boolean {
  return rejectedVersions(list, name, suite, arch).includes('*');
}
