import type { RunState, Verdict } from '@proctor/contracts';
import type { Results } from '@proctor/database';

/** The part of a result that tests check. */
export interface ReadResult {
  runId: number;
  state: RunState;
  verdict: Verdict | null;
  isPrivate: boolean;
  updatedAt: Date;
}

interface Written {
  run_id: number;
  state: RunState;
  status: Verdict | null;
  is_private: boolean;
  updated_at: string;
}

/** `Results.since`, with rows that are read out of its pages. */
export async function readSince(
  results: Pick<Results, 'since'>,
  keyId: number,
  since: number,
): Promise<{ until: number; rows: AsyncIterable<ReadResult> }> {
  const { until, pages } = await results.since(keyId, since, 'neutral');
  return { until, rows: rowsIn(pages) };
}

async function* rowsIn(pages: AsyncIterable<string> | null): AsyncGenerator<ReadResult> {
  for await (const page of pages ?? []) {
    for (const entry of JSON.parse(`[${page}]`) as Written[]) {
      yield {
        runId: entry.run_id,
        state: entry.state,
        verdict: entry.status,
        isPrivate: entry.is_private,
        updatedAt: new Date(entry.updated_at),
      };
    }
  }
}
