import { isUntested } from '@proctor/contracts';
import type { WorkerResource } from '@proctor/resources';
import type { EndedAttempt, StripEntry } from '@proctor/database';
import type { ListedPart } from '../../http/parts';
import type { FeedEntry } from '../../public-data/status-feed';
import type { WorkerSummary } from '../../workers/workers.service';
import { decidedBy, decisionsView } from './decision-view';
import type { ShapeName } from '../layout/mark';

/** The state of a worker, as an icon and a word. */
interface WorkerState {
  shape: ShapeName;
  word: string;
}

/**
 * One page of the list of workers, in the order of their names.
 * @param drained the workers that administrators have drained
 */
export function workersView(
  { rows: workers, last }: ListedPart<WorkerSummary, string>,
  after: string,
  drained: string[] = [],
) {
  return {
    sentence: workersSentence(workers),
    workers: workers.map(({ name, record, offers, attempts }) => ({
      name,
      url: workerUrl(name),
      state: stateOf(offers),
      architectures: architecturesOf(record?.architectures ?? [], offers).join(', '),
      ...slotsOf(offers),
      suites: [...new Set(offers.flatMap(({ testbeds }) => testbeds.map(({ suite }) => suite)))].join(', '),
      version: versionsOf(offers),
      isConnected: offers.length > 0,
      lastSeenAt: record?.lastSeenAt ?? null,
      strip: attempts.map(stripEntry).reverse(),
      isDrained: drained.includes(name),
      ...decisionsView({ offers }, record),
    })),
    isFirst: after === '',
    nextUrl: last && `/status/workers/?after=${last}`,
  };
}

/** `3 workers: 1 takes work, 1 is drained, 1 is away; 4 of 10 slots are busy.` */
function workersSentence(workers: WorkerSummary[]): string {
  if (workers.length === 0) return 'No worker is registered.';
  const words = workers.map(({ offers }) => stateOf(offers).word);
  const counts = [...new Set(words)]
    .map((word) => `${words.filter((each) => each === word).length} ${word}`)
    .join(', ');
  const { slots, busy } = slotsOf(workers.flatMap(({ offers }) => offers));
  const count = workers.length === 1 ? '1 worker' : `${workers.length} workers`;
  return `${count}: ${counts}; ${busy} of ${slots} slots are busy.`;
}

export function workerUrl(name: string): string {
  return `/status/workers/${name}`;
}

/** The architectures for which a worker is registered, and those that it serves. */
export function architecturesOf(registered: string[], offers: WorkerResource[]): string[] {
  return [...new Set([...registered, ...offers.map(({ arch }) => arch)])].sort();
}

/** Adds up slots. A worker shares its slots between its architectures, but each dispatcher counts only its own leases. */
export function slotsOf(offers: WorkerResource[]): { slots: number; busy: number } {
  const slots = new Map<string, number>();
  for (const offer of offers) slots.set(offer.name, Math.max(slots.get(offer.name) ?? 0, offer.slots));
  return {
    slots: [...slots.values()].reduce((sum, count) => sum + count, 0),
    busy: offers.reduce((sum, { busy }) => sum + busy, 0),
  };
}

/** The versions that the worker reports: two during an upgrade, empty when it reports none. */
export function versionsOf(offers: Pick<WorkerResource, 'version'>[]): string {
  return [...new Set(offers.flatMap(({ version }) => version ?? []))].join(', ');
}

/** The most important state among the architectures of a worker. */
export function stateOf(offers: WorkerResource[]): WorkerState {
  const { slots, busy } = slotsOf(offers);
  if (offers.length === 0) return { shape: 'gone', word: 'not connected' };
  if (offers.some(({ problem }) => problem !== null)) return { shape: 'fail', word: 'in trouble' };
  if (offers.some(({ standing }) => standing === 'quarantined'))
    return { shape: 'tmpfail', word: 'quarantined' };
  if (offers.some(({ drained }) => drained !== null)) return { shape: 'cancelled', word: 'drained' };
  if (offers.some(({ standing }) => standing === 'slowed')) return { shape: 'tmpfail', word: 'slowed' };
  return busy > 0 && busy >= slots ? { shape: 'running', word: 'busy' } : { shape: 'pass', word: 'ready' };
}

/** Whether the worker is ready or busy. */
export function isWell(offers: WorkerResource[]): boolean {
  return ['ready', 'busy'].includes(stateOf(offers).word);
}

/** The entries of the feed of workers with trouble, the latest first. */
export function workerEntries(workers: WorkerSummary[]): FeedEntry[] {
  return workers
    .map((worker) => {
      const { word } = stateOf(worker.offers);
      const date = sinceOf(worker);
      return {
        path: `${workerUrl(worker.name)}#${word.replaceAll(' ', '-')}-${date.getTime()}`,
        title: `${worker.name} is ${word}`,
        text: whyOf(worker.offers),
        date,
      };
    })
    .sort((one, other) => other.date.getTime() - one.date.getTime());
}

/** The beginning of the state. The beginning of a quarantine is not stored, so the end of the last attempt is used. */
function sinceOf({ record, offers, attempts }: WorkerSummary): Date {
  const { word } = stateOf(offers);
  const drained = offers.flatMap((offer) => offer.drained?.since ?? []).sort()[0];
  if (word === 'drained' && drained !== undefined) return new Date(drained);
  const lastSeenAt = word === 'not connected' ? record?.lastSeenAt : null;
  return lastSeenAt ?? attempts[0]?.endedAt ?? record?.createdAt ?? new Date(0);
}

function whyOf(offers: WorkerResource[]): string {
  const reasons = offers.flatMap(({ problem, reason, drained }) => [
    problem,
    reason,
    drained && `drained by ${decidedBy(drained)}`,
  ]);
  return [...new Set(reasons.filter((reason) => reason !== null))].join('; ');
}

/** An attempt as a cell of a strip. Without a report it counts as tmpfail; when nothing was tested it is neutral. */
export function stripEntry({ outcome, verdict }: Pick<EndedAttempt, 'outcome' | 'verdict'>): StripEntry {
  const result = outcome === 'finished' && verdict !== null ? verdict : 'tmpfail';
  const shownVerdict = isUntested(result) ? 'neutral' : result;
  return { verdict: shownVerdict, isNewVersion: false, isPinned: false };
}
