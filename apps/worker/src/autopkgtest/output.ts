import { join } from 'node:path';
import { VERSION_LENGTH_MAX, type TestResult } from '@proctor/contracts';
import { serverCrash } from './crash';
import { endOfFile, startOfFile } from './plain-file';
import { parseSummary } from './summary';

/** The content of a runner's output folder, except its log. */
export interface RunnerOutput {
  /** Version of the tested package; null when the source was never unpacked. */
  version: string | null;
  /** Results of single tests; empty when the runner reached none. */
  tests: TestResult[];
  /** The runner's message about its own trouble; null without trouble. */
  trouble: string | null;
  /** The end of its log. */
  logEnd: string;
}

const VERSION_FILE = 'testpkg-version';
const FILE_BYTES_MAX = 64 * 1024;
const LONG_LOG_BYTES_MAX = 4 * 1024 * 1024;
/** A line for each test, and some packages have thousands. */
const SUMMARY_BYTES_MAX = 1024 * 1024;

/**
 * Missing files are no error: a runner may have ended before it wrote them.
 * @param isTestbedBroken reads more of the log, since the output of a test may fill its end
 */
export async function readOutput(folder: string, isTestbedBroken = false): Promise<RunnerOutput> {
  const [version, summary, logEnd] = await Promise.all([
    startOfFile(join(folder, VERSION_FILE), FILE_BYTES_MAX),
    startOfFile(join(folder, 'summary'), SUMMARY_BYTES_MAX),
    endOfFile(join(folder, 'log'), isTestbedBroken ? LONG_LOG_BYTES_MAX : FILE_BYTES_MAX),
  ]);
  const { tests, trouble } = parseSummary(summary);
  const troubles = [trouble, serverTrouble(logEnd)].filter((words) => words !== null);
  return { version: packageVersion(version), tests, trouble: troubles.join(': ') || null, logEnd };
}

/** The version that a running test runner has written; null before it has written a complete line. */
export async function readVersion(folder: string): Promise<string | null> {
  const text = await startOfFile(join(folder, VERSION_FILE), FILE_BYTES_MAX);
  return text.endsWith('\n') ? packageVersion(text) : null;
}

/** "hello 2.10-3" → "2.10-3" */
export function packageVersion(text: string): string | null {
  const version = /^\S+ ([0-9A-Za-z.+:~-]+)\s*$/.exec(text)?.[1];
  return version !== undefined && version.length <= VERSION_LENGTH_MAX ? version : null;
}

/**
 * The last message of the virtualisation server about why the testbed failed: only the log has it. Since 5.29
 * autopkgtest starts each of its lines with the seconds that have passed.
 */
export function serverTrouble(log: string): string | null {
  const failure = [...log.matchAll(/^(?: *\d+s )?<VirtSubproc>: failure: (.+)$/gm)].at(-1)?.[1];
  return failure ?? serverCrash(log);
}
