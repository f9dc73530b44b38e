import type { Clock } from '@proctor/clock';
import type { Testbed } from '@proctor/contracts';
import type { SlotLog } from '../slot/ports';
import type { ImageBuilder } from './image-builder';
import type { ImageFiles } from './image-files';

export interface ImageSettings {
  /** Read anew at each look. */
  readonly ageMaxMs: number;
  /** How often the ages are looked at. */
  checkMs: number;
  /** First pause after a build that failed; it doubles. */
  retryFirstMs: number;
  retryMaxMs: number;
}

interface Image {
  suite: string;
  arch: string;
  /** Milliseconds since the epoch; null: there is none yet. */
  builtAt: number | null;
  /** Monotonic; null: no build is under way. */
  buildingSince: number | null;
  failures: number;
  failure: string | null;
}

/** The images of one backend: builds them one at a time, replaces old ones, tries again what failed. */
export class Images {
  private readonly images = new Map<string, Image>();
  private readonly queue: Image[] = [];
  private readonly cancels = new Set<() => void>();
  private readonly abort = new AbortController();
  private building: Promise<void> | null = null;

  /** `wallClock`: milliseconds since the epoch. `changed`: an image became ready or failed. */
  constructor(
    private readonly files: ImageFiles,
    private readonly builder: ImageBuilder,
    private readonly settings: ImageSettings,
    private readonly clock: Clock,
    private readonly wallClock: () => number,
    private readonly log: SlotLog,
    private readonly changed: () => void,
  ) {}

  async open(): Promise<void> {
    for (const { suite, arch, builtAt, recipe } of await this.files.load()) {
      const image = this.imageOf(suite, arch);
      image.builtAt = builtAt;
      const wanted = await this.builder.recipeOf(suite, arch).catch(() => recipe);
      if (wanted !== recipe) this.enqueue(image);
    }
    this.refreshOld();
  }

  /** Builds the image unless it is there, under way, or failed a moment ago. */
  want(suite: string, arch: string): void {
    const image = this.imageOf(suite, arch);
    if (image.builtAt === null && image.failure === null) this.enqueue(image);
  }

  testbeds(arch: string, backend: string): Testbed[] {
    return [...this.images.values()]
      .filter((image) => image.arch === arch)
      .map((image) => ({ suite: image.suite, backend, ...this.stateOf(image) }));
  }

  isReady(suite: string, arch: string): boolean {
    return this.imageOf(suite, arch).builtAt !== null;
  }

  async close(): Promise<void> {
    this.abort.abort();
    for (const cancel of this.cancels) cancel();
    await this.building;
  }

  private stateOf(image: Image): Pick<Testbed, 'state' | 'detail'> {
    if (image.builtAt !== null) return { state: 'ready' };
    if (image.buildingSince !== null) {
      return { state: 'building', detail: `for ${seconds(this.clock.now() - image.buildingSince)}` };
    }
    if (image.failure !== null) return { state: 'failed', detail: image.failure };
    return this.queue.includes(image)
      ? { state: 'building', detail: 'it waits for another build' }
      : { state: 'absent' };
  }

  private imageOf(suite: string, arch: string): Image {
    const key = `${suite}/${arch}`;
    const known = this.images.get(key);
    if (known) return known;
    const image = { suite, arch, builtAt: null, buildingSince: null, failures: 0, failure: null };
    this.images.set(key, image);
    return image;
  }

  private enqueue(image: Image): void {
    if (this.queue.includes(image) || image.buildingSince !== null || this.abort.signal.aborted) return;
    this.queue.push(image);
    this.building ??= this.buildAll();
  }

  private async buildAll(): Promise<void> {
    for (let image = this.queue.shift(); image; image = this.queue.shift()) {
      if (this.abort.signal.aborted) break;
      await this.build(image);
    }
    this.building = null;
  }

  private async build(image: Image): Promise<void> {
    const { suite, arch } = image;
    const name = `${suite}/${arch}`;
    const begun = this.clock.now();
    image.buildingSince = begun;
    this.log.log(`building the image ${name}`);
    try {
      const recipe = await this.builder.recipeOf(suite, arch);
      await this.builder.build(suite, arch, this.files.freshPath(suite, arch), this.abort.signal);
      const builtAt = this.wallClock();
      await this.files.swapIn({ suite, arch, builtAt, recipe });
      Object.assign(image, { builtAt, failure: null, failures: 0 });
      this.log.log(`image ${name} is ready after ${seconds(this.clock.now() - begun)}`);
    } catch (error) {
      await this.files.dropFresh(suite, arch);
      if (!this.abort.signal.aborted)
        this.failed(image, error instanceof Error ? error.message : String(error));
    } finally {
      image.buildingSince = null;
      this.changed();
    }
  }

  private failed(image: Image, reason: string): void {
    const pauseMs = Math.min(this.settings.retryFirstMs * 2 ** image.failures, this.settings.retryMaxMs);
    image.failures += 1;
    image.failure = reason.slice(0, 1000);
    this.log.warn(
      `image ${image.suite}/${image.arch} could not be built: ${reason} (next try in ${seconds(pauseMs)})`,
    );
    this.later(pauseMs, () => this.enqueue(image));
  }

  private refreshOld(): void {
    const now = this.wallClock();
    for (const image of this.images.values()) {
      if (image.builtAt !== null && now - image.builtAt > this.settings.ageMaxMs) this.enqueue(image);
    }
    this.later(this.settings.checkMs, () => this.refreshOld());
  }

  private later(ms: number, action: () => void): void {
    if (this.abort.signal.aborted) return;
    const cancel = this.clock.after(ms, () => {
      this.cancels.delete(cancel);
      action();
    });
    this.cancels.add(cancel);
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
