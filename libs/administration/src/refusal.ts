/**
 * Why a request is refused: `invalid`, what it says cannot be; `forbidden`, who asks may not; `unknown`, there is nothing of that
 * name; `conflict`, it does not fit what there is now.
 */
export type RefusalKind = 'invalid' | 'forbidden' | 'unknown' | 'conflict';

/** Nothing was changed. The message is for people: it begins in lower case and has no full stop. */
export class Refusal extends Error {
  constructor(
    readonly kind: RefusalKind,
    message: string,
    /** The field of the request that is to blame; null when it is none. */
    readonly field: string | null = null,
  ) {
    super(message);
  }
}
