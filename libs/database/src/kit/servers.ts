import { removeAmbient } from '@proctor/surroundings';
import { Client } from 'pg';

/** How long a found primary is remembered. Connections that are opened together share one search. */
const KNOWN_MS = 1_000;
/**
 * How long the search waits for other servers after the first primary has answered: another server may have been
 * promoted while the first was unreachable.
 */
const OTHERS_MS = 200;

/** The time for each server to answer whether it is the primary, if the caller sets no limit. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Three groups: scheme, user and password; hosts with ports, separated by commas; the rest. */
const ADDRESS = /^([a-z]+:\/\/(?:[^@/?]*@)?)([^@/?][^@/?,]*,[^@/?]+)([/?].*)?$/i;

/**
 * SQL: the time since when the server has forgotten nothing. After a crash it gives out again the ids of transactions
 * whose commits had not reached its disk. If only one of its processes crashes, its start time does not change. But
 * the server drops its statistics when it recovers from any crash, and knows since when it has new ones.
 */
export const UP_SINCE = 'greatest(pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time())';

/** The timeline rises with each promotion; a standby has none. */
const TIMELINE = `
  select case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`;

/**
 * The servers that the address of a database names, in the form of libpq: `postgres://user@one:5432,two:5432/name`.
 * One of several servers is the primary, and others may become it: connections are opened to the present primary.
 */
export class Servers {
  private search: { atMs: number; answer: Promise<URL> } | null = null;

  private constructor(
    readonly text: string,
    /** The address of each server. */
    readonly urls: readonly string[],
  ) {}

  /**
   * Parses an address. All connections start here: environment variables of libpq are removed, so that only the
   * address matters.
   */
  static of(text: string): Servers {
    removeAmbient('postgres');
    const [, before = '', hosts, after = ''] = ADDRESS.exec(text) ?? [];
    return new Servers(
      text,
      hosts === undefined ? [text] : hosts.split(',').map((host) => `${before}${host}${after}`),
    );
  }

  /** The address of the primary, or the address itself if it names one server. @throws as `primary` */
  static async primaryOf(text: string): Promise<string> {
    const servers = Servers.of(text);
    return servers.isSingle ? text : String(await servers.primaryUrl(CONNECT_TIMEOUT_MS));
  }

  get isSingle(): boolean {
    return this.urls.length === 1;
  }

  get first(): string {
    return this.urls[0]!;
  }

  /**
   * The host and port of the primary.
   * @throws an error with code ETIMEDOUT if no server answers in time that it is the primary
   */
  async primary(timeoutMs: number): Promise<{ host: string; port: number }> {
    const { hostname, port } = await this.primaryUrl(timeoutMs);
    return { host: hostname.replace(/^\[(.+)\]$/, '$1'), port: Number(port || 5432) };
  }

  /** The address of the primary. @throws as `primary` */
  primaryUrl(timeoutMs: number): Promise<URL> {
    const now = performance.now();
    if (this.search !== null && now - this.search.atMs < KNOWN_MS) return this.search.answer;
    const search = (this.search = { atMs: now, answer: this.findPrimary(timeoutMs) });
    // A server may be promoted at the next moment.
    search.answer.catch(() => {
      if (this.search === search) this.search = null;
    });
    return search.answer;
  }

  /** Forgets the primary, because it is unavailable now: another server may be promoted. */
  searchAgain(): void {
    this.search = null;
  }

  private async findPrimary(timeoutMs: number): Promise<URL> {
    const primaries: { url: string; timeline: string }[] = [];
    let others: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      let open = this.urls.length;
      for (const url of this.urls)
        void timelineOf(url, timeoutMs).then((timeline) => {
          if (timeline !== null) primaries.push({ url, timeline });
          open -= 1;
          if (open === 0) resolve();
          else if (primaries.length === 1) others = setTimeout(resolve, OTHERS_MS);
        });
    });
    clearTimeout(others);
    const [latest] = primaries.sort((a, b) => (a.timeline < b.timeline ? 1 : -1));
    if (latest) return new URL(latest.url);
    const error = new Error(
      `none of the ${this.urls.length} servers of the database is a primary that answers`,
    );
    throw Object.assign(error, { code: 'ETIMEDOUT' });
  }
}

/** @returns null for a standby, and for a server that does not answer */
async function timelineOf(url: string, timeoutMs: number): Promise<string | null> {
  const client = new Client({
    connectionString: url,
    application_name: 'proctor primary search',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  // If the connection breaks, the query fails too.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ timeline: string | null }>(TIMELINE);
    return rows[0]?.timeline ?? null;
  } catch {
    // The server is unavailable, is starting or refuses the connection; the others are asked as well.
    return null;
  } finally {
    void client.end().catch(() => undefined);
  }
}
