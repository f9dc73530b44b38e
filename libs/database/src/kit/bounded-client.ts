import { Client, type ClientConfig } from 'pg';
import type { Duplex } from 'node:stream';
import type { EventEmitter } from 'node:events';
import { Servers } from './servers';
import type { Statement } from './statement';
import { isPlanOutdated } from './unavailable';

/** The options of a connection, from a pool or from other code that creates one. */
export interface BoundedClientOptions extends ClientConfig {
  /** Milliseconds. */
  answerTimeoutMs: number;
  /** Shared by the connections of a pool. */
  plans?: Plans;
  /** Shared by the connections of a pool; by default the servers of `connectionString`. */
  servers?: Servers;
}

/**
 * The number of times that prepared plans became useless because a migration changed the type of a column that they
 * return. It is a part of the names of prepared statements, so each statement is prepared again.
 */
export class Plans {
  generation = 0;
}

/** An answer took too long. The code is the same as for a lost connection. */
class AnswerTimeout extends Error {
  readonly code = 'ETIMEDOUT';

  constructor(limitMs: number) {
    super(`no answer within ${Math.round(limitMs)} ms`);
  }
}

/** The part of pg's client that is bounded here: its own type has a dozen overloads of each. */
type Unbounded = new (options: ClientConfig) => EventEmitter & {
  readonly connection: { readonly stream: Duplex };
  host: string;
  port: number;
  readonly getTransactionStatus: () => string | null;
  connect(...callback: unknown[]): unknown;
  query(...query: unknown[]): unknown;
  end(...callback: unknown[]): unknown;
};

export const noLimit = (): number => Infinity;

/** After this time an orderly end is given up and the connection is closed, milliseconds. */
const END_TIMEOUT_MS = 500;

/**
 * A connection that answers each statement in time or is closed. With pg's own limit the connection would
 * still wait for the old answer, and TypeORM would return it to the pool in that state. When a connection is
 * closed, all calls that wait for it fail, a rollback too, and every pool removes it.
 */
export class BoundedClient extends (Client as unknown as Unbounded) {
  /** Identifies the server, and differs between it and its restored copy; null while it is unknown. */
  server: string | null = null;
  /** The remaining time of the present user of the connection, in milliseconds; no statement waits longer. */
  leftMs: () => number = noLimit;
  readonly plans: Plans;
  private readonly answerTimeoutMs: number;
  private readonly connectTimeoutMs: number;
  /** The servers among which the primary is searched; null if the options name only one server. */
  private readonly servers: Servers | null;
  /** The stream whose writes are gathered until the end of this turn of the event loop. */
  private gathering: Duplex | null = null;

  constructor(options: BoundedClientOptions) {
    // A statement goes out at once, also when earlier ones are not answered.
    const { connectionString } = options;
    const servers = options.servers ?? (connectionString === undefined ? null : Servers.of(connectionString));
    super({
      ...options,
      ...(connectionString !== undefined && servers && { connectionString: servers.first }),
      pipeline: true,
    });
    this.servers = servers?.isSingle === false ? servers : null;
    this.answerTimeoutMs = options.answerTimeoutMs;
    this.connectTimeoutMs = options.connectionTimeoutMillis || options.answerTimeoutMs;
    this.plans = options.plans ?? new Plans();
  }

  /** Connects to the primary, if there are several servers. */
  override connect(...callback: [((error?: unknown) => void)?]): Promise<unknown> {
    const [whenConnected] = callback;
    const connected = this.connectToPrimary();
    if (whenConnected) connected.then(() => whenConnected(), whenConnected);
    return whenConnected ? Promise.resolve() : connected;
  }

  private async connectToPrimary(): Promise<void> {
    if (this.servers) Object.assign(this, await this.servers.primary(this.connectTimeoutMs));
    try {
      await (super.connect() as Promise<unknown>);
    } catch (error) {
      this.servers?.searchAgain();
      throw error;
    }
  }

  override query(...query: unknown[]): unknown {
    this.gather();
    const limitMs = Math.max(0, Math.min(this.answerTimeoutMs, this.leftMs()));
    const timer = setTimeout(() => this.closeNow(new AnswerTimeout(limitMs)), limitMs);
    const stop = (): void => clearTimeout(timer);
    const callback = query.at(-1);
    if (typeof callback === 'function') {
      return super.query(...query.slice(0, -1), (...answer: unknown[]) => {
        stop();
        (callback as (...answer: unknown[]) => void)(...answer);
      });
    }
    const answer = super.query(...query) as Promise<unknown>;
    answer.then(stop, stop);
    return answer;
  }

  /** Statements that are sent together leave in one write. */
  private gather(): void {
    if (this.gathering !== null) return;
    const { stream } = this.connection;
    this.gathering = stream;
    stream.cork();
    process.nextTick(() => {
      this.gathering = null;
      stream.uncork();
    });
  }

  override end(...callback: unknown[]): unknown {
    const timer = setTimeout(() => void this.connection.stream.destroy(), END_TIMEOUT_MS).unref();
    this.once('end', () => clearTimeout(timer));
    return super.end(...callback);
  }

  /** Closes the connection at once; everything that waits for an answer fails. */
  closeNow(reason = new Error('Connection terminated')): void {
    this.connection.stream.destroy(reason);
  }
}

/** Executes a statement on the server. @throws the error of pg */
export async function rowsOf<Row>(
  client: BoundedClient,
  statement: Statement<Row>,
  parameters: unknown[] = [],
): Promise<Row[]> {
  const { generation } = client.plans;
  try {
    return await answer(client, statement, parameters);
  } catch (error) {
    if (!isPlanOutdated(error)) throw error;
    client.plans.generation = Math.max(client.plans.generation, generation + 1);
    // Nothing was executed. But a transaction is lost, and rows that it has read may be from before the migration.
    if (client.getTransactionStatus() !== 'I') throw error;
    return answer(client, statement, parameters);
  }
}

async function answer<Row>(
  client: BoundedClient,
  { name, text }: Statement<Row>,
  values: unknown[],
): Promise<Row[]> {
  const { generation } = client.plans;
  const query = name === null ? { text, values } : { name: `${name}_${generation}`, text, values };
  return ((await client.query(query)) as { rows: Row[] }).rows;
}
