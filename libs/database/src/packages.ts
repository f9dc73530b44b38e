import { Injectable } from '@nestjs/common';
import { Database } from './database';
import { boolean, type ColumnsOf, integer, statement, text } from './statement';

/** A source package of which a run was requested. */
export interface KnownPackage {
  id: number;
  name: string;
  /** Null: the deployment's default. */
  backend: string | null;
  removed: boolean;
}

/** The packages that runs were requested of. */
@Injectable()
export class Packages {
  constructor(private readonly database: Database) {}

  /**
   * By name. A name that only private runs made known is listed for the key of one of them alone.
   * @param backend those with this backend; empty: those with none; undefined: all
   * @throws DatabaseUnavailable
   */
  list(backend: string | undefined, viewer: { keyId: number }): Promise<KnownPackage[]> {
    return this.database.query(LIST, [viewer.keyId, backend ?? null]);
  }

  /**
   * The backends of the packages that have one of their own, by name.
   * @throws DatabaseUnavailable
   */
  async backends(): Promise<Map<string, string>> {
    const rows = await this.database.query(BACKENDS);
    return new Map(rows.map(({ name, backend }) => [name, backend!]));
  }
}

const BACKENDS = statement(
  { name: text, backend: text.orNull },
  'select name, backend from packages where backend is not null',
).prepared;

const LIST = statement(
  { id: integer, name: text, backend: text.orNull, removed: boolean } satisfies ColumnsOf<KnownPackage>,
  `
  select package_id as id, name, backend, removed from packages
  where (is_public or name in (select package from runs where api_key_id = $1 and is_private))
    and ($2::text is null or coalesce(backend, '') = $2)
  order by name`,
);
