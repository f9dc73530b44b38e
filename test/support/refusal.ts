import { Problem } from '@apps/api/src/http/problem';

/** Returns the Problem that an action throws. @throws Error if it throws something else, or nothing */
export function refusalOf(action: () => unknown): Problem {
  try {
    action();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
