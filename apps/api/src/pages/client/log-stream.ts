import { growingPauseMs, scatterPause } from '@proctor/pauses';

/** New lines, as HTML from the server. */
export interface ReceivedLines {
  /** The number of the first line. It replaces this line and all later lines of the page. */
  from: number;
  /** The number of lines of the log so far. */
  lines: number;
  html: string;
  /** Null when the outline has not changed. */
  outline: string | null;
}

interface LogHandlers {
  lines(added: ReceivedLines): void;
  /** Shows a message about the log or the connection; an empty text removes it. */
  notice(text: string): void;
  connection(text: string): void;
  /** The log is complete, so the page must be loaded again. */
  end(): void;
}

/** The first and the longest pause before a new try, when the server does not name one. */
const AGAIN_MS = 5_000;
const AGAIN_MAX_MS = 60_000;
const LOST = 'The connection was lost. Connecting again.';

/**
 * Follows a live log until it ends. While the page is hidden there is no connection; when it is visible again, the
 * stream continues at the same place.
 * @param place `OFFSET.LINE`, the beginning of the next line
 * @returns a function that stops it
 */
export function followLog(url: string, place: string, on: LogHandlers): () => void {
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
    source.addEventListener('error', () =>
      source?.readyState === EventSource.CLOSED ? void askWhy() : on.connection(LOST),
    );
  };
  /** Finds out why a stream was refused: an event stream hides the reason, a normal request shows it. */
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
  return stop;
}

/** A random pause: when the api ends, all open log pages reconnect. */
function pauseAfter(refusals: number): number {
  return scatterPause(growingPauseMs(AGAIN_MS, AGAIN_MAX_MS, refusals), Math.random());
}
