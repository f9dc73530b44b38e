import type { Decision } from './explain';

/** The fields of a pause, as in the table of pauses; null means all. */
export const SCOPE_FIELDS = ['arch', 'suite'] as const;
export type ScopeField = (typeof SCOPE_FIELDS)[number];

/** The scope of a pause. Each scope is paused and resumed separately. A new kind of pause is a new field here. */
export type PauseScope = Record<ScopeField, string | null>;

/** A pause, and who decided it. */
export type DecidedPause = PauseScope & Decision;

/** @param fields as a request names a scope: what is left out stands for all */
export function scopeOf(fields: { [Field in ScopeField]?: string | null | undefined }): PauseScope {
  return Object.fromEntries(SCOPE_FIELDS.map((field) => [field, fields[field] ?? null])) as PauseScope;
}

/** A scope in a sentence. */
export function scopeName({ suite, arch }: PauseScope): string {
  if (suite === null) return arch === null ? 'everything' : `every suite on ${arch}`;
  return arch === null ? `suite ${suite} on every architecture` : `queue ${suite}/${arch}`;
}

/** Whether a pause of the scope stops the whole suite queue. */
export function isQueuePaused({ suite, arch }: PauseScope, queue: { suite: string; arch: string }): boolean {
  return (suite ?? queue.suite) === queue.suite && (arch ?? queue.arch) === queue.arch;
}
