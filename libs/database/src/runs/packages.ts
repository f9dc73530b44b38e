import { Injectable } from '@nestjs/common';
import { type Actor, audit } from '../people/audit-log';
import { Database } from '../kit/database';
import { boolean, type ColumnsOf, command, integer, statement, text } from '../kit/statement';

/** A source package of which a run was requested. */
export interface KnownPackage {
  id: number;
  name: string;
  /** Null: the deployment's default. */
  backend: string | null;
  removed: boolean;
}

/** A package whose runs are executed elsewhere than those of others. */
export interface OwnBackend {
  name: string;
  backend: string;
}

/** The packages that runs were requested of. */
@Injectable()
export class Packages {
  constructor(private readonly database: Database) {}

  /**
   * By name. A name that only private runs made known is listed for the key of one of them alone.
   * @param keyId whose key asks; null: everybody
   * @param backends those with one of these; an empty name: those with none; undefined: all
   * @throws DatabaseUnavailable
   */
  list(backends: string[] | undefined, keyId: number | null): Promise<KnownPackage[]> {
    return this.database.query(LIST, [keyId, backends ?? null]);
  }

  /**
   * Packages that have a backend of their own, by name, those too that only private runs made known: for administrators.
   * @param after only names behind this one; empty: from the first on
   * @throws DatabaseUnavailable
   */
  withBackend(limit: number, after: string): Promise<OwnBackend[]> {
    return this.database.query(WITH_BACKEND, [after, limit]);
  }

  /**
   * The package's own backend, for administrators.
   * @returns null when no run of it was requested
   * @throws DatabaseUnavailable
   */
  async backendOf(name: string): Promise<{ backend: string | null } | null> {
    const [found] = await this.database.query(BACKEND_OF, [name]);
    return found ?? null;
  }

  /**
   * @param backend null: the deployment's default
   * @returns false when no run of such a package was requested: nothing was changed
   * @throws DatabaseUnavailable
   */
  setBackend(name: string, backend: string | null, by: Actor): Promise<boolean> {
    return this.database.transaction(async (transaction) => {
      const [before] = await transaction.query(LOCK_BACKEND, [name]);
      if (!before) return false;
      if (before.backend === backend) return true;
      await transaction.query(SET_BACKEND, [name, backend]);
      const detail = `${before.backend ?? 'the default'} → ${backend ?? 'the default'}`;
      await audit(transaction, by, { action: 'backend-changed', subject: `package ${name}`, detail });
      return true;
    });
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

const WITH_BACKEND = statement(
  { name: text, backend: text.orNull.as<string>() } satisfies ColumnsOf<OwnBackend>,
  `select name, backend from packages where backend is not null and name > $1 order by name limit $2`,
);

const BACKEND = 'select backend from packages where name = $1';
const BACKEND_OF = statement({ backend: text.orNull }, BACKEND);
const LOCK_BACKEND = statement({ backend: text.orNull }, `${BACKEND} for no key update`);
const SET_BACKEND = command('update packages set backend = $2 where name = $1');

const LIST = statement(
  { id: integer, name: text, backend: text.orNull, removed: boolean } satisfies ColumnsOf<KnownPackage>,
  `
  select package_id as id, name, backend, removed from packages
  where (is_public or name in (select package from runs where api_key_id = $1 and is_private))
    and ($2::text[] is null or coalesce(backend, '') = any($2))
  order by name`,
);
