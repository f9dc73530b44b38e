import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Release } from './release';
import type { Stops } from './stops';

const READY_TIMEOUT_MS = 60_000;
const END_TIMEOUT_MS = 60_000;

export interface AppPlan {
  name: string;
  app: 'api' | 'scheduler' | 'worker';
  env: (release: Release) => NodeJS.ProcessEnv;
  logPath: string;
  /** Put before the command, as that which enters a network. */
  prefix: string[];
}

/** A process of the product, which may be started again as another release. */
export class App {
  private child: ChildProcess | null = null;
  private ending: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly plan: AppPlan,
    private readonly stops: Stops,
  ) {}

  async start(release: Release): Promise<void> {
    await this.stops.during(() => this.launch(release));
  }

  /** In order; a worker finishes its tests first, unless it gets SIGINT. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const { child } = this;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    try {
      await inTime(this.ending, END_TIMEOUT_MS, `${this.plan.name} did not end after ${signal}`);
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  private async launch(release: Release): Promise<void> {
    const { name, app, env, logPath, prefix } = this.plan;
    const main = join(release.folder, 'dist/apps', app, 'src/main.js');
    const [program, ...args] = [...prefix, process.execPath, main];
    const child = spawn(program, args, {
      env: env(release),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    });
    this.child = child;
    this.ending = once(child, 'exit');
    const log = createWriteStream(logPath, { flags: 'a' });
    for (const stream of [child.stdout, child.stderr]) stream?.pipe(log, { end: false });
    child.once('close', () => log.end());
    const ready = new Promise<void>((resolve) => {
      child.on('message', (message) => (message as { ready?: boolean } | null)?.ready && resolve());
    });
    const failure = this.ending.then(() => {
      throw new Error(`${name} (${release.name}) ended before it was ready; see ${logPath}`);
    });
    const late = `${name} (${release.name}) was not ready; see ${logPath}`;
    await inTime(Promise.race([ready, failure]), READY_TIMEOUT_MS, late);
  }
}

/** @throws with the text when the time is over */
export async function inTime<T>(work: Promise<T>, ms: number, text: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${text} within ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
