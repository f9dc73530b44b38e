import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { Repeater, systemClock } from '@proctor/clock';
import { SOURCE_NAMES_TEXT_BYTES_MAX } from '@proctor/contracts';
import { type KnownSourceNames, DatabaseUnavailable, SourceNames } from '@proctor/database';
import { type ApiConfiguration, CONFIGURATION } from '../configuration.token';
import { inSlices } from '../http/slices';
import { SourceList } from './source-list';

/** How often it looks for newer lists; a list is used for so much longer than it may be old. */
const LOOK_EVERY_MS = 10_000;

const unpacked = promisify(gunzip);

/** A list, and when the archive was last seen to have these packages. */
export interface DatedSourceList {
  list: SourceList;
  seenAt: Date;
}

/** The packages that suites are known to have. The lists are read beside requests, and no request waits for that. */
@Injectable()
export class KnownSources implements OnApplicationBootstrap, OnModuleDestroy {
  /** Lines of all lists together: some 80 MB. Equal lists count once. */
  protected readonly linesMax: number = 1_000_000;
  private readonly logger = new Logger('Sources');
  private readonly looking = new Repeater(
    systemClock,
    () => LOOK_EVERY_MS,
    () => this.loadNew(),
  );
  private byPlace = new Map<string, { sha256: string; seenAt: Date }>();
  /** Null: one that cannot be used, which is not read again. */
  private byDigest = new Map<string, SourceList | null>();

  constructor(
    @Inject(SourceNames) private readonly names: Pick<SourceNames, 'listSaved' | 'content'>,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  onApplicationBootstrap(): void {
    void this.loadNew();
    this.looking.start();
  }

  onModuleDestroy(): void {
    this.looking.stop();
  }

  /** Null where nothing is known, or nothing that is new enough. */
  of(suite: string, arch: string): DatedSourceList | null {
    const place = this.byPlace.get(keyOf({ suite, arch }));
    const list = place && this.byDigest.get(place.sha256);
    if (!place || !list) return null;
    const ageMs = Date.now() - place.seenAt.getTime();
    return ageMs > this.configuration.server.sourceNamesAgeMaxMs ? null : { list, seenAt: place.seenAt };
  }

  /** Reads the lists that are new; never rejects. */
  async loadNew(): Promise<void> {
    try {
      const savedNames = await this.names.listSaved();
      const lists = await this.listsOf(savedNames);
      this.byDigest = lists;
      this.byPlace = new Map(
        savedNames.map((each) => [
          keyOf(each),
          { sha256: each.sha256, seenAt: new Date(Date.now() - each.ageMs) },
        ]),
      );
    } catch (error) {
      // What is known stays, and grows old.
      if (!(error instanceof DatabaseUnavailable))
        this.logger.error(`the packages of suites cannot be read: ${String(error)}`);
    }
  }

  private async listsOf(savedNames: KnownSourceNames[]): Promise<Map<string, SourceList | null>> {
    const lists = new Map<string, SourceList | null>();
    let lines = 0;
    for (const each of savedNames) {
      if (lists.has(each.sha256)) continue;
      const before = this.byDigest.get(each.sha256);
      const list = before === undefined ? await this.read(each) : before;
      const isFitting = list !== null && lines + list.size <= this.linesMax;
      if (list !== null && !isFitting)
        this.logger.warn(
          `the packages of ${each.suite} on ${each.arch} are not used: lists have room for ${this.linesMax} lines`,
        );
      lists.set(each.sha256, isFitting ? list : null);
      if (isFitting) lines += list.size;
    }
    return lists;
  }

  private async read(savedNames: KnownSourceNames): Promise<SourceList | null> {
    const content = await this.names.content(savedNames, savedNames.sha256);
    if (content === null) return null;
    try {
      const text = (await unpacked(content, { maxOutputLength: SOURCE_NAMES_TEXT_BYTES_MAX })) as Buffer;
      return await inSlices(SourceList.read(text.toString('latin1')));
    } catch (error) {
      this.logger.warn(
        `the packages of ${savedNames.suite} on ${savedNames.arch} cannot be read: ${String(error)}`,
      );
      return null;
    }
  }
}

function keyOf({ suite, arch }: { suite: string; arch: string }): string {
  return `${suite}/${arch}`;
}
