import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { LoggerService, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { NoAnswer, type Bus } from '@proctor/bus';
import { Repeater, type Clock } from '@proctor/clock';
import {
  requestSubject,
  SOURCE_NAMES_BYTES_MAX,
  stagedSourceNames,
  type SourceNamesReply,
  type SourceNamesRequest,
} from '@proctor/contracts';
import type { DispatcherFeatures } from '../slot/dispatcher-features';
import type { ImageSourceNames } from '../testbed/backend';

/** How often it looks whether there is something new to say. */
const LOOK_EVERY_MS = 10_000;
/** What was said is said again, so that it stays new while the archive stays as it is. */
const AGAIN_AFTER_MS = 6 * 3_600_000;
/** What could not be said is tried again. */
const RETRY_AFTER_MS = 600_000;
/** An archive that nobody has looked at for longer is not said again to have what it had. */
const AGE_MS_MAX = 24 * 3_600_000;
const ANSWER_TIMEOUT_MS = 60_000;

export interface SourceReportsParts {
  worker: string;
  /** Whether this machine's apt sources may be known to all users of the deployment. */
  isAllowed: () => boolean;
  /** Of all backends. */
  known: () => ImageSourceNames[];
  bus: Pick<Bus, 'request' | 'stage'>;
  dispatchers: Pick<DispatcherFeatures, 'has'>;
  clock: Clock;
  log: Pick<LoggerService, 'log' | 'warn'>;
}

/** Tells the dispatchers which packages the suites have of which this worker has images. Losing it costs a warning, never a run. */
export class SourceReports implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly looking: Repeater;
  /** By suite and architecture: of which image it was, and from when on it may be said again. */
  private readonly said = new Map<string, { builtAt: number; againMs: number }>();
  private isStopped = false;

  constructor(private readonly parts: SourceReportsParts) {
    this.looking = new Repeater(
      parts.clock,
      () => LOOK_EVERY_MS,
      () => this.look(),
    );
  }

  onApplicationBootstrap(): void {
    this.looking.start();
  }

  onModuleDestroy(): void {
    this.isStopped = true;
    this.looking.stop();
  }

  /** Says what is to be said, one list after the other; never rejects. */
  async look(): Promise<void> {
    if (!this.parts.isAllowed()) return;
    for (const known of newestOfEach(this.parts.known())) {
      if (this.isStopped) return;
      if (this.isToBeSaid(known)) await this.say(known);
    }
  }

  private isToBeSaid({ suite, arch, builtAt, ageMs }: ImageSourceNames): boolean {
    if (ageMs > AGE_MS_MAX || !this.parts.dispatchers.has(arch, 'source-names')) return false;
    const said = this.said.get(keyOf({ suite, arch }));
    return said?.builtAt !== builtAt || this.parts.clock.now() >= said.againMs;
  }

  private async say(known: ImageSourceNames): Promise<void> {
    const { suite, arch, builtAt } = known;
    const { clock, log } = this.parts;
    const restFor = (ms: number) => this.said.set(keyOf(known), { builtAt, againMs: clock.now() + ms });
    try {
      const content = await contentOf(known.path);
      const reply = content === null ? null : await this.offer(known, content);
      // It has no time for it now: there is another look.
      if (reply?.answer === 'later' || reply?.answer === 'upload') return;
      restFor(AGAIN_AFTER_MS);
      if (reply?.answer === 'refused')
        log.warn(
          `the packages of ${suite} on ${arch} are not taken: ${reply.reason ?? 'no reason was given'}`,
        );
    } catch (error) {
      // Nobody listens: the next look finds out.
      if (error instanceof NoAnswer) return;
      restFor(RETRY_AFTER_MS);
      const why = error instanceof Error ? error.message : String(error);
      log.warn(`the packages of ${suite} on ${arch} could not be sent: ${why}`);
    }
  }

  private async offer({ suite, arch, ageMs }: ImageSourceNames, content: Buffer): Promise<SourceNamesReply> {
    const { worker, bus } = this.parts;
    const sha256 = createHash('sha256').update(content).digest('hex');
    const request: SourceNamesRequest = { worker, suite, sha256, ageMs: Math.max(0, Math.round(ageMs)) };
    const subject = requestSubject(arch, worker, 'sources');
    const ask = () => bus.request<SourceNamesReply>(subject, request, ANSWER_TIMEOUT_MS);
    const first = await ask();
    if (first.answer !== 'upload') return first;
    await bus.stage(worker, stagedSourceNames(suite, arch), Readable.from([content]));
    return ask();
  }
}

/** Null where there is none, or it is longer than one may be. */
async function contentOf(path: string): Promise<Buffer | null> {
  const content = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return content !== null && content.length > SOURCE_NAMES_BYTES_MAX ? null : content;
}

/** Several backends may have images of the same suite. */
function newestOfEach(all: ImageSourceNames[]): ImageSourceNames[] {
  const newest = new Map<string, ImageSourceNames>();
  for (const known of all) {
    const before = newest.get(keyOf(known));
    if (!before || known.builtAt > before.builtAt) newest.set(keyOf(known), known);
  }
  return [...newest.values()];
}

function keyOf({ suite, arch }: Pick<ImageSourceNames, 'suite' | 'arch'>): string {
  return `${suite}/${arch}`;
}
