import type {
  Beyond,
  PartCounts,
  DispatcherMessage,
  DispatcherState,
  MessageOf,
  WindowSettings,
} from '@proctor/dispatch';
import type { LimitedJournal } from './limited-journal';
import { refuse, type Envelope } from './mailbox';
import { NotHandled } from './not-handled';

/** How many lines one turn continues to read; those that a decision waits for come first. */
const PER_TURN_MAX = 20;

/** How many stretches one statement counts. */
const STRETCHES_MAX = 200;
/** How many runs one statement counts, and the least number for each stretch: about 0.1 s. */
const COUNTED_MAX = 100_000;
const OF_STRETCH_MIN = 1_000;
/** A question of a person is refused when the counts it needs are not complete after this time. */
const COUNTED_WITHIN_MS = 10_000;

/** The receiver of the results. */
export interface Reader {
  /** The actor's own time, milliseconds. */
  time(): number;
  window(): WindowSettings;
  /** These counts belong to `state`. */
  onCounted(state: DispatcherState, counts: PartCounts[]): void;
  retryEnvelopes(envelopes: Envelope[]): void;
}

/** Reads runs of an architecture's lines that are not in memory, when decisions, people or counts need them. */
export class LinesOfRows {
  /** Envelopes that wait for counts. */
  private readonly uncounted: Envelope[] = [];
  private isCounting = false;

  constructor(
    private readonly arch: string,
    private readonly journal: Pick<
      LimitedJournal,
      'nextOfLine' | 'countBeyond' | 'listUnfinished' | 'lastBeyond'
    >,
    private readonly reader: Reader,
  ) {}

  /**
   * Reads the next runs of the lines that need them, one query after the other: a turn uses one connection at a time.
   */
  async readNext({ lines }: DispatcherState): Promise<DispatcherMessage[]> {
    const messages: DispatcherMessage[] = [];
    const { runsMax } = this.reader.window();
    for (const after of lines.due().slice(0, PER_TURN_MAX)) {
      const runs = await this.journal.nextOfLine(this.arch, after, runsMax);
      messages.push({ kind: 'line', after, runs, isEnd: runs.length < runsMax });
    }
    return messages;
  }

  /**
   * Prepares a message that could not be decided. A slot's request is handled again in the next turn. A question of a
   * person waits for rows and counts, without delaying a turn.
   */
  readFor(state: DispatcherState, envelope: Envelope): void {
    const { message } = envelope;
    if (message.kind !== 'explain' && message.kind !== 'status') this.reader.retryEnvelopes([envelope]);
    else if (!message.beyond)
      this.readBeyond(state, message)
        .then((beyond) => this.reader.retryEnvelopes([{ ...envelope, message: { ...message, beyond } }]))
        .catch((error: unknown) => refuse([envelope], error));
    else if (this.reader.time() - message.beyond.atMs < COUNTED_WITHIN_MS) this.uncounted.push(envelope);
    else refuse([envelope], new NotHandled('the runs that wait cannot be counted so fast'));
  }

  /** Counts one part at a time; after each, the messages that wait for counts are handled again. */
  async count(state: DispatcherState): Promise<void> {
    if (this.isCounting) return;
    this.isCounting = true;
    try {
      const counts = await this.countNext(state);
      if (counts) this.reader.onCounted(state, counts);
      this.reader.retryEnvelopes(this.uncounted.splice(0));
    } catch (error) {
      this.refuseAll(error);
    } finally {
      this.isCounting = false;
    }
  }

  refuseAll(reason: unknown): void {
    refuse(this.uncounted.splice(0), reason);
  }

  /** Answers questions of people about runs that are not in memory. */
  private async readBeyond(
    { lines, runs }: DispatcherState,
    message: MessageOf<'explain' | 'status'>,
  ): Promise<Beyond> {
    const atMs = this.reader.time();
    if (message.kind === 'status') {
      const edges = [...lines.beyond].flatMap(({ edge }) => edge ?? []);
      return { atMs, lasts: await this.journal.lastBeyond(this.arch, edges), run: null };
    }
    const isKnown = runs.has(message.runId);
    const [run = null] = isKnown ? [] : await this.journal.listUnfinished(this.arch, [message.runId]);
    return { atMs, lasts: [], run };
  }

  /** Makes some of the outstanding counts; null if none are outstanding. */
  private async countNext({ lines }: DispatcherState): Promise<PartCounts[] | null> {
    const uncounted = lines.listUncounted(STRETCHES_MAX);
    if (uncounted.length === 0) return null;
    const runsMax = Math.max(OF_STRETCH_MIN, Math.floor(COUNTED_MAX / uncounted.length));
    const stretches = uncounted.map(({ place, stretch }) => ({ place, ...stretch }));
    const { blockRuns } = this.reader.window();
    const partsOf = await this.journal.countBeyond(this.arch, stretches, { blockRuns, runsMax });
    return uncounted.map((of, index) => {
      const parts = partsOf[index]!;
      const count = parts.reduce((sum, part) => sum + part.count, 0);
      return { of, parts, isAll: count < runsMax };
    });
  }
}
