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

/** How often it checks for new lists. */
const LOOK_EVERY_MS = 10_000;
/** A list is reported again after this time, so that it counts as new while the archive does not change. */
const AGAIN_AFTER_MS = 6 * 3_600_000;
/** Pause after a failed report. */
const RETRY_AFTER_MS = 600_000;
/** A list is not reported when its archive was not checked for longer. */
const AGE_MS_MAX = 24 * 3_600_000;
const ANSWER_TIMEOUT_MS = 60_000;

interface SourceReportsParts {
  worker: string;
  /** Whether all users of the deployment may know this machine's apt sources. */
  isAllowed: () => boolean;
  /** The lists of all backends. */
  lists: () => ImageSourceNames[];
  bus: Pick<Bus, 'request' | 'stage'>;
  dispatchers: Pick<DispatcherFeatures, 'has'>;
  clock: Clock;
  log: Pick<LoggerService, 'log' | 'warn'>;
}

/**
 * Reports to the dispatchers which packages suites have, for each suite with an image here. A lost report costs a
 * warning, never a run.
 */
export class SourceReports implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly checks: Repeater;
  /** `suite/arch` → the image of the list, and when it is reported again. */
  private readonly latest = new Map<string, { builtAt: number; againMs: number }>();
  private isStopped = false;

  constructor(private readonly parts: SourceReportsParts) {
    this.checks = new Repeater(
      parts.clock,
      () => LOOK_EVERY_MS,
      () => this.reportDue(),
    );
  }

  onApplicationBootstrap(): void {
    this.checks.start();
  }

  onModuleDestroy(): void {
    this.isStopped = true;
    this.checks.stop();
  }

  /** Reports the lists that are due, one after the other; never rejects. */
  async reportDue(): Promise<void> {
    if (!this.parts.isAllowed()) return;
    for (const list of newestOfEach(this.parts.lists())) {
      if (this.isStopped) return;
      if (this.isDue(list)) await this.report(list);
    }
  }

  private isDue({ suite, arch, builtAt, ageMs }: ImageSourceNames): boolean {
    if (ageMs > AGE_MS_MAX || !this.parts.dispatchers.has(arch, 'source-names')) return false;
    const latest = this.latest.get(keyOf({ suite, arch }));
    return latest?.builtAt !== builtAt || this.parts.clock.now() >= latest.againMs;
  }

  private async report(list: ImageSourceNames): Promise<void> {
    const { suite, arch, builtAt } = list;
    const { clock, log } = this.parts;
    const restFor = (ms: number) => this.latest.set(keyOf(list), { builtAt, againMs: clock.now() + ms });
    try {
      const content = await contentOf(list.path);
      const reply = content === null ? null : await this.offer(list, content);
      // It has no time now: the next check tries again.
      if (reply?.answer === 'later' || reply?.answer === 'upload') return;
      restFor(AGAIN_AFTER_MS);
      if (reply?.answer === 'refused')
        log.warn(`the packages of ${suite} on ${arch} are refused: ${reply.reason ?? 'no reason was given'}`);
    } catch (error) {
      // No process receives it: the next check tries again.
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
    const sendRequest = () => bus.request<SourceNamesReply>(subject, request, ANSWER_TIMEOUT_MS);
    const first = await sendRequest();
    if (first.answer !== 'upload') return first;
    await bus.stage(worker, stagedSourceNames(suite, arch), Readable.from([content]));
    return sendRequest();
  }
}

/** Reads the content of a file; null if it does not exist, or is too long. */
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
  for (const list of all) {
    const before = newest.get(keyOf(list));
    if (!before || list.builtAt > before.builtAt) newest.set(keyOf(list), list);
  }
  return [...newest.values()];
}

function keyOf({ suite, arch }: Pick<ImageSourceNames, 'suite' | 'arch'>): string {
  return `${suite}/${arch}`;
}
