import { isUntested, type TestStatus } from '@proctor/contracts';
import type { Html } from './html';
import { markup } from './html';

/** The icons in `assets/sprite.svg` for a status or state. */
export type ShapeName =
  | 'pass'
  | 'fail'
  | 'tmpfail'
  | 'neutral'
  | 'running'
  | 'queued'
  | 'cancelled'
  | 'never'
  | 'gone'
  | 'flaky'
  | 'new'
  | 'stale'
  | 'private';

/** Words whose icon has another name. */
const SHAPES: Record<'waiting' | 'finished' | TestStatus, ShapeName> = {
  waiting: 'queued',
  finished: 'neutral',
  PASS: 'pass',
  FAIL: 'fail',
  SKIP: 'neutral',
  FLAKY: 'flaky',
};

/** The icon for the status of a run, the state of an unfinished run, or the status of a test. */
export function shapeOf(word: string): ShapeName {
  if (isUntested(word)) return 'gone';
  return SHAPES[word as keyof typeof SHAPES] ?? (word as ShapeName);
}

/** The icon without its word, which must be next to it. Screen readers skip the icon. */
export function shape(name: ShapeName, spriteUrl: string): Html {
  return markup`<svg class="shape ${name}" width="16" height="16" aria-hidden="true"><use href="${spriteUrl}#${name}"></use></svg>`;
}

/**
 * The icon with its word and a colour.
 * @param word a status, a state, or a test's status
 */
export function mark(word: string, spriteUrl: string): Html {
  const name = shapeOf(word);
  return markup`<span class="status ${name}">${shape(name, spriteUrl)}${word}</span>`;
}

/** The icon of the browser's tab for a status or a state: the file of `assets`. */
export function tabIcon(word: string): string {
  return TAB_ICONS[shapeOf(word)] ?? 'icon_neutral.svg';
}

const TAB_ICONS: Partial<Record<ShapeName, string>> = {
  pass: 'icon_pass.svg',
  fail: 'icon_fail.svg',
  tmpfail: 'icon_tmpfail.svg',
  running: 'icon_running.svg',
  queued: 'icon_queued.svg',
};
