import { Repeater, type Clock } from '@proctor/clock';
import type { Log } from '@proctor/process';
import type { Shortage } from '../autopkgtest/shortage';
import type { MemoryKills } from '../sandbox/memory-kills';
import type { Sandbox } from '../sandbox/sandbox';

/** A full file system can be seen only until the runner has removed the testbed. */
const LOOK_EVERY_MS = 250;

/** With less free space than this, a write was probably refused. */
const FULL_BYTES = 1024 * 1024;

/** The part of a sandbox that shows which resources it lacks. */
type ObservedSandbox = Pick<Sandbox, 'freeBytes' | 'memoryKills'>;

/** Checks file space and memory before, during and after an attempt: a test that lacks them fails like a broken one. */
export class ShortageWatch {
  private readonly checks: Repeater;
  private killsBefore: MemoryKills = { processes: 0, atLimit: 0 };
  private isAreaFull = false;
  private isDiskFull = false;

  /** @param freeOnDisk free bytes on the disk of the runner's output and the results */
  constructor(
    private readonly sandbox: ObservedSandbox,
    private readonly freeOnDisk: () => Promise<number>,
    clock: Clock,
    private readonly log: Log,
  ) {
    const onFailure = (error: unknown) => log.warn(`free space is not watched: ${String(error)}`);
    this.checks = new Repeater(clock, () => LOOK_EVERY_MS, this.check.bind(this), onFailure);
  }

  async start(): Promise<void> {
    this.killsBefore = await this.sandbox.memoryKills();
    await this.check();
    this.checks.start();
  }

  stop(): void {
    this.checks.stop();
  }

  /** Stops the checks and returns what they have observed since the start. */
  async result(): Promise<Shortage> {
    this.stop();
    const { processes, atLimit } = await this.sandbox.memoryKills().catch((error: unknown) => {
      // The test's own verdict must not be lost because of this.
      this.log.warn(`what the kernel ended for lack of memory is not known: ${String(error)}`);
      return this.killsBefore;
    });
    const kills = processes - this.killsBefore.processes;
    const isMemoryUsedUp = kills > 0 && atLimit > this.killsBefore.atLimit;
    const shortages = [
      ...(kills > 0 && !isMemoryUsedUp
        ? [`memory ran out, and the kernel ended ${kills} process${kills > 1 ? 'es' : ''}`]
        : []),
      ...(this.isDiskFull ? ["the worker's disk was full"] : []),
    ];
    return { machine: shortages.join('; ') || null, isFileSpaceFull: this.isAreaFull, isMemoryUsedUp };
  }

  private async check(): Promise<void> {
    const [area, disk] = await Promise.all([this.sandbox.freeBytes(), this.freeOnDisk()]);
    this.isAreaFull ||= area !== null && area < FULL_BYTES;
    this.isDiskFull ||= disk < FULL_BYTES;
  }
}
