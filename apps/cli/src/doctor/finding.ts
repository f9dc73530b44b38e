import { Failure } from '../failure';

/** What one look at the deployment has found. */
export interface Finding {
  /** What was looked at. */
  check: string;
  /** `warn`: it works, and something should be done. */
  state: 'ok' | 'warn' | 'fail';
  found: string;
  /** What to do; null where nothing is to be done. */
  remedy: string | null;
}

/** What looks at one part. */
export type Check = () => Promise<Finding[]>;

export function ok(check: string, found: string): Finding {
  return { check, state: 'ok', found, remedy: null };
}

export function warn(check: string, found: string, remedy: string): Finding {
  return { check, state: 'warn', found, remedy };
}

export function fail(check: string, found: string, remedy: string): Finding {
  return { check, state: 'fail', found, remedy };
}

/** A look that fails is a finding, too. @param remedy where the failure names none */
export async function findingsOf(check: string, remedy: string, look: Check): Promise<Finding[]> {
  try {
    return await look();
  } catch (error) {
    const [first = ''] = (error as Error).message.split('\n');
    const advice = error instanceof Failure ? error.advice : null;
    return [fail(check, first, advice ?? remedy)];
  }
}
