// Replays seeds of the simulation: `npm run sim -- --seed 7` prints all steps of one, `--seeds 1-1000` tries many.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: { seed: { type: 'string' }, seeds: { type: 'string', default: '1-300' } },
});
const seeds = values.seed ?? values.seeds;
if (!/^\d+(-\d+)?$/.test(seeds)) {
  console.error('usage: npm run sim -- [--seed 7 | --seeds 1-300]');
  process.exit(2);
}
console.log(`simulating ${values.seed === undefined ? 'seeds' : 'seed'} ${seeds}`);
const jest = spawnSync(
  process.execPath,
  [
    `${root}/node_modules/jest/bin/jest.js`,
    '--selectProjects',
    'simulation',
    '--testPathPatterns',
    'simulation\\.spec',
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      PROCTOR_SIM_SEEDS: seeds,
      PROCTOR_SIM_TRACE: values.seed === undefined ? '0' : '1',
    },
  },
);
process.exit(jest.status ?? 1);
