import { Readable } from 'node:stream';
import { NoAnswer } from '@proctor/bus';
import type { ResultFile } from '@proctor/contracts';
import { MemoryStore } from '@test/simulation/world/memory-store';
import { MemoryBroker, MemoryBus } from '@test/support/memory-bus';
import { finishedReport } from '@test/support/runs';
import { StagedFiles } from './staged-files';

const LOG: ResultFile = { name: 'log.gz', size: 7, sha256: 'a'.repeat(64) };
const report = finishedReport(1, 2, { files: [LOG] });

it.each<[string, Error, 'rejects' | 'resolves']>([
  ['when the bus falls silent', new NoAnswer('no answer on the staging area'), 'rejects'],
  ['with a fault for a chunk that is gone', new Error('chunk 2 of 2 is gone'), 'resolves'],
])('a file whose reading breaks off ends the move %s', async (_, broken, outcome) => {
  const bus = new MemoryBus(new MemoryBroker());
  const content = Readable.from(
    (async function* () {
      yield await Promise.resolve(Buffer.from('the'));
      throw broken;
    })(),
  );
  jest.spyOn(bus, 'readStaged').mockResolvedValue(content);
  const moved = new StagedFiles(bus, new MemoryStore()).moveToStore(report);
  if (outcome === 'rejects') await expect(moved).rejects.toBe(broken);
  else await expect(moved).resolves.toBe(`log.gz is damaged: ${String(broken)}`);
});
