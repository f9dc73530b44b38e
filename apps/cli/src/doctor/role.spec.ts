import { type InstalledParts, roleOf } from './role';

const packaged: InstalledParts = {
  hasServer: true,
  hasWorker: false,
  namesDatabase: true,
  isStarted: false,
  hasWorkerFile: false,
  hasServerFile: true,
};

it.each<[string, Partial<InstalledParts>, string]>([
  ['with the packages of a server', {}, 'server'],
  ['with units, whose folder has all programs and no worker.yaml', { hasWorker: true }, 'server'],
  [
    'with the package of a worker',
    { hasServer: false, hasWorker: true, namesDatabase: false, hasWorkerFile: true, hasServerFile: false },
    'worker',
  ],
  [
    'with the unit of a worker, whose folder has all programs',
    { hasWorker: true, namesDatabase: false, hasWorkerFile: true, hasServerFile: false },
    'worker',
  ],
  [
    'on which npm start runs with a file of the worker alone',
    { hasWorker: true, namesDatabase: false, isStarted: true, hasWorkerFile: true, hasServerFile: false },
    'server worker',
  ],
  ['with a checkout', { hasWorker: true, namesDatabase: false, hasServerFile: false }, 'server worker'],
])('`proctor doctor` knows what a machine %s is there for', (_what, installed, expected) => {
  const { isServer, isWorker } = roleOf({ ...packaged, ...installed });
  expect([isServer && 'server', isWorker && 'worker'].filter(Boolean).join(' ')).toBe(expected);
});
