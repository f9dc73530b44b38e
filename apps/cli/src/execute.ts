import { types } from 'node:util';
import { CommanderError } from 'commander';
import { NEEDS, usualAdvice } from './advice';
import { EXIT, Failure } from './failure';
import { printNotice } from './output/print';
import { createProgram } from './program';

/** Mistakes of ours, whose place in the code matters; other errors are for the reader and say all in their message. */
const BUGS = [TypeError, ReferenceError, RangeError];

/** Does what was typed behind `proctor`, and says why when it does not. @returns the exit code */
export async function execute(args: string[]): Promise<number> {
  let typed: string[] = [];
  try {
    await createProgram((words) => (typed = words)).parseAsync(args, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    // Commander has printed its message; asking for help or the version is no mistake.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (!types.isNativeError(error) || BUGS.some((kind) => error instanceof kind)) {
      console.error(error);
      return EXIT.failed;
    }
    const { code, advice } = error instanceof Failure ? error : codeOf(error);
    printNotice(code === EXIT.usage ? `error: ${error.message}` : `proctor: ${error.message}`);
    const next = advice ?? usualAdvice(typed);
    if (next !== null) printNotice(next);
    return code;
  }
}

/** By its name: the class would have each command load what speaks to databases. */
function codeOf(error: Error): Pick<Failure, 'code' | 'advice'> {
  const isAway = error.constructor.name === 'DatabaseUnavailable';
  return isAway ? { code: EXIT.tryLater, advice: NEEDS } : { code: EXIT.failed, advice: null };
}
