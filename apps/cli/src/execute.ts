import { types } from 'node:util';
import { CommanderError } from 'commander';
import { NEEDS, usualAdvice } from './advice';
import { EXIT, Failure } from './failure';
import { printNotice } from './output/print';
import { createProgram } from './program';

/**
 * Errors that are faults of this program: the stack is printed. The message of any other error says enough for the
 * reader.
 */
const BUGS = [TypeError, ReferenceError, RangeError];

/** Runs the command that was typed after `proctor`, and prints the error if it fails. @returns the exit code */
export async function execute(args: string[]): Promise<number> {
  let typed: string[] = [];
  try {
    await createProgram((words) => (typed = words)).parseAsync(args, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    // Commander has printed its message. A request for help or for the version is no mistake.
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

/** Recognises the error by its name: with its class, each command would have to load the code of the database. */
function codeOf(error: Error): Pick<Failure, 'code' | 'advice'> {
  const isAway = error.constructor.name === 'DatabaseUnavailable';
  return isAway ? { code: EXIT.tryLater, advice: NEEDS } : { code: EXIT.failed, advice: null };
}
