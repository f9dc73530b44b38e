import { isPackageName, PRIORITY_DEFAULT } from '@proctor/contracts';
import type { RunRequest } from '@proctor/contracts';
import type { ApiConfiguration } from '../configuration.token';
import { badRequest, describe } from '../http/problem';
import type { BodyFault, Problem } from '../http/problem';
import { FaultyItem, readItem } from './read-item';
import type { Order } from './order';
import { isRejected } from './reject-list';
import { resolveItem } from './resolve-item';
import { UnknownKeys } from './unknown-keys';

export interface IgnoredItem {
  /** Place in the list, from 0. */
  index: number;
  package: string;
  reason: 'reject-list' | 'invalid-name';
}

/** What becomes of an order. */
export interface Submission {
  runs: RunRequest[];
  ignored: IgnoredItem[];
  /** Sentences for people. */
  warnings: string[];
}

const FAULTS_MAX = 20;

/**
 * Decides about a whole order: every item becomes a run or is ignored as the interface says, or all are refused.
 * @param userName decides which extra apt sources may be used
 * @throws Problem 400 naming the fields and values at fault
 */
export function accept(
  order: Order,
  suite: string,
  arch: string,
  userName: string,
  configuration: ApiConfiguration,
): Submission {
  checkTarget(suite, arch, configuration);
  const submission: Submission = { runs: [], ignored: [], warnings: [...order.warnings] };
  const unknownKeys = new UnknownKeys();
  const faults: Fault[] = [];
  for (const [index, raw] of order.items.entries()) {
    try {
      const item = readItem(raw, (key) => unknownKeys.add(key, order.place(index).label));
      const details = resolveItem(item, userName, configuration);
      if (!isPackageName(item.package)) {
        submission.ignored.push({ index, package: item.package, reason: 'invalid-name' });
      } else if (isRejected(configuration.rejectList, item.package, suite, arch)) {
        submission.ignored.push({ index, package: item.package, reason: 'reject-list' });
      } else {
        const priority = item.priority ?? order.priority ?? PRIORITY_DEFAULT;
        submission.runs.push({ package: item.package, suite, arch, priority, ...details });
      }
    } catch (error) {
      if (!(error instanceof FaultyItem)) throw error;
      faults.push(...error.faults.map(({ key, detail }) => faultAt(order, index, key, detail)));
      if (faults.length >= FAULTS_MAX) break;
    }
  }
  if (faults.length > 0) throw refusal(faults);
  submission.warnings.push(...unknownKeys.warnings());
  return submission;
}

interface Fault {
  detail: string;
  pointer: string | null;
}

function faultAt(order: Order, index: number, key: string | undefined, detail: string): Fault {
  const { label, pointer } = order.place(index, key);
  return { detail: `${label} ${detail}`, pointer };
}

function refusal(faults: Fault[]): Problem {
  const errors = faults.filter((fault): fault is BodyFault => fault.pointer !== null);
  const [first, ...others] = faults as [Fault, ...Fault[]];
  const more = others.length > 0 ? ` (and ${others.length} more, see errors)` : '';
  return badRequest(`Nothing was accepted: ${first.detail}${more}.`, errors);
}

/** @throws Problem 400 for a suite or an architecture that this deployment does not test */
function checkTarget(suite: string, arch: string, { server }: ApiConfiguration): void {
  if (!server.suites.includes(suite)) throw badRequest(unknown('suite', suite, server.suites));
  if (!server.architectures.includes(arch))
    throw badRequest(unknown('architecture', arch, server.architectures));
}

function unknown(what: string, value: string, known: string[]): string {
  return `The ${what} ${describe(value)} is unknown; there is ${known.join(', ')}.`;
}
