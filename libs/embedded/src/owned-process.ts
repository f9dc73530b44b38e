import type { ChildProcess } from 'node:child_process';
import type { Ending } from './supervised';

/** A child process of ours, from its spawn to its end. */
export class OwnedProcess {
  /** Resolves when it has ended; rejects when it could not be started. */
  readonly ending: Promise<Ending>;
  hasEnded = false;

  constructor(private readonly child: ChildProcess) {
    this.ending = new Promise((resolve, reject) => {
      child.once('error', (error) => {
        this.hasEnded = true;
        reject(error);
      });
      child.once('exit', (code, signal) => {
        this.hasEnded = true;
        resolve({ code, signal });
      });
    });
    // A caller gets the rejection; without one it must not end this process.
    this.ending.catch(() => undefined);
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('the process was not started');
    return this.child.pid;
  }

  kill(signal: NodeJS.Signals): void {
    if (!this.hasEnded) this.child.kill(signal);
  }

  /** Sends `signal`; when it still runs after `patienceMs`, calls `onImpatience` and sends SIGKILL. */
  async stop(signal: NodeJS.Signals, patienceMs: number, onImpatience?: () => void): Promise<void> {
    if (this.hasEnded) return;
    this.child.kill(signal);
    const timer = setTimeout(() => {
      onImpatience?.();
      this.child.kill('SIGKILL');
    }, patienceMs);
    try {
      await this.ending;
    } finally {
      clearTimeout(timer);
    }
  }
}
