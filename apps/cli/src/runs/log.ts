import { setTimeout as pause } from 'node:timers/promises';
import { EXIT, Failure } from '../failure';
import { printNotice, write } from '../output/print';
import { plain, forTerminal } from '../output/table';
import type { ServiceOptions } from '../service/address';
import { eventsOf } from '../service/event-stream';
import { RefusedByService, Service } from '../service/service';
import { readRun } from './show-run';

interface LogOptions extends ServiceOptions {
  follow: boolean;
  attempt?: number;
  offset: number;
}

/** The pause before the next look at a run that has not started, and before a new connection. */
const LOOK_MS = 1_000;
/** After this number of connections in a row without data, the command gives up. */
const VAIN_MAX = 5;

/**
 * Prints the bytes of the log on standard output, and notices about it on standard error. @throws Failure if there is
 * no log, or no answer
 */
export async function printLog(runId: number, options: LogOptions): Promise<void> {
  const service = await Service.find(options);
  if (options.follow) return follow(service, runId, options);
  const { attempt, offset } = options;
  const answer = await service
    .open(`/runs/${runId}/log`, { query: { attempt, offset }, isEndless: true })
    .catch((error: unknown) => withoutLog(service, error, runId));
  const text = new LogConverter();
  for await (const bytes of answer.body!) write(text.of(bytes as Uint8Array));
  if (answer.headers.get('log-complete') === 'false')
    printNotice(`the test is still running; follow it with: proctor run log --follow ${runId}`);
}

/**
 * Follows one attempt after the other until the run ends. A broken connection is replaced, and reading continues where
 * it broke.
 */
async function follow(service: Service, runId: number, { attempt, offset }: LogOptions): Promise<void> {
  let number = attempt ?? (await started(service, runId, 0));
  if (number === null)
    printNotice(`run ${runId} has ended and was never started; how: proctor run show ${runId}`);
  let from = offset;
  let text = new LogConverter();
  for (let vain = 0; number !== null;) {
    const before = from;
    const ending = await followOnce(service, runId, number, from, (bytes, next) => {
      write(text.of(bytes));
      from = next;
    });
    if (ending !== null) {
      printNotice(
        `attempt ${number} ${ending.verdict === null ? `ended without a verdict (${ending.outcome})` : `ended as ${ending.verdict}`}`,
      );
      number = attempt === undefined ? await started(service, runId, number) : null;
      [from, vain, text] = [0, 0, new LogConverter()];
      continue;
    }
    vain = from > before ? 0 : vain + 1;
    if (vain > VAIN_MAX) {
      const advice = `go on with: proctor run log --follow --offset ${from} ${runId}`;
      throw new Failure('the connection breaks again and again', EXIT.tryLater, advice);
    }
    await pause(LOOK_MS);
  }
}

interface Ending {
  outcome: string;
  verdict: string | null;
}

/** @returns null if the connection broke */
async function followOnce(
  service: Service,
  runId: number,
  attempt: number,
  offset: number,
  onBytes: (bytes: Uint8Array, offset: number) => void,
): Promise<Ending | null> {
  const headers = { Accept: 'text/event-stream' };
  const path = `/runs/${runId}/log/events`;
  const answer = await service.open(path, { query: { attempt, offset }, headers, isEndless: true });
  try {
    let behind = offset;
    for await (const { event, data } of eventsOf(answer.body!)) {
      if (event === 'log') {
        const { offset: at, data: base64 } = data as { offset: number; data: string };
        const bytes = Buffer.from(base64, 'base64');
        if (at > behind) printNotice(`(${at - behind} bytes are no longer there)`);
        // Bytes that were written already may be sent again: they are skipped.
        const next = Math.max(behind, at + bytes.length);
        onBytes(bytes.subarray(Math.max(0, behind - at)), next);
        behind = next;
      } else if (event === 'note') printNotice(plain((data as { text: string }).text));
      else if (event === 'end') return data as Ending;
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
  }
  return null;
}

/**
 * Waits for an attempt with a higher number than `after`.
 * @returns its number; null if the run ended without another attempt
 */
async function started(service: Service, runId: number, after: number): Promise<number | null> {
  for (let isReported = false; ; isReported = true) {
    const run = await readRun(service, runId);
    if (run.attempt > after) return run.attempt;
    if (run.status !== null) return null;
    if (!isReported) printNotice(plain(`run ${runId} waits${run.reasons?.[0] ? `: ${run.reasons[0]}` : ''}`));
    await pause(LOOK_MS);
  }
}

const ESCAPE = String.fromCharCode(27);
/** The end of a piece that may belong to the next piece: a carriage return, or an incomplete colour. */
const BEGUN = new RegExp(`(${ESCAPE}(\\[[0-9;]{0,20})?|(?<!\r)\r+)$`);

/**
 * Converts the pieces of a log for the output. A terminal gets colours but no other control characters; a pipe gets the
 * bytes unchanged. Characters and colours may be cut between two pieces.
 */
export class LogConverter {
  private readonly decoder = new TextDecoder();
  private beginning = '';

  constructor(private readonly isTerminal = process.stdout.isTTY) {}

  of(bytes: Uint8Array): Uint8Array | string {
    if (!this.isTerminal) return bytes;
    const text = this.beginning + this.decoder.decode(bytes, { stream: true });
    this.beginning = BEGUN.exec(text)?.[0] ?? '';
    return forTerminal(text.slice(0, text.length - this.beginning.length));
  }
}

/** @throws RefusedByService with advice, if there is no log, no attempt or no run */
async function withoutLog(service: Service, error: unknown, runId: number): Promise<never> {
  if (!(error instanceof RefusedByService) || error.status !== 404) throw error;
  const { status } = await readRun(service, runId);
  const advice =
    status === null
      ? `wait for it: proctor run log --follow ${runId}; why it waits: proctor run explain ${runId}`
      : `the run has ended; how: proctor run show ${runId}`;
  throw new RefusedByService(404, error.message, error.code, advice);
}
