import { fork, type ChildProcess } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { stopProcess } from './left-over';
import { replaceFile } from './owned-files';
import { OwnedProcess } from './owned-process';
import { asIdentity, identify, isRunning } from './process-identity';
import { START_PATIENCE_MS } from './start-patience';
import { describeEnding, type Ending, type SupervisedProcess } from './supervised';
import { until } from './until';

const STOP_PATIENCE_MS = 60_000;
/** Time for an app without a supervisor to end by itself. */
const ORPHAN_PATIENCE_MS = 15_000;

interface AppProcessOptions {
  name: string;
  /** Path of its main.js. */
  main: string;
  env: NodeJS.ProcessEnv;
  /** File with the identity of the process, so that the next start can end it if we are killed. */
  identityFile: string;
  /** Called with each line of its output. */
  onLine: (line: string) => void;
  /** Options of Node.js. */
  nodeOptions?: readonly string[];
  /** The signal at which it ends in order and quickly; SIGTERM by default. */
  stopSignal?: NodeJS.Signals;
}

/** One of Proctor's apps in its own process; it sends `{ ready: true }` over IPC once it serves. */
export class AppProcess implements SupervisedProcess {
  readonly name: string;
  private current: OwnedProcess | null = null;

  constructor(private readonly options: AppProcessOptions) {
    this.name = options.name;
  }

  get pid(): number | null {
    return this.current?.pid ?? null;
  }

  get whenEnded(): Promise<Ending> {
    if (!this.current) throw new Error(`${this.name} was not started yet`);
    return this.current.ending;
  }

  async start(): Promise<void> {
    const { main, env, identityFile, nodeOptions = [] } = this.options;
    // In its own session: Ctrl-C in the terminal reaches only the supervisor, which ends the apps in order.
    const child = fork(main, [], {
      env,
      execArgv: [...nodeOptions],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    });
    const app = (this.current = new OwnedProcess(child));
    this.readLines(child);
    const ready = isReady(child);
    const timeout = AbortSignal.timeout(START_PATIENCE_MS);
    const late = new Promise<never>((_, reject) => {
      const text = `${this.name} was not ready after ${START_PATIENCE_MS / 1000} s`;
      timeout.addEventListener('abort', () => reject(new Error(text)));
    });
    const earlyEnd = app.ending.then((ending) => {
      throw new Error(`${this.name} ended with ${describeEnding(ending)} before it was ready`);
    });
    for (const each of [earlyEnd, late]) each.catch(() => undefined);
    try {
      if (child.pid !== undefined)
        await replaceFile(identityFile, JSON.stringify(identify(child.pid)), 0o644);
      await Promise.race([ready, earlyEnd, late]);
    } catch (error) {
      app.kill('SIGKILL');
      throw error;
    }
  }

  async stop(): Promise<void> {
    const { stopSignal = 'SIGTERM', onLine, identityFile } = this.options;
    await this.current?.stop(stopSignal, STOP_PATIENCE_MS, () =>
      onLine(`did not end within ${STOP_PATIENCE_MS / 1000} s of ${stopSignal}: killing it`),
    );
    await rm(identityFile, { force: true });
  }

  /** Sends a signal, in tests of an app that dies or stalls. */
  kill(signal: NodeJS.Signals): void {
    this.current?.kill(signal);
  }

  private readLines(child: ChildProcess): void {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', this.options.onLine);
    }
  }
}

/** Waits for the end of an app that a killed supervisor left behind, and stops it if it does not end. */
export async function stopLeftOverApp(identityFile: string): Promise<void> {
  const text = await readFile(identityFile, 'utf8').catch(() => 'null');
  const identity = asIdentity(parseJson(text));
  if (identity && !(await until(() => !isRunning(identity), ORPHAN_PATIENCE_MS))) {
    await stopProcess(identity, 'SIGKILL', ORPHAN_PATIENCE_MS);
  }
  await rm(identityFile, { force: true });
}

/** A truncated file names no process. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.on('message', (message) => {
      if ((message as { ready?: unknown } | null)?.ready === true) resolve();
    });
  });
}
