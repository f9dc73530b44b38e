import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { join } from 'node:path';
import { Deployment } from '../deployment';
import { percentile } from '../judging';
import type { Row } from '../row';

const run = promisify(execFile);
const PROGRAM = join(__dirname, '../../../apps/cli/src/main.js');
const STARTS = 10;

/** A command that only asks, from its start until it has printed the answer of a service. */
export const commandStart: Row = {
  name: 'command-start',
  what: '`proctor queue` of a service on the same machine, from start to end',
  against: '`node -e 0`',
  figures: [{ what: 'median', unit: 'ms', of: 'ms', against: 'ms', mark: { atMost: 5 } }],
  rounds: 3,
  async open(place) {
    const deployment = await Deployment.start(place, { schedulers: 1 });
    const env = { ...process.env, PROCTOR_URL: deployment.url, PROCTOR_API_KEY: deployment.key };
    const starts = place.size(STARTS, 1);
    return {
      measured: async () => ({ ms: await medianMs(starts, [PROGRAM, 'queue', '--json'], env) }),
      bare: async () => ({ ms: await medianMs(starts, ['-e', '0'], env) }),
      close: () => deployment.stop(),
    };
  },
};

/** The median time in which Node.js runs `args`, one process after the other. @throws Error when one fails */
async function medianMs(starts: number, args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const times: number[] = [];
  for (let start = 0; start < starts; start += 1) {
    const before = performance.now();
    await run(process.execPath, args, { env });
    times.push(performance.now() - before);
  }
  return percentile(times, 0.5);
}
