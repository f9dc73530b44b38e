import { isUntested } from '@proctor/contracts';
import type { WorkerResource } from '@proctor/resources';
import type { EndedAttempt, StripEntry } from '@proctor/database';
import type { ListedPart } from '../../http/parts';
import type { FeedEntry } from '../../public-data/status-feed';
import type { WorkerSummary } from '../../workers/workers.service';
import { decidedBy } from './decision-view';
import type { ShapeName } from '../layout/mark';

/** How a worker is, as a shape of the sprite and a word. */
export interface WorkerState {
  shape: ShapeName;
  word: string;
}

/** A part of the workers by name. */
export function workersView({ rows: workers, last }: ListedPart<WorkerSummary, string>, after: string) {
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
      lastSeenAt: record?.lastSeenAt ?? null,
      strip: attempts.map(stripEntry).reverse(),
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

/** Those that it is registered for, and those that it serves. */
export function architecturesOf(registered: string[], offers: WorkerResource[]): string[] {
  return [...new Set([...registered, ...offers.map(({ arch }) => arch)])].sort();
}

/** A worker has the same slots for all of its architectures; leases of each are its dispatcher's. */
export function slotsOf(offers: WorkerResource[]): { slots: number; busy: number } {
  const slots = new Map<string, number>();
  for (const offer of offers) slots.set(offer.name, Math.max(slots.get(offer.name) ?? 0, offer.slots));
  return {
    slots: [...slots.values()].reduce((sum, count) => sum + count, 0),
    busy: offers.reduce((sum, { busy }) => sum + busy, 0),
  };
}

/** As it says to the dispatchers; two while it is restarted as another one. Empty when it does not say. */
export function versionsOf(offers: Pick<WorkerResource, 'version'>[]): string {
  return [...new Set(offers.flatMap(({ version }) => version ?? []))].join(', ');
}

/** The weightiest that is true for any of its architectures. */
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

/** Whether it takes work, or has enough of it. */
export function isWell(offers: WorkerResource[]): boolean {
  return ['ready', 'busy'].includes(stateOf(offers).word);
}

/** What the feed of the workers says of those that are not well, the latest first. */
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

/** The beginning of a judgement is recorded nowhere: it followed an attempt. */
function sinceOf({ record, offers, attempts }: WorkerSummary): Date {
  const { word } = stateOf(offers);
  const drained = offers.flatMap((offer) => offer.drained?.since ?? []).sort()[0];
  if (word === 'drained' && drained !== undefined) return new Date(drained);
  const seen = word === 'not connected' ? record?.lastSeenAt : null;
  return seen ?? attempts[0]?.endedAt ?? record?.createdAt ?? new Date(0);
}

function whyOf(offers: WorkerResource[]): string {
  const reasons = offers.flatMap(({ problem, reason, drained }) => [
    problem,
    reason,
    drained && `drained by ${decidedBy(drained)}`,
  ]);
  return [...new Set(reasons.filter((reason) => reason !== null))].join('; ');
}

/** An attempt without a report is like one that could not be executed; one that tested nothing is neutral. */
export function stripEntry({ outcome, verdict }: Pick<EndedAttempt, 'outcome' | 'verdict'>): StripEntry {
  const ended = outcome === 'finished' && verdict !== null ? verdict : 'tmpfail';
  const shown = isUntested(ended) ? 'neutral' : ended;
  return { verdict: shown, isNewVersion: false, isPinned: false };
}
