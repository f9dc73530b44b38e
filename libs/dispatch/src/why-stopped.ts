import type { DispatcherState } from './dispatcher-state';
import { decisionText, pauseOf } from './standing';

/** Which pause keeps a suite from every slot, for people; empty when none does. */
export function whyPaused(state: DispatcherState, suite: string): string[] {
  const pause = pauseOf(state.standing, suite);
  if (!pause) return [];
  const what = pause.suite === null ? `architecture ${state.arch}` : `suite ${suite}`;
  return [decisionText(what, 'paused', pause)];
}

export function whySuiteAtCap(state: DispatcherState, suite: string): string[] {
  return capText(`suite ${suite}`, state.leases.ofSuite.of(suite), state.settings.caps.perSuiteMax);
}

/** @param who `user ada`, `its package` … */
export function capText(who: string, running: number, max: number): string[] {
  if (running < max) return [];
  return [`${who} has ${running} ${running === 1 ? 'run' : 'runs'} running, the cap`];
}
