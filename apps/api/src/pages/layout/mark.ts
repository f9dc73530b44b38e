import { isUntested, type RunState, type TestStatus } from '@proctor/contracts';
import type { Html } from './html';
import { markup } from './html';

/** The shapes of `assets/sprite.svg` that stand for how something is. */
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

/** Words that are shown beside a shape of another name. */
const SHAPES: Record<Exclude<RunState, 'queued' | 'running'> | TestStatus, ShapeName> = {
  leased: 'running',
  finished: 'neutral',
  PASS: 'pass',
  FAIL: 'fail',
  SKIP: 'neutral',
  FLAKY: 'flaky',
};

/** The shape of a run's status, of its state while it has none, or of a test's status. */
export function shapeOf(word: string): ShapeName {
  if (isUntested(word)) return 'gone';
  return SHAPES[word as keyof typeof SHAPES] ?? (word as ShapeName);
}

/** The shape alone, where the word stands elsewhere; what sees no shapes passes it over. */
export function shape(name: ShapeName, spriteUrl: string): Html {
  return markup`<svg class="shape ${name}" width="16" height="16" aria-hidden="true"><use href="${spriteUrl}#${name}"></use></svg>`;
}

/**
 * ShapeName and word, coloured in the third place.
 * @param word a status, a state, or a test's status
 */
export function mark(word: string, spriteUrl: string): Html {
  const name = shapeOf(word);
  return markup`<span class="status ${name}">${shape(name, spriteUrl)}${word}</span>`;
}
