import 'reflect-metadata';
import { CommanderError } from 'commander';
import { createProgram } from './program';

const USAGE_EXIT_CODE = 2;

/** Mistakes of ours, whose place in the code matters; other errors are for the reader and say all in their message. */
const BUGS = [TypeError, ReferenceError, RangeError];

async function main(): Promise<number> {
  try {
    await createProgram().parseAsync();
    return 0;
  } catch (error) {
    // Commander has printed its message; asking for help or the version is no mistake.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_EXIT_CODE;
    const { InvalidRequest } = await import('@proctor/administration');
    if (error instanceof InvalidRequest) {
      console.error(`error: ${error.message}`);
      return USAGE_EXIT_CODE;
    }
    const isBug = BUGS.some((kind) => error instanceof kind);
    console.error(error instanceof Error && !isBug ? `proctor: ${error.message}` : error);
    return 1;
  }
}

void main().then((code) => process.exit(code));
