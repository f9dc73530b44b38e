import { join } from 'node:path';
import { endOfFile, startOfFile } from './plain-file';

/** What a runner's output folder says of the attempt, beside its log. */
export interface RunnerOutput {
  /** Of the tested package; null where the source was never unpacked. */
  version: string | null;
  /** The runner's words on its own trouble; null where it had none. */
  trouble: string | null;
  /** The end of its log. */
  logEnd: string;
}

const VERSION_FILE = 'testpkg-version';
const VERSION_LENGTH_MAX = 256;
const FILE_BYTES_MAX = 64 * 1024;

/** Missing files are no error: a runner may have ended before it wrote them. */
export async function readOutput(folder: string): Promise<RunnerOutput> {
  const [version, summary, logEnd] = await Promise.all([
    startOfFile(join(folder, VERSION_FILE), FILE_BYTES_MAX),
    startOfFile(join(folder, 'summary'), FILE_BYTES_MAX),
    endOfFile(join(folder, 'log'), FILE_BYTES_MAX),
  ]);
  const said = [summaryTrouble(summary), serverTrouble(logEnd)].filter((words) => words !== null);
  return { version: packageVersion(version), trouble: said.join(': ') || null, logEnd };
}

/** The version that a running test runner has written down; null while it has not, or not to the end of the line. */
export async function versionSoFar(folder: string): Promise<string | null> {
  const text = await startOfFile(join(folder, VERSION_FILE), FILE_BYTES_MAX);
  return text.endsWith('\n') ? packageVersion(text) : null;
}

/** "hello 2.10-3" → "2.10-3" */
export function packageVersion(text: string): string | null {
  const version = /^\S+ ([0-9A-Za-z.+:~-]+)\s*$/.exec(text)?.[1];
  return version !== undefined && version.length <= VERSION_LENGTH_MAX ? version : null;
}

/** The lines of a summary that are no test's result, as one line. */
export function summaryTrouble(summary: string): string | null {
  const isResult = /^\S+ +(PASS|FAIL|SKIP|FLAKY)\b/;
  const lines = summary.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !isResult.test(line)).join(' ') || badPackage(summary);
}

/** What the virtualisation server said last of why there is no testbed: only the log has it. */
export function serverTrouble(log: string): string | null {
  return (
    log
      .match(/^<VirtSubproc>: failure: .+$/gm)
      ?.at(-1)
      ?.replace('<VirtSubproc>: failure: ', '') ?? null
  );
}

/** `* FAIL badpkg` says more in the lines that follow; alone, its own detail is all there is. */
function badPackage(summary: string): string | null {
  return /^\* +FAIL (.+)$/m.exec(summary)?.[1] ?? null;
}
