import { spawn } from 'node:child_process';
import { watch, type FSWatcher } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SUBJECTS, subjectOf } from '@proctor/contracts';
import type { Row } from '../row';
import { ARCH, WorkerRig } from '../worker-rig';

const IDLE_MS = 20;

/** The worker's share of the way from a submission to its test: the dispatcher grants at once, and commits nothing. */
export const workerStart: Row = {
  name: 'worker-start',
  what: 'from the signal that work waits to the first act of the test runner, idle machine',
  against: 'a bare request with its reply, and one program started',
  figures: [
    { what: 'median', unit: 'ms', of: 'p50', against: 'p50', mark: { atMost: 2 } },
    {
      what: '99th percentile',
      unit: 'ms',
      of: 'p99',
      against: 'p99',
      by: 'difference',
      mark: { atMost: 30 },
    },
  ],
  rounds: 3,
  async open(place) {
    const times = place.size(100, 5);
    const folder = await mkdtemp(join(tmpdir(), 'proctor-bench-marks-'));
    await chmod(folder, 0o777);
    const touch = ['sh', '-c', ': >>"$0/begun"; echo >>"$0/begun"', folder];
    const acts = new Acts(folder);
    const rig = await WorkerRig.start(place, { slots: 1, variants: { touch } });
    const query = subjectOf(SUBJECTS.explain, ARCH);
    rig.bus.subscribe(query, ({ respond }) => respond?.('{}'));
    await rig.bus.flush();
    const repeated = async (once: () => Promise<unknown>) => {
      const ms: number[] = [];
      for (let time = 0; time < times; time += 1) {
        await pause(IDLE_MS);
        const begun = performance.now();
        const first = acts.next();
        const ended = once();
        ms.push((await first) - begun);
        await ended;
      }
      ms.sort((one, other) => one - other);
      return { p50: ms[Math.floor(times / 2)]!, p99: ms[Math.floor(times * 0.99)]! };
    };
    const [program = '', ...args] = touch;
    return {
      measured: () => repeated(() => rig.execute(1, 'touch')),
      bare: () =>
        repeated(async () => {
          await rig.api.request(query, {}, 5_000);
          const child = spawn(program, args, { stdio: 'ignore' });
          await new Promise((resolve) => child.once('exit', resolve));
        }),
      async close() {
        acts.close();
        await rig.stop();
        await rm(folder, { recursive: true });
      },
    };
  },
};

/** Tells when something in a folder was changed. */
class Acts {
  private readonly watcher: FSWatcher;
  private resolve: (ms: number) => void = () => undefined;

  constructor(folder: string) {
    this.watcher = watch(folder, () => this.resolve(performance.now()));
  }

  next(): Promise<number> {
    return new Promise((resolve) => (this.resolve = resolve));
  }

  close(): void {
    this.watcher.close();
  }
}
