import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../../libs/embedded/src/command';
import { unpackDebianPackage } from '../../../libs/embedded/src/debian-packages';

jest.setTimeout(120_000);

it("unpacks a nats-server that runs from Debian's package, and leaves nothing else", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nats-package-'));
  try {
    await unpackDebianPackage('nats-server', join(folder, 'nats-server'));
    const version = await runCommand(join(folder, 'nats-server/usr/sbin/nats-server'), ['--version']);
    expect(version).toMatch(/^nats-server: v\d+\.\d+/);
    expect(await readdir(folder)).toEqual(['nats-server']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
