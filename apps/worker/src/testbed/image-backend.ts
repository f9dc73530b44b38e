import { link } from 'node:fs/promises';
import { join } from 'node:path';
import type { Testbed } from '@proctor/contracts';
import type { TestbedArguments } from '../autopkgtest/command';
import type { Architectures } from '../machine/architectures';
import type { RunFolder } from '../sandbox/run-folder';
import type { Sandboxes } from '../sandbox/sandboxes';
import { checkTools } from '../sandbox/tools';
import { Unusable } from '../sandbox/unusable';
import { NotStarted } from '../slot/ports';
import type { Backend, ImageSourceNames } from './backend';
import { copiedSettings } from './host-apt/copy-settings';
import type { HostApt } from './host-apt/host-apt';
import type { ImageFiles, ImageRecord } from './images/image-files';
import type { Images } from './images/images';
import { loadPinNames } from './images/pin-names';
import type { ImageUse, TestbedKind } from './kinds/testbed-kind';

/** Programs that every kind with images needs. */
const TOOLS = ['autopkgtest', 'autodep8', 'mmdebstrap', 'newuidmap', 'slirp4netns'];

export interface ImageBackendParts {
  kind: TestbedKind;
  suitesAtStart: string[];
  /** Architectures that the worker serves. */
  architectures: string[];
  sandboxes: Sandboxes;
  /** The architectures whose programs this machine executes. */
  executable: Architectures;
  images: Images;
  files: ImageFiles;
  hostApt: HostApt;
}

/** Testbeds of one kind from our own images, without root. */
export class ImageBackend implements Backend {
  readonly buildsAnySuite = true;

  constructor(private readonly parts: ImageBackendParts) {}

  get name(): string {
    return this.parts.kind.name;
  }

  get isolation(): string {
    return this.parts.kind.isolation;
  }

  async detect(): Promise<string | null> {
    try {
      const served = this.parts.architectures.filter((arch) => this.serves(arch));
      if (served.length === 0)
        return `it runs none of ${this.parts.architectures.join(', ')} on this machine`;
      await checkTools([...TOOLS, ...new Set(served.flatMap((arch) => this.parts.kind.tools(arch)))]);
      await this.parts.sandboxes.detect();
      return (await this.parts.kind.findProblem?.(this.parts.sandboxes)) ?? null;
    } catch (error) {
      if (error instanceof Unusable) return error.message;
      throw error;
    }
  }

  async open(): Promise<void> {
    await this.parts.images.open();
    for (const suite of this.parts.suitesAtStart)
      for (const arch of this.parts.architectures) this.requestImage(suite, arch);
  }

  records(): Promise<ImageRecord[]> {
    return this.parts.files.list();
  }

  testbeds(arch: string): Testbed[] {
    return this.parts.images.testbeds(arch, this.name);
  }

  requestImage(suite: string, arch: string): void {
    if (this.serves(arch)) this.parts.images.requestImage(suite, arch);
  }

  async use(suite: string, arch: string, folder: RunFolder): Promise<TestbedArguments> {
    const record = this.parts.images.findUsable(suite, arch);
    if (record === null) throw new NotStarted(`there is no image ${suite}/${arch}`);
    const testbed = await imageArguments(this.parts.kind, this.parts.executable, {
      image: this.parts.files.imagePath(suite, arch),
      suite,
      arch,
      mode: record.mode,
      folder,
    });
    const image = { name: `${this.name}/${suite}/${arch}`, builtAtMs: record.builtAt };
    const copy = await copiedSettings(folder, await this.parts.hostApt.settings());
    return { ...testbed, image, upgrade: ['--apt-upgrade'], options: [copy, ...testbed.options] };
  }

  sourceNames(): ImageSourceNames[] {
    const { images, files } = this.parts;
    return images
      .listSeen()
      .map((image) => ({ ...image, path: files.sourceNamesPath(image.suite, image.arch) }));
  }

  async pinNames(suite: string, pinned: string[], extra: string[]): Promise<Map<string, string>> {
    const [{ lines }, settings] = await Promise.all([
      this.parts.hostApt.sourcesOf(suite),
      this.parts.hostApt.settings(),
    ]);
    return loadPinNames(pinned, { own: lines, extra }, settings);
  }

  async close(): Promise<void> {
    await this.parts.images.close();
  }

  private serves(arch: string): boolean {
    return this.parts.kind.emulates || !this.parts.executable.isForeign(arch);
  }
}

/** The kind's arguments for an image, with the interpreters that its architecture needs. */
export async function imageArguments(
  kind: TestbedKind,
  machine: Architectures,
  use: ImageUse,
): Promise<TestbedArguments> {
  // The run has its own link, so a refresh of the image does not change its testbed.
  const own = join(use.folder.path, 'image');
  await link(use.image, own);
  const testbed = await kind.use({ ...use, image: own });
  const interpreters = await machine.interpretersOf(use.arch);
  return interpreters.length > 0 ? { ...testbed, interpreters } : testbed;
}
