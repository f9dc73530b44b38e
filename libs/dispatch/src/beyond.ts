import type { DispatcherState } from './dispatcher-state';
import type { DispatchedRun } from './journal-records';
import type { Line } from './lines';
import type { View } from './view';

/** Runs of one requestor that compete with a run. */
export interface Rivals {
  /** Of a higher level. */
  higher: number;
  sameLevel: number;
  /** Those of the same level that arrived before the run. */
  earlier: number;
}

/** Those of a line beyond its edge. The levels of a line never rise from its edge to its end. */
export function rivalsBeyond(
  state: DispatcherState,
  line: Line,
  run: DispatchedRun,
  level: number,
  view: View,
): Rivals {
  const higher = countFrom(state, line, level + 1, view);
  const notLower = countFrom(state, line, level, view);
  const sameLevel = notLower - higher;
  if (sameLevel === 0) return { higher, sameLevel, earlier: 0 };
  const before = { arrivedAt: run.arrivedAt, runId: run.runId - 1 };
  const earlier = Math.min(view.countBeyond(line, before), notLower) - higher;
  return { higher, sameLevel, earlier: Math.max(0, earlier) };
}

/** Those of at least this level. */
function countFrom({ ageing }: DispatcherState, line: Line, level: number, view: View): number {
  const { edge } = line;
  if (!edge || ageing.levelMax(edge.priority) < level) return 0;
  return view.countBeyond(
    line,
    edge.priority < level ? ageing.lastOfLevel(edge, level, view.beyondAtMs) : null,
  );
}
