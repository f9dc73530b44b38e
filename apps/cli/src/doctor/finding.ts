import { Failure } from '../failure';

/** The result of one check of the deployment. */
export interface Finding {
  /** The name of the part that was checked. */
  check: string;
  /** `warn`: the part works, but something should be done. */
  state: 'ok' | 'warn' | 'fail';
  found: string;
  /** What to do; null if nothing needs to be done. */
  remedy: string | null;
}

/** Checks one part. */
export type Check = () => Promise<Finding[]>;

export function ok(check: string, fact: string): Finding {
  return { check, state: 'ok', found: fact, remedy: null };
}

export function warn(check: string, fact: string, remedy: string): Finding {
  return { check, state: 'warn', found: fact, remedy };
}

export function fail(check: string, fact: string, remedy: string): Finding {
  return { check, state: 'fail', found: fact, remedy };
}

/** Returns a finding also if `look` throws. @param remedy used if the error has no advice of its own */
export async function findingsOf(check: string, remedy: string, look: Check): Promise<Finding[]> {
  try {
    return await look();
  } catch (error) {
    const [first = ''] = (error as Error).message.split('\n');
    const advice = error instanceof Failure ? error.advice : null;
    return [fail(check, first, advice ?? remedy)];
  }
}
