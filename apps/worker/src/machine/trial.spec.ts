import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunFolder } from '../sandbox/run-folder';
import type { SandboxUse } from '../sandbox/sandbox';
import type { Sandboxes } from '../sandbox/sandboxes';
import { Trial } from './trial';

let path: string;
beforeEach(async () => (path = await mkdtemp(join(tmpdir(), 'proctor-trial-'))));
afterEach(() => rm(path, { recursive: true }));

it.each([{ asRoot: true }, { interpreters: [':qemu-arm:'] }, {}])(
  'a trial of a testbed gives its sandbox what runs in such testbeds get: %j',
  async (needed) => {
    const uses: SandboxUse[] = [];
    const folder = { path, output: join(path, 'output'), remove: () => Promise.resolve() };
    const sandboxes = {
      createFolder: () => Promise.resolve(folder as RunFolder),
      start: (_: RunFolder, use: SandboxUse) => {
        uses.push(use);
        return Promise.resolve({ ending: Promise.resolve({ code: 0 }) });
      },
    };
    await new Trial(sandboxes as unknown as Sandboxes).run({
      suite: 'trixie',
      arch: 'amd64',
      backend: 'unshare',
      timeoutMs: 60_000,
      argumentsFor: () => Promise.resolve({ upgrade: [], options: [], server: ['unshare'], ...needed }),
      signal: new AbortController().signal,
    });
    const { command, network, tmpfsBytes, ...others } = uses[0]!;
    expect([command[0], network, tmpfsBytes > 0, others]).toEqual(['autopkgtest', 'private', true, needed]);
  },
);
