import { growingPauseMs, scatterPause } from '@proctor/pauses';

/** Lines that have come, as the server has made HTML of them. */
export interface ReceivedLines {
  /** The number of the first; what is here of it is replaced. */
  from: number;
  /** Of the log until now. */
  lines: number;
  html: string;
  /** Null: it has not changed. */
  outline: string | null;
}

export interface LogHandlers {
  lines(added: ReceivedLines): void;
  /** Something is said of the log, or of the connection; empty: nothing more. */
  notice(text: string): void;
  connection(text: string): void;
  /** The log is complete: the page is to be loaded again. */
  end(): void;
}

/** When it is tried again, should the answer not say: the first time, and at last. */
const AGAIN_MS = 5_000;
const AGAIN_MAX_MS = 60_000;
const LOST = 'The connection is lost; it is made again.';

/**
 * Follows a live log from a place on until it ends. While the page is hidden there is no connection; then it
 * goes on where it was.
 * @param place `OFFSET.LINE`, where the next line begins
 */
export function followLog(url: string, place: string, on: LogHandlers): void {
  let [next, source, timer, refusals] = [place, null as EventSource | null, 0, 0];

  const close = (): void => {
    source?.close();
    source = null;
    clearTimeout(timer);
  };
  const stop = (): void => {
    close();
    document.removeEventListener('visibilitychange', look);
  };
  const address = (): string => {
    const [offset, line] = next.split('.');
    return `${url}&offset=${offset}&line=${line}`;
  };
  const open = (): void => {
    close();
    source = new EventSource(address());
    source.addEventListener('open', () => on.connection(''));
    source.addEventListener('lines', (event: MessageEvent<string>) => {
      [next, refusals] = [event.lastEventId, 0];
      on.lines(JSON.parse(event.data) as ReceivedLines);
    });
    source.addEventListener('note', (event: MessageEvent<string>) => {
      on.notice((JSON.parse(event.data) as { text: string }).text);
    });
    for (const last of ['end', 'stale'])
      source.addEventListener(last, () => {
        stop();
        on.end();
      });
    source.addEventListener('error', () => {
      if (source?.readyState === EventSource.CLOSED) void askWhy();
      else on.connection(LOST);
    });
  };
  /** A refused stream does not say why; the same request does. */
  const askWhy = async (): Promise<void> => {
    close();
    const leave = new AbortController();
    try {
      const response = await fetch(address(), {
        headers: { Accept: 'application/problem+json' },
        signal: leave.signal,
      });
      if (response.ok) return again(null, LOST);
      const { detail } = (await response.json()) as { detail: string };
      if (response.status === 429 || response.status >= 500)
        again(1_000 * Number(response.headers.get('Retry-After')) || null, detail);
      else {
        stop();
        on.connection(detail);
      }
    } catch {
      again(null, LOST);
    } finally {
      leave.abort();
    }
  };
  const again = (askedMs: number | null, why: string): void => {
    const ms = Math.max(askedMs ?? 0, pauseAfter(++refusals));
    on.connection(why === LOST ? LOST : `${why} It is tried again.`);
    if (!document.hidden) timer = window.setTimeout(open, ms);
  };
  const look = (): void => {
    if (document.hidden) close();
    else if (!source) open();
  };

  document.addEventListener('visibilitychange', look);
  if (!document.hidden) open();
}

/** All who look at logs lose their streams when the api ends. */
function pauseAfter(refusals: number): number {
  return scatterPause(growingPauseMs(AGAIN_MS, AGAIN_MAX_MS, refusals), Math.random());
}
