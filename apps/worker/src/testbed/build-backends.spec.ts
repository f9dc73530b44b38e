import type { Machine } from '../machine/machine';
import { buildBackends, type BackendsConfiguration } from './build-backends';

it('a backend that is not described says so, whatever its name', async () => {
  const worker: BackendsConfiguration['worker'] = {
    backends: ['constructor'],
    backendCommands: {},
    imageAgeMaxMs: 1,
    machineMayBeDestroyed: false,
    suitesAtStart: [],
    suiteSources: {},
    workPath: '/nowhere',
  };
  const [backend] = buildBackends({ worker }, {} as Machine, () => undefined);
  await expect(backend?.detect()).resolves.toContain('there is no backend of this name');
});
