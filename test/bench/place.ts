import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@proctor/database';
import { EmbeddedPostgres, findNatsServer, Home } from '@proctor/embedded';
import { Client } from 'pg';

const TEMPLATE = 'bench_template';

type Undo = () => Promise<void>;

/** What all rows share: one PostgreSQL with its default durability, one nats-server program, one folder. */
export class Place {
  private readonly opened = new Set<Undo>();

  private constructor(
    readonly folder: string,
    readonly natsBinary: string,
    readonly postgres: EmbeddedPostgres,
    /** Each size is a small one, which shows that the bench works and says nothing of speed. */
    readonly isQuick: boolean,
  ) {}

  static async open({ isQuick }: { isQuick: boolean }): Promise<Place> {
    const home = await Home.findHome(process.env, process.cwd());
    const { path } = await findNatsServer(home.natsPackage, (line) => console.error(line));
    const folder = await mkdtemp(join(tmpdir(), 'proctor-bench-'));
    // The server runs as another user when the bench runs as root.
    await chmod(folder, 0o711);
    const postgres = new EmbeddedPostgres({
      folder: join(folder, 'postgresql'),
      passwordFile: join(folder, 'password'),
      // Statements are counted; each row opens connections of its own.
      settings: { max_connections: '300', shared_preload_libraries: 'pg_stat_statements' },
    });
    const place = new Place(folder, path, postgres, isQuick);
    try {
      await postgres.start();
      await place.onServer((server) => server.query(`create database ${TEMPLATE}`));
      await migrate(place.urlOf(TEMPLATE));
      await onDatabase(place.urlOf(TEMPLATE), (client) =>
        client.query('create extension pg_stat_statements'),
      );
    } catch (error) {
      await place.close();
      throw error;
    }
    return place;
  }

  /** Has something undone after the row, should the row not do so itself. @returns what the row calls when it does */
  undoing(undo: Undo): Undo {
    const once = async (): Promise<void> => {
      if (this.opened.delete(once)) await undo();
    };
    this.opened.add(once);
    return once;
  }

  /** What a row that failed has left, the latest first. */
  async undoLeftovers(): Promise<void> {
    for (const undo of [...this.opened].reverse()) await undo();
  }

  size(full: number, quick: number): number {
    return this.isQuick ? quick : full;
  }

  /** A new database with the present schema. */
  async database(): Promise<{ url: string; drop: () => Promise<void> }> {
    const name = `bench_${randomUUID().replaceAll('-', '')}`;
    await this.onServer((server) => server.query(`create database ${name} template ${TEMPLATE}`));
    const drop = () => this.onServer((server) => server.query(`drop database ${name} with (force)`));
    return { url: this.urlOf(name), drop: this.undoing(drop) };
  }

  /** A new folder below the place's own. */
  async newFolder(name: string): Promise<string> {
    const folder = join(this.folder, `${name}-${randomUUID().slice(0, 8)}`);
    await mkdir(folder);
    await chmod(folder, 0o711);
    return folder;
  }

  async close(): Promise<void> {
    await this.undoLeftovers();
    await this.postgres.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private onServer(work: (server: Client) => Promise<unknown>): Promise<void> {
    return onDatabase(this.postgres.url, work);
  }

  private urlOf(database: string): string {
    const url = new URL(this.postgres.url);
    url.pathname = `/${database}`;
    return url.href;
  }
}

async function onDatabase(url: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
