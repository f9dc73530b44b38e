import * as fc from 'fast-check';
import { shareOf } from './shares';

describe('shareOf', () => {
  const names = (prefix: string) => fc.integer({ min: 1, max: 12 }).map((count) => list(prefix, count));

  it('the shares cover every architecture, and no scheduler gets more than its part', () => {
    fc.assert(
      fc.property(names('arch'), names('s'), (architectures, living) => {
        const owned = new Map(living.map((scheduler) => [scheduler, new Set<string>()]));
        const ownedArchs = new Set<string>();
        for (const scheduler of living) {
          const share = shareOf(scheduler, living, architectures, new Set());
          for (const arch of share.claim) {
            if (ownedArchs.has(arch) || (owned.get(scheduler)?.size ?? 0) >= share.architecturesMax) continue;
            owned.get(scheduler)?.add(arch);
            ownedArchs.add(arch);
          }
          expect(owned.get(scheduler)?.size).toBeLessThanOrEqual(
            Math.ceil(architectures.length / living.length),
          );
        }
        expect(ownedArchs.size).toBe(architectures.length);
      }),
    );
  });

  it('a scheduler gives up what is more than its part, and keeps what it prefers', () => {
    const architectures = list('arch', 4);
    expect(shareOf('s1', ['s1', 's2'], architectures, new Set(architectures))).toEqual({
      release: ['arch2', 'arch4'],
      claim: [],
      architecturesMax: 2,
    });
  });

  it('a scheduler gives up what the deployment no longer has', () => {
    expect(shareOf('s1', ['s1'], ['arch1', 'arch3'], new Set(['arch1', 'arch2']))).toEqual({
      release: ['arch2'],
      claim: ['arch3'],
      architecturesMax: 2,
    });
  });
});

function list(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, place) => `${prefix}${place + 1}`);
}
