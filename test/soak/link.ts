import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Transform, type TransformCallback } from 'node:stream';

const HOST = '127.0.0.1';

/** A way to a server that a fault can hold, swallow and slow down; the server itself is not touched. */
export class Link {
  private isHeld = false;
  /** The delay of each piece of an answer. */
  private delayMs = 0;
  private readonly connections = new Set<Connection>();
  private readonly server: Server;

  private constructor(target: URL) {
    this.server = createServer((incoming) => {
      const outgoing = connect(Number(target.port), target.hostname);
      const connection = new Connection(this, incoming, outgoing);
      this.connections.add(connection);
      void connection.ending.then(() => this.connections.delete(connection));
    });
  }

  /** @returns the link and the given address with the link's own port */
  static async to(address: string): Promise<{ link: Link; url: string }> {
    const link = new Link(new URL(address));
    const url = new URL(address);
    url.hostname = HOST;
    url.port = String(await link.listen());
    return { link, url: url.href };
  }

  /** Nothing arrives, in either direction and on new connections too, and neither side gets an error. */
  hold(): void {
    this.isHeld = true;
  }

  /** What was held arrives now, ends of connections included. */
  release(): void {
    this.isHeld = false;
    for (const connection of this.connections) connection.passWaiting();
  }

  /** Connections of this moment carry nothing ever again, and neither side gets an error; new ones work. */
  swallow(): void {
    for (const connection of this.connections) connection.isSwallowed = true;
  }

  /** Each piece of an answer arrives so much later; 0 ends it. */
  delayAnswers(ms: number): void {
    this.delayMs = ms;
  }

  /** Ends every connection and accepts no others. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      for (const connection of this.connections) connection.destroy();
    });
  }

  get passesNothing(): boolean {
    return this.isHeld;
  }

  get answersLateByMs(): number {
    return this.delayMs;
  }

  private listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(0, HOST, () => resolve((this.server.address() as AddressInfo).port));
    });
  }
}

/** Two sockets and what passes between them. */
class Connection {
  isSwallowed = false;
  readonly ending: Promise<void>;
  private waiting: (() => void)[] = [];

  constructor(
    private readonly link: Link,
    private readonly incoming: Socket,
    private readonly outgoing: Socket,
  ) {
    // This is for broken connections: both ends report them to the test.
    for (const socket of [incoming, outgoing]) socket.on('error', () => undefined);
    incoming.pipe(new Gate((pass) => this.pass(pass))).pipe(outgoing);
    outgoing.pipe(new Gate((pass) => this.passLater(pass))).pipe(incoming);
    incoming.on('close', () => this.pass(() => outgoing.destroy()));
    outgoing.on('close', () => this.pass(() => incoming.destroy()));
    const closed = (socket: Socket) => new Promise<void>((resolve) => socket.on('close', () => resolve()));
    this.ending = Promise.all([closed(incoming), closed(outgoing)]).then(() => undefined);
  }

  passWaiting(): void {
    for (const pass of this.waiting.splice(0)) this.pass(pass);
  }

  destroy(): void {
    this.incoming.destroy();
    this.outgoing.destroy();
  }

  private pass(pass: () => void): void {
    if (this.link.passesNothing || this.isSwallowed) this.waiting.push(pass);
    else pass();
  }

  private passLater(pass: () => void): void {
    const { answersLateByMs } = this.link;
    if (answersLateByMs > 0) setTimeout(() => this.pass(pass), answersLateByMs);
    else this.pass(pass);
  }
}

/** Lets each piece through on command. */
class Gate extends Transform {
  constructor(private readonly whenOpen: (pass: () => void) => void) {
    super();
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    this.whenOpen(() => callback(null, piece));
  }

  override _flush(callback: TransformCallback): void {
    this.whenOpen(() => callback());
  }
}
