import { type Fact, timestamp } from '@proctor/contracts';
import type { RunRow } from './memory-rows';

/** The stories of all runs in memory. */
export class MemoryFacts {
  private rows: (Fact & { published: boolean; isPrivate: boolean })[] = [];
  private lastId = 0;

  constructor(private readonly nowMs: () => number) {}

  /** What has just happened to the run. */
  add(row: RunRow, { kind, actor, reason }: Pick<Fact, 'kind' | 'actor' | 'reason'>): void {
    const { runId, request, state, attempt, outcome } = row;
    const { arch, suite, isPrivate } = request;
    this.rows.push({
      ...{ factId: ++this.lastId, runId, arch, suite, kind, state, attempt, actor, reason },
      verdict: ['finished', 'corrected', 'cancelled'].includes(kind) ? (outcome?.verdict ?? null) : null,
      at: timestamp(new Date(this.nowMs())),
      ...{ published: false, isPrivate },
    });
  }

  /** @returns what brings the rows of now back */
  copy(): () => void {
    const { rows, lastId } = structuredClone({ rows: this.rows, lastId: this.lastId });
    return () => Object.assign(this, { rows, lastId });
  }

  /** Forgets all others. */
  keepThoseOf(runs: ReadonlyMap<number, unknown>): void {
    this.rows = this.rows.filter(({ runId }) => runs.has(runId));
  }

  ofRun(runId: number): Fact[] {
    return this.rows.filter((row) => row.runId === runId).map(factOf);
  }

  /** The reason of a private run stays with the run: it may name what is tested. */
  listUnpublished(arch: string, limit: number): Fact[] {
    const waiting = this.rows.filter((row) => row.arch === arch && !row.published).slice(0, limit);
    return waiting.map((row) => ({ ...factOf(row), ...(row.isPrivate && { reason: null }) }));
  }

  markPublished(facts: Pick<Fact, 'factId' | 'at'>[]): void {
    const timeOf = new Map(facts.map(({ factId, at }) => [factId, at]));
    for (const row of this.rows) if (timeOf.get(row.factId) === row.at) row.published = true;
  }
}

function factOf({
  published: _published,
  isPrivate: _isPrivate,
  ...fact
}: Fact & { published: boolean; isPrivate: boolean }): Fact {
  return fact;
}
