import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@proctor/embedded';
import { connectTo } from '../support/database';
import { startReplica } from '../support/replica';
import { inTime } from './app';
import type { Stops } from './stops';

const STANDBY = 'standby';
const PROMOTION_MS = 30_000;

/** PostgreSQL: a primary, and a synchronous standby if there is to be one. */
export class Databases {
  /** The URL of one server that answers. */
  now: string;
  /** The URL of all servers, for clients that find the primary among them. */
  url: string;

  private constructor(
    private readonly folder: string,
    private readonly stops: Stops,
    private readonly primary: EmbeddedPostgres,
    private readonly standby: EmbeddedPostgres | null,
  ) {
    this.now = primary.url;
    this.url = primary.url;
    if (!standby) return;
    const { host } = new URL(primary.url);
    this.url = primary.url.replace(host, `${host},${new URL(standby.url).host}`);
  }

  /** @param fill makes the schema, before there is a standby */
  static async start(
    folder: string,
    stops: Stops,
    { standby: hasStandby }: { standby: boolean },
    fill: (url: string) => Promise<unknown>,
  ): Promise<Databases> {
    const primary = await startServer(folder, 'primary', stops);
    await fill(primary.url);
    if (!hasStandby) return new Databases(folder, stops, primary, null);
    const standby = serverIn(folder, 'replica');
    const replica = { folder: join(folder, 'replica'), server: standby };
    await stops.start(
      () => startReplica({ folder: join(folder, 'primary'), server: primary }, replica, STANDBY),
      () => standby.stop(),
    );
    await setSynchronous(primary.url, STANDBY);
    return new Databases(folder, stops, primary, standby);
  }

  /** The primary dies, the standby is promoted. @returns milliseconds until it was */
  async failOver(): Promise<number> {
    const begin = performance.now();
    this.primary.kill('SIGQUIT');
    await this.primary.whenEnded;
    const { url } = this.standby!;
    await setSynchronous(url, '');
    const client = await connectTo(url);
    await inTime(client.query('select pg_promote()'), PROMOTION_MS, 'the standby was not promoted');
    await client.end();
    this.now = url;
    return performance.now() - begin;
  }

  /** All servers die, with what they had; an empty one takes their place. */
  async lose(): Promise<void> {
    for (const server of [this.primary, this.standby]) {
      server?.kill('SIGQUIT');
      await server?.whenEnded;
    }
    for (const name of ['primary', 'replica'])
      await rm(join(this.folder, name), { recursive: true, force: true });
    const { url } = await startServer(this.folder, 'another', this.stops);
    [this.now, this.url] = [url, url];
  }
}

function serverIn(folder: string, name: string): EmbeddedPostgres {
  const passwordFile = join(folder, 'postgres-password');
  return new EmbeddedPostgres({ folder: join(folder, name), passwordFile });
}

async function startServer(folder: string, name: string, stops: Stops): Promise<EmbeddedPostgres> {
  const server = serverIn(folder, name);
  await stops.start(
    () => server.start(),
    () => server.stop(),
  );
  return server;
}

/** @param standbys in the format of PostgreSQL's setting; empty: commits wait for none */
async function setSynchronous(url: string, standbys: string): Promise<void> {
  const client = await connectTo(url);
  await client.query(`alter system set synchronous_standby_names = '${standbys}'`);
  await client.query('select pg_reload_conf()');
  await client.end();
}
