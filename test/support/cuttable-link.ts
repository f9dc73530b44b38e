import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** A way to a server that a test can cut and mend; the server itself is not touched. */
export interface CuttableLink {
  /** The given address with the link's own host and port. */
  url: string;
  /** Connections break and new ones are refused, until mended. */
  cut(): Promise<void>;
  mend(): Promise<void>;
  /** Bytes of every connection vanish without an error; new connections are made, and just as silent. Until `clear`. */
  swallow(): void;
  /** The answer to whatever holds these bytes is lost, and all that comes after it on its connection. Until `clear`. */
  loseAnswersTo(words: string): void;
  /** Whatever holds these bytes is lost, and all that comes after it on its connection. Until `clear`. */
  lose(words: string): void;
  /** These bytes reach the server as others, as many. Until `clear`. */
  garble(words: string): void;
  /** Each answer of PostgreSQL takes so many milliseconds longer, however many pieces it comes in. Until `clear`. */
  slow(ms: number): void;
  /** Connections that have lost something stay silent, as they do when a router has forgotten them. */
  clear(): void;
}

/** `host`: the address of this machine that the link listens at. */
export async function linkTo(url: string, host = '127.0.0.1'): Promise<CuttableLink> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // This is for broken connections: both ends report them to the test.
    socket.on('error', () => undefined);
    return socket;
  };
  let isSwallowing = false;
  let unanswered: string | null = null;
  let lostWords: string | null = null;
  let garbled: string | null = null;
  let slowMs = 0;
  const server = createServer((incoming) => {
    const outgoing = keep(connect(Number(target.port), target.hostname));
    let isSilent = false;
    let losesAnswers = false;
    const there = passing((chunk) => {
      isSilent ||= isSwallowing || (lostWords !== null && chunk.includes(lostWords));
      losesAnswers ||= unanswered !== null && chunk.includes(unanswered);
      return !isSilent;
    });
    const back = passing(
      () => {
        isSilent ||= isSwallowing;
        return !isSilent && !losesAnswers;
      },
      () => slowMs,
    );
    const transform = new Transform({
      transform: (chunk: Buffer, _, callback) => {
        const at = garbled === null ? -1 : chunk.indexOf(garbled);
        callback(null, at === -1 ? chunk : Buffer.from(chunk).fill('x', at, at + garbled!.length));
      },
    });
    keep(incoming).pipe(there).pipe(transform).pipe(outgoing).pipe(back).pipe(incoming);
    incoming.on('close', () => outgoing.destroy());
    outgoing.on('close', () => incoming.destroy());
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, host, resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const link = new URL(url);
  link.hostname = host;
  link.port = String(port);
  return {
    url: link.href,
    cut: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
    mend: () => listen(port),
    swallow: () => void (isSwallowing = true),
    loseAnswersTo: (words) => void (unanswered = words),
    lose: (words) => void (lostWords = words),
    garble: (words) => void (garbled = words),
    slow: (ms) => void (slowMs = ms),
    clear: () => {
      isSwallowing = false;
      slowMs = 0;
      unanswered = lostWords = garbled = null;
    },
  };
}

/** The head of ReadyForQuery, which ends each answer; one byte follows. */
const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5]);

function passing(passes: (chunk: Buffer) => boolean, delayMs = () => 0): Transform {
  return new Transform({
    transform: (chunk: Buffer, _, callback) => {
      const pass = () => (passes(chunk) ? callback(null, chunk) : callback());
      const isEnd = chunk.subarray(-6, -1).equals(READY_FOR_QUERY);
      if (delayMs() === 0 || !isEnd) pass();
      else setTimeout(pass, delayMs());
    },
  });
}
