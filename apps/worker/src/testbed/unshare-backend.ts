import { link, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Testbed } from '@proctor/contracts';
import type { TestbedArguments } from '../autopkgtest/command';
import type { RunFolder } from '../sandbox/run-folder';
import type { Sandboxes } from '../sandbox/sandboxes';
import { requireTools } from '../sandbox/tools';
import { Unusable } from '../sandbox/unusable';
import { NotStarted } from '../slot/ports';
import type { Backend } from './backend';
import { runConfiguration } from './host-apt/apt-settings';
import type { HostApt } from './host-apt/host-apt';
import type { ImageFiles } from './image-files';
import type { Images } from './images';

const TOOLS = ['autopkgtest', 'autodep8', 'mmdebstrap', 'newuidmap', 'slirp4netns'];

/** autopkgtest-virt-unshare on an image of our own, without any need for root. */
export class UnshareBackend implements Backend {
  readonly name = 'unshare';
  readonly buildsAnySuite = true;

  constructor(
    private readonly suitesAtStart: string[],
    private readonly architectures: string[],
    private readonly sandboxes: Sandboxes,
    private readonly images: Images,
    private readonly files: ImageFiles,
    private readonly hostApt: HostApt,
  ) {}

  async detect(): Promise<string | null> {
    try {
      await requireTools(TOOLS);
      await this.sandboxes.detect();
      return null;
    } catch (error) {
      if (error instanceof Unusable) return error.message;
      throw error;
    }
  }

  async open(): Promise<void> {
    await this.images.open();
    for (const suite of this.suitesAtStart)
      for (const arch of this.architectures) this.images.want(suite, arch);
  }

  testbeds(arch: string): Testbed[] {
    return this.images.testbeds(arch, this.name);
  }

  want(suite: string, arch: string): void {
    this.images.want(suite, arch);
  }

  async use(suite: string, arch: string, folder: RunFolder): Promise<TestbedArguments> {
    if (!this.images.isReady(suite, arch)) throw new NotStarted(`there is no image ${suite}/${arch}`);
    // A name of its own: a refresh in the meantime does not change the testbed under the run.
    const image = join(folder.path, 'image.tar');
    await link(this.files.imagePath(suite, arch), image);
    const settings = join(folder.path, 'apt.conf');
    await writeFile(settings, runConfiguration(await this.hostApt.settings()), { mode: 0o644 });
    return {
      upgrade: ['--apt-upgrade'],
      options: [`--copy=${settings}:/etc/apt/apt.conf.d/99host`],
      server: ['unshare', '--tarball', image],
    };
  }

  async close(): Promise<void> {
    await this.images.close();
  }
}
