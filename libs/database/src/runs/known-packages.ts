import type { Statements } from '../kit/database';
import { arrayOf, command } from '../kit/statement';

/** A package that a run makes known: to all users, or to its key only. */
export interface NamedPackage {
  package: string;
  isPrivate: boolean;
}

/**
 * Writes down the packages that are new. It may wait for another transaction that writes down the same name, so it
 * comes before anything that others wait for; all take the names in one order.
 */
export function rememberPackages(transaction: Statements, named: NamedPackage[]): Promise<void> {
  return remember(transaction, REMEMBER, named);
}

/** The same of packages that somebody asks for: one that was removed, and is public, is there again. */
export function rememberRequested(transaction: Statements, named: NamedPackage[]): Promise<void> {
  return remember(transaction, REMEMBER_REQUESTED, named);
}

async function remember(transaction: Statements, how: typeof REMEMBER, named: NamedPackage[]): Promise<void> {
  const isPublic = new Map<string, boolean>();
  for (const { package: name, isPrivate } of named)
    isPublic.set(name, !isPrivate || isPublic.get(name) === true);
  await transaction.query(how, [arrayOf([...isPublic.keys()]), arrayOf([...isPublic.values()])]);
}

/**
 * Only names that change anything are touched, so that no transaction waits for a name that is known. The ids of public names, which
 * all users see, rise in the order in which the names became public, whatever private runs were requested.
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
  where excluded.is_public and (not p.is_public or p.removed)`).prepared;

const REMEMBER = rememberingUnless('known.is_public');
const REMEMBER_REQUESTED = rememberingUnless('known.is_public and not known.removed');
