import { FAULTS } from './world/fault-injector';
import { simulate, type SimulationResult } from './world/simulation';
import { silenceLog } from '../support/silent-log';

/** What the product must have done at least once, so that nothing passes by never happening. */
const DEEDS = [
  'ingest-order',
  'grant',
  'start',
  'requeue, attempt expired',
  'requeue, attempt lost',
  'requeue, attempt returned',
  'requeue, attempt failed',
  'finish, attempt finished',
  'finish, attempt expired',
  'correct',
  'lease answered with a lease',
  'lease answered with a wanted testbed',
  'lease answered with a canary test',
  'lease answered with a refusal',
  'revoked worker refused',
  'run taken from a revoked worker',
  'worker warned of another of its name',
  'worker judged slowed',
  'worker judged quarantined',
  'worker judged sound',
  'worker trusted',
  'renew answered continue',
  'renew answered stop',
  'attempt stopped by signal',
  'attempt stopped after its test had ended',
  'worker killed while it packed a result',
  'return answered true',
  'return answered false',
  'report recorded',
  'report stale',
  'report upload-again',
  'report refused',
];

const SEEDS = seeds(process.env['PROCTOR_SIM_SEEDS'] ?? '1-60');
const TRACED = process.env['PROCTOR_SIM_TRACE'] === '1';

describe('simulation', () => {
  const results: SimulationResult[] = [];

  silenceLog();

  it.each(SEEDS)('every accepted run ends exactly once, whatever fails: seed %i', async (seed) => {
    const result = await simulate(seed, TRACED ? (line) => process.stdout.write(`${line}\n`) : undefined);
    results.push(result);
    if (result.violations.length === 0) return;
    const advice = `npm run sim -- --seed ${seed} shows what happened`;
    throw new Error([...result.violations, advice].join('\n'));
  });

  it.each(SEEDS.slice(0, 20))(
    'every accepted run ends exactly once where nothing but schedulers fails: seed %i',
    async (seed) => {
      expect((await simulate(seed, undefined, 'calm')).violations).toEqual([]);
    },
  );

  it.each(SEEDS.slice(0, 8))(
    'every accepted run ends exactly once, and no slot spins, where the epochs are lowered: seed %i',
    async (seed) => {
      const { violations, faults } = await simulate(seed, undefined, 'set back');
      expect(violations).toEqual([]);
      expect(faults.get('epochs lowered')).toBeGreaterThan(0);
    },
  );

  if (SEEDS.length >= 50) {
    it('every fault fired, and everything was done', () => {
      const happened = new Set(results.flatMap(({ faults, deeds }) => [...faults.keys(), ...deeds.keys()]));
      expect([...FAULTS, ...DEEDS].filter((name) => !happened.has(name))).toEqual([]);
    });

    it('the same seed gives the same story', async () => {
      const [first] = results;
      expect((await simulate(SEEDS[0] as number)).trace).toEqual(first?.trace);
    });
  }
});

/** `7`, `1-50` */
function seeds(text: string): number[] {
  const [first, last] = text.split('-').map(Number) as [number, number?];
  return Array.from({ length: (last ?? first) - first + 1 }, (_, place) => first + place);
}
