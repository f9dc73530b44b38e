import { Injectable } from '@nestjs/common';
import { columnsOf } from '../kit/columns-of';
import { Database, type Statements } from '../kit/database';
import { arrayOf, type ColumnsOf, command, integer, statement, text } from '../kit/statement';
import { type Actor, audit } from '../people/audit-log';
import { PackageRow } from '../rows/package';

/** A source package that some run was requested for. */
export interface KnownPackage extends Pick<PackageRow, 'name' | 'backend' | 'removed'> {
  id: number;
}

/** A package whose runs use another backend than the default. */
interface OwnBackend extends Pick<PackageRow, 'name'> {
  backend: string;
}

/** The packages that some run was requested for. */
@Injectable()
export class Packages {
  constructor(private readonly database: Database) {}

  /**
   * Packages by name. A name that only private runs have named is listed only for the key of such a run.
   * @param keyId the key of the reader; null: the public
   * @param backends only packages with one of these; an empty name: without a backend; undefined: all
   */
  list(backends: string[] | undefined, keyId: number | null): Promise<KnownPackage[]> {
    return this.database.query(LIST, [keyId, backends ?? null]);
  }

  /**
   * Packages with their own backend, by name, including those that only private runs have named: for administrators.
   * @param after only names after this one; empty: from the first on
   */
  withBackend(limit: number, after: string): Promise<OwnBackend[]> {
    return this.database.query(WITH_BACKEND, [after, limit]);
  }

  /** The package's own backend, for administrators. @returns null if no run of the package was requested */
  async backendOf(name: string): Promise<{ backend: string | null } | null> {
    const [row] = await this.database.query(BACKEND_OF, [name]);
    return row ?? null;
  }

  /**
   * Sets the backend of a package.
   * @param backend null: the default of the deployment
   * @returns false if no run of the package was requested; nothing was changed then
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

  /** The backends of the packages with their own backend, by name. */
  async backends(): Promise<Map<string, string>> {
    const rows = await this.database.query(BACKENDS);
    return new Map(rows.map(({ name, backend }) => [name, backend!]));
  }
}

const BACKENDS = statement(
  columnsOf(PackageRow, 'name', 'backend'),
  'select name, backend from packages where backend is not null',
).asPrepared;

const WITH_BACKEND = statement(
  { name: text, backend: text.orNull.as<string>() } satisfies ColumnsOf<OwnBackend>,
  `select name, backend from packages where backend is not null and name > $1 order by name limit $2`,
);

const BACKEND = 'select backend from packages where name = $1';
const OWN_BACKEND = columnsOf(PackageRow, 'backend');
const BACKEND_OF = statement(OWN_BACKEND, BACKEND);
const LOCK_BACKEND = statement(OWN_BACKEND, `${BACKEND} for no key update`);
const SET_BACKEND = command('update packages set backend = $2 where name = $1');

const LIST = statement(
  { id: integer, ...columnsOf(PackageRow, 'name', 'backend', 'removed') } satisfies ColumnsOf<KnownPackage>,
  `
  select package_id as id, name, backend, removed from packages
  where (is_public or name in (select package from runs where api_key_id = $1 and is_private))
    and ($2::text[] is null or coalesce(backend, '') = any($2))
  order by name`,
);

/** A package of a run: known to all users, or only to the run's key. */
interface NamedPackage {
  package: string;
  isPrivate: boolean;
}

/**
 * Records new packages. It may wait for another transaction that records the same name, so it comes before
 * anything that others wait for; all transactions use the same order of names.
 */
export function rememberPackages(transaction: Statements, packages: NamedPackage[]): Promise<void> {
  return remember(transaction, REMEMBER, packages);
}

/** Adds requested packages: a removed public package counts as present again. */
export function rememberRequestedPackages(transaction: Statements, packages: NamedPackage[]): Promise<void> {
  return remember(transaction, REMEMBER_REQUESTED, packages);
}

async function remember(
  transaction: Statements,
  how: typeof REMEMBER,
  packages: NamedPackage[],
): Promise<void> {
  const isPublic = new Map<string, boolean>();
  for (const { package: name, isPrivate } of packages)
    isPublic.set(name, !isPrivate || isPublic.get(name) === true);
  await transaction.query(how, [arrayOf([...isPublic.keys()]), arrayOf([...isPublic.values()])]);
}

/**
 * Only names that change are written, so that no transaction waits for a name that is known. The ids of
 * public names, which all users see, rise in the order in which the names became public, whatever private
 * runs were requested.
 */
const rememberingUnless = (isAsItWas: string): ReturnType<typeof command> =>
  command(`
  insert into packages as p (package_id, name, is_public)
  select case when is_public then nextval((select pg_get_serial_sequence('packages', 'package_id')::regclass))
    else nextval('private_package_ids') end, name, is_public from unnest($1::text[], $2::boolean[]) as named(name, is_public)
  where not exists (
    select from packages known where known.name = named.name and (not named.is_public or ${isAsItWas}))
  order by name
  on conflict (name) do update set is_public = true, removed = false,
    package_id = case when p.is_public then p.package_id else excluded.package_id end
  where excluded.is_public and (not p.is_public or p.removed)`).asPrepared;

const REMEMBER = rememberingUnless('known.is_public');
const REMEMBER_REQUESTED = rememberingUnless('known.is_public and not known.removed');
