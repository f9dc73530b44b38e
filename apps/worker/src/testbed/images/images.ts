import type { Clock } from '@proctor/clock';
import { EXPLANATION_LENGTH_MAX, oneLine, type Testbed } from '@proctor/contracts';
import { growingPauseMs, scatterPause } from '@proctor/pauses';
import type { Log } from '@proctor/process';
import type { ImageBuilder } from './image-builder';
import type { ImageFiles, ImageRecord } from './image-files';

export interface ImageSettings {
  /** Read again at each check. */
  readonly ageMaxMs: number;
  /** How often ages and archives are checked. */
  checkMs: number;
  /** First pause after a failed build; it doubles. */
  retryFirstMs: number;
  retryMaxMs: number;
  /** The id of this boot of the machine: proofs of another boot are repeated. */
  bootId: string;
}

/** Runs a test on an image that is not in use yet. */
export interface ImageTrial {
  /** Resolves with the mode in which the image works. @throws Error with why it works in none */
  prove(suite: string, arch: string, image: string, signal: AbortSignal): Promise<string>;
}

interface Image {
  suite: string;
  arch: string;
  /** The image for runs. */
  record: ImageRecord | null;
  /** An image of an earlier boot that must be proved again. */
  unproved: ImageRecord | null;
  /** Since when it is being built or proved, monotonic; null: it is not. */
  busySince: number | null;
  /** When the image was last known to match the archive; monotonic, null: not since the worker started. */
  seenAt: number | null;
  /** Stage of its build. */
  stage: string | null;
  failures: number;
  failure: string | null;
}

/** An image, and how long ago it was known to match the archive. */
export interface SeenImage extends Pick<ImageRecord, 'suite' | 'arch' | 'builtAt'> {
  ageMs: number;
}

interface ImagesParts {
  files: ImageFiles;
  builder: ImageBuilder;
  trial: ImageTrial;
  settings: ImageSettings;
  clock: Clock;
  /** Milliseconds since the epoch. */
  wallClock: () => number;
  /** Returns a random number from 0 up to 1. */
  random: () => number;
  log: Log;
  /** An image became ready or failed. */
  onChange: () => void;
}

/** The images of one backend: builds and proves them one at a time, replaces old ones, retries failed ones. */
export class Images {
  private readonly images = new Map<string, Image>();
  private readonly queue: Image[] = [];
  private readonly cancels = new Set<() => void>();
  private readonly abort = new AbortController();
  private working: Promise<void> | null = null;

  constructor(private readonly parts: ImagesParts) {}

  async open(): Promise<void> {
    for (const record of await this.parts.files.load()) {
      const image = this.imageOf(record.suite, record.arch);
      if (record.definition !== this.parts.builder.definitionOf(record.arch)) {
        // A test that misses something there would be blamed for it.
        this.parts.log.log(
          `image ${record.suite}/${record.arch} is one of another release: it is built again`,
        );
        this.enqueue(image);
        continue;
      }
      if (record.provedBoot === this.parts.settings.bootId) image.record = record;
      else image.unproved = record;
      const recipe = await this.parts.builder.recipeOf(record.suite, record.arch).catch(() => record.recipe);
      if (recipe !== record.recipe || image.unproved) this.enqueue(image);
    }
    void this.refreshOld();
  }

  /** Builds the image unless it exists, is being built, or has just failed. */
  requestImage(suite: string, arch: string): void {
    const image = this.imageOf(suite, arch);
    if (image.record === null && image.failure === null) this.enqueue(image);
  }

  testbeds(arch: string, backend: string): Testbed[] {
    return [...this.images.values()]
      .filter((image) => image.arch === arch)
      .map((image) => ({ suite: image.suite, backend, ...this.stateOf(image) }));
  }

  /** The record of the image; null: none can be used. */
  findUsable(suite: string, arch: string): ImageRecord | null {
    return this.imageOf(suite, arch).record;
  }

  /** The usable images, and when each was last known to match the archive. */
  listSeen(): SeenImage[] {
    const ageMs = ({ seenAt }: Image, { builtAt }: ImageRecord): number =>
      seenAt === null ? this.parts.wallClock() - builtAt : this.parts.clock.now() - seenAt;
    return [...this.images.values()].flatMap((image) => {
      const { suite, arch, record } = image;
      return record === null ? [] : [{ suite, arch, builtAt: record.builtAt, ageMs: ageMs(image, record) }];
    });
  }

  async close(): Promise<void> {
    this.abort.abort();
    for (const cancel of this.cancels) cancel();
    await this.working;
  }

  private stateOf(image: Image): Pick<Testbed, 'state' | 'detail'> {
    if (image.record !== null) return { state: 'ready' };
    if (image.busySince !== null) {
      const time = `for ${seconds(this.parts.clock.now() - image.busySince)}`;
      return { state: 'building', detail: image.stage === null ? time : `${time}, ${image.stage}` };
    }
    if (image.failure !== null) return { state: 'failed', detail: image.failure };
    return this.queue.includes(image)
      ? { state: 'building', detail: 'it waits for another build' }
      : { state: 'absent' };
  }

  private imageOf(suite: string, arch: string): Image {
    const key = `${suite}/${arch}`;
    const before = this.images.get(key);
    if (before) return before;
    const idle = { busySince: null, seenAt: null, stage: null, failures: 0, failure: null };
    const image = { suite, arch, record: null, unproved: null, ...idle };
    this.images.set(key, image);
    return image;
  }

  private enqueue(image: Image): void {
    if (this.queue.includes(image) || image.busySince !== null || this.abort.signal.aborted) return;
    this.queue.push(image);
    this.working ??= this.workThroughQueue();
  }

  private async workThroughQueue(): Promise<void> {
    for (let image = this.queue.shift(); image; image = this.queue.shift()) {
      if (this.abort.signal.aborted) break;
      await this.buildOrProve(image);
    }
    this.working = null;
  }

  private async buildOrProve(image: Image): Promise<void> {
    const name = `${image.suite}/${image.arch}`;
    const startMs = this.parts.clock.now();
    image.busySince = startMs;
    try {
      const { unproved } = image;
      // An image that no longer works is built again.
      image.unproved = null;
      image.record = unproved ? await this.proveAgain(unproved) : await this.build(image);
      Object.assign(image, { failure: null, failures: 0 });
      this.parts.log.log(`image ${name} is ready after ${seconds(this.parts.clock.now() - startMs)}`);
    } catch (error) {
      await this.parts.files.removeFresh(image.suite, image.arch).catch((problem: Error) => {
        this.parts.log.warn(`what a build of the image ${name} has left is not removed: ${problem.message}`);
      });
      if (!this.abort.signal.aborted)
        this.onFailed(image, error instanceof Error ? error.message : String(error));
    } finally {
      image.busySince = null;
      image.stage = null;
      this.parts.onChange();
    }
  }

  private async proveAgain(record: ImageRecord): Promise<ImageRecord> {
    const { suite, arch } = record;
    const mode = await this.parts.trial.prove(
      suite,
      arch,
      this.parts.files.imagePath(suite, arch),
      this.abort.signal,
    );
    const proved = { ...record, mode, provedBoot: this.parts.settings.bootId };
    await this.parts.files.update(proved);
    return proved;
  }

  private async build(image: Image): Promise<ImageRecord> {
    const { suite, arch } = image;
    this.parts.log.log(`building the image ${suite}/${arch}`);
    const { abort } = this;
    const { builder, files } = this.parts;
    const recipe = await builder.recipeOf(suite, arch);
    const definition = builder.definitionOf(arch);
    const release = await builder.archiveState(suite);
    const fresh = files.freshPath(suite, arch);
    const startMs = this.parts.clock.now();
    const stages = builder.stages + 1;
    const onStage = (stage: number, doing: string): void => {
      image.stage = `stage ${stage} of ${stages}: ${doing}`;
      this.parts.log.log(
        `image ${suite}/${arch}, ${image.stage} (${seconds(this.parts.clock.now() - startMs)})`,
      );
    };
    const target = { image: fresh, sourceNames: files.freshSourceNamesPath(suite, arch) };
    const warn = (text: string): void => this.parts.log.warn(`image ${suite}/${arch}: ${text}`);
    await builder.build(suite, arch, target, { signal: abort.signal, onStage, warn });
    const builtAt = this.parts.wallClock();
    onStage(stages, 'running a test in it');
    const mode = await this.parts.trial.prove(suite, arch, fresh, abort.signal);
    const { bootId } = this.parts.settings;
    const record = { suite, arch, builtAt, recipe, definition, release, mode, provedBoot: bootId };
    await files.replace(record);
    image.seenAt = startMs;
    return record;
  }

  private onFailed(image: Image, reason: string): void {
    image.failures += 1;
    const { retryFirstMs, retryMaxMs } = this.parts.settings;
    // Random, since all machines of a deployment may have failed at the same archive.
    const pauseMs = scatterPause(
      growingPauseMs(retryFirstMs, retryMaxMs, image.failures),
      this.parts.random(),
    );
    image.failure = oneLine(reason, EXPLANATION_LENGTH_MAX);
    this.parts.log.warn(
      `image ${image.suite}/${image.arch} could not be made: ${reason} (next try in ${seconds(pauseMs)})`,
    );
    this.schedule(pauseMs, () => this.enqueue(image));
  }

  private async refreshOld(): Promise<void> {
    for (const image of this.images.values()) {
      // A failed one is retried after its pause.
      if (image.failure === null && (await this.isOld(image))) this.enqueue(image);
    }
    this.schedule(this.parts.settings.checkMs, () => void this.refreshOld());
  }

  private async isOld(image: Image): Promise<boolean> {
    const { record } = image;
    if (record === null) return false;
    const checkedAt = this.parts.clock.now();
    if (this.parts.wallClock() - record.builtAt > this.parts.settings.ageMaxMs) return true;
    const release = await this.parts.builder.archiveState(record.suite).catch(() => null);
    if (release === null || record.release === null) return false;
    if (release === record.release) image.seenAt = checkedAt;
    return release !== record.release;
  }

  private schedule(ms: number, action: () => void): void {
    if (this.abort.signal.aborted) return;
    const cancel = this.parts.clock.after(ms, () => {
      this.cancels.delete(cancel);
      action();
    });
    this.cancels.add(cancel);
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`;
}
