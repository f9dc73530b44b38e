import { removeAmbient } from '@proctor/surroundings';
import { Client } from 'pg';

/** Who the primary is, is asked again after so long: connections that are made together ask once. */
const KNOWN_MS = 1_000;
/** After the first primary has answered, another one may: one that was promoted while the first could not be reached. */
const OTHERS_MS = 200;

/** For each server to say whether it is the primary, where nothing else limits that. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Scheme, user and password; hosts with ports, separated by commas; the rest. */
const ADDRESS = /^([a-z]+:\/\/(?:[^@/?]*@)?)([^@/?][^@/?,]*,[^@/?]+)([/?].*)?$/i;

/**
 * SQL: since when the server has forgotten nothing. After a crash it gives the ids of transactions again whose commits had not
 * reached its disk. A crash of one of its processes alone does not change when it was started; but the server drops its
 * statistics whenever it recovers from a crash, and knows since when it has new ones.
 */
export const UP_SINCE = 'greatest(pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time())';

/** The timeline is higher with each promotion; a standby has none. */
const TIMELINE = `
  select case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`;

/**
 * The servers that the address of a database names, as libpq has it: `postgres://user@one:5432,two:5432/name`. One of several
 * is the primary, which others may become: connections are made to the one that is.
 */
export class Servers {
  private asked: { atMs: number; answer: Promise<URL> } | null = null;

  private constructor(
    readonly text: string,
    /** One of each server. */
    readonly urls: readonly string[],
  ) {}

  /** Every connection begins here: from now on its address alone says how it is made. */
  static of(text: string): Servers {
    removeAmbient('postgres');
    const [, before = '', hosts, after = ''] = ADDRESS.exec(text) ?? [];
    return new Servers(
      text,
      hosts === undefined ? [text] : hosts.split(',').map((host) => `${before}${host}${after}`),
    );
  }

  /** Address of the one that connections are made to. @throws as primary */
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

  /** @throws ETIMEDOUT when no server says within the time that it is the primary */
  async primary(timeoutMs: number): Promise<{ host: string; port: number }> {
    const { hostname, port } = await this.primaryUrl(timeoutMs);
    return { host: hostname.replace(/^\[(.+)\]$/, '$1'), port: Number(port || 5432) };
  }

  /** Its own address. @throws as primary */
  primaryUrl(timeoutMs: number): Promise<URL> {
    const now = performance.now();
    if (this.asked !== null && now - this.asked.atMs < KNOWN_MS) return this.asked.answer;
    const asked = (this.asked = { atMs: now, answer: this.findPrimary(timeoutMs) });
    // One may be promoted at the next moment.
    asked.answer.catch(() => {
      if (this.asked === asked) this.asked = null;
    });
    return asked.answer;
  }

  /** It was found and is away now: another one may be promoted. */
  searchAgain(): void {
    this.asked = null;
  }

  private async findPrimary(timeoutMs: number): Promise<URL> {
    const found: { url: string; timeline: string }[] = [];
    let others: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      let open = this.urls.length;
      for (const url of this.urls)
        void timelineOf(url, timeoutMs).then((timeline) => {
          if (timeline !== null) found.push({ url, timeline });
          open -= 1;
          if (open === 0) resolve();
          else if (found.length === 1) others = setTimeout(resolve, OTHERS_MS);
        });
    });
    clearTimeout(others);
    const [latest] = found.sort((a, b) => (a.timeline < b.timeline ? 1 : -1));
    if (latest) return new URL(latest.url);
    const error = new Error(
      `none of the ${this.urls.length} servers of the database is a primary that answers`,
    );
    throw Object.assign(error, { code: 'ETIMEDOUT' });
  }
}

/** Null of a standby, and of a server that does not answer. */
async function timelineOf(url: string, timeoutMs: number): Promise<string | null> {
  const client = new Client({
    connectionString: url,
    application_name: 'proctor primary search',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  // What breaks the connection fails the question too.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ timeline: string | null }>(TIMELINE);
    return rows[0]?.timeline ?? null;
  } catch {
    // It is away, starts, or does not let us in; a server that does answers in its place.
    return null;
  } finally {
    void client.end().catch(() => undefined);
  }
}
