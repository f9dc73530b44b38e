import type { WorkerResource } from '@proctor/resources';
import type { WorkerRecord } from '@proctor/database';
import { adminWorkers, workersSentence } from './workers-page.service';

const record = (name: string, more: Partial<WorkerRecord> = {}) =>
  ({ name, architectures: ['amd64'], revokedAt: null, ...more }) as WorkerRecord;
const offer = (name: string, more: Partial<WorkerResource> = {}) =>
  ({ name, arch: 'amd64', busy: 0, standing: 'sound', problem: null, ...more }) as WorkerResource;

it('a worker is what the register, its dispatchers and administrators say of it', () => {
  const workers = adminWorkers(
    [record('gone', { revokedAt: new Date() }), record('w2'), record('w1'), record('w3'), record('w4')],
    [
      offer('w1', { busy: 2 }),
      offer('w1', { arch: 'arm64', busy: 1 }),
      offer('w2', { standing: 'quarantined' }),
      offer('w4', { problem: 'the disk is full' }),
    ],
    [
      { worker: 'w2', by: 'ann', reason: 'disks', since: '', deadline: null },
      { worker: 'misspelt', by: 'ann', reason: 'disks', since: '', deadline: null },
    ],
  );
  expect(workers.map(({ name, state, busy, isWell }) => [name, state, busy, isWell])).toEqual([
    ['misspelt', 'not in the register, drained, not seen by a scheduler', 0, false],
    ['w1', 'works', 3, true],
    ['w2', 'drained, quarantined', 0, false],
    ['w3', 'not seen by a scheduler', 0, false],
    ['w4', 'takes no work', 0, false],
    ['gone', 'revoked', 0, true],
  ]);
  expect(workersSentence(workers)).toBe('4 workers are registered; 4 need a look.');
  expect(workersSentence([])).toBe('No worker is known.');
});
