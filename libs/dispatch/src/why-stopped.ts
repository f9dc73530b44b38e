import type { DispatcherState } from './dispatcher-state';
import { decisionText, pauseOf } from './restrictions';
import type { View } from './view';

/** What keeps a suite, or a run of it, from every slot, for people; empty when nothing does. */
export function whyPaused(state: DispatcherState, place: { suite: string }): string[] {
  const { stopped } = state.settings;
  const pause = pauseOf(state.restrictions, place);
  const what = pause?.suite === null ? `architecture ${state.arch}` : `suite ${place.suite}`;
  return [
    ...(stopped === undefined ? [] : [stopped]),
    ...(pause ? [decisionText(what, 'paused', pause)] : []),
  ];
}

export function whySuiteAtCap({ settings }: DispatcherState, suite: string, view: View): string[] {
  return capText(`suite ${suite}`, view.runningIn(suite), settings.caps.perSuiteMax);
}

/**
 * Empty when runs that the viewer may not know about fill the cap.
 * @param who `user ada`, `its package` …
 * @param running only runs that the viewer may know about
 */
export function capText(who: string, running: number, max: number): string[] {
  if (running < max) return [];
  return [`${who} has ${running} ${running === 1 ? 'run' : 'runs'} running, the cap`];
}
