import { join } from 'node:path';
import { isWord } from '@proctor/contracts';
import { COMMAND_LINE, ImportConflict, type Imports } from '@proctor/database';
import { EXIT, Failure } from '../failure';
import { printNotice } from '../output/print';
import { FieldFault, Table, type TableRow } from './csv-table';

export const DEBCI = 'debci';

const SHA1 = /^[0-9a-f]{40}$/;
const INTEGER_MAX = 2 ** 31 - 1;

/** Whose runs are, by the ids of debci. */
export interface DebciPeople {
  /** @param foreignId of the requestor; null: unknown */
  ownerOf(foreignId: string | null, name: string | null): { userId: number; keyId: number };
}

interface DebciUser {
  id: string;
  name: string;
  uid: string | null;
  isAdmin: boolean;
  createdAt: Date;
  line: number;
}

interface DebciKey {
  id: string;
  userId: string;
  sha1: string;
  name: string;
  createdAt: Date;
}

/** What the rows say, judged: nothing is written yet. */
export async function readDebciPeople(folder: string): Promise<{ users: DebciUser[]; keys: DebciKey[] }> {
  const users = await new Table(join(folder, 'users.csv'), ['id', 'username']).all(debciUser);
  const keyTable = new Table(join(folder, 'keys.csv'), ['id', 'encrypted_key', 'user_id']);
  const known = new Set(users.map(({ id }) => id));
  const keys = await keyTable.all((row) => {
    const key = debciKey(row);
    if (!known.has(key.userId)) throw new FieldFault('user_id', key.userId, 'be a user of users.csv');
    return key;
  });
  return { users, keys };
}

function debciUser(row: TableRow): DebciUser {
  const name = row.requiredText('username');
  if (!isWord(name))
    throw new FieldFault('username', name, 'be letters, digits and + . _ - only, at most 100');
  return {
    id: String(row.integer('id', INTEGER_MAX)),
    name,
    uid: row.text('uid'),
    line: row.line,
    isAdmin: row.boolean('admin'),
    createdAt: row.time('created_at') ?? new Date(),
  };
}

function debciKey(row: TableRow): DebciKey {
  const sha1 = row.requiredText('encrypted_key');
  if (!SHA1.test(sha1)) throw new FieldFault('encrypted_key', sha1, 'be a SHA-1 in hex');
  const id = String(row.integer('id', INTEGER_MAX));
  return {
    id,
    userId: row.requiredText('user_id'),
    sha1,
    name: row.text('description') || `debci key ${id}`,
    createdAt: row.time('created_at') ?? new Date(),
  };
}

export interface PeopleOptions {
  /** Of the login provider whose ids the users' are. */
  issuer?: string;
  /** Users of the same name are the same people. */
  sameUsers?: boolean;
}

/**
 * Makes users and keys. debci may have several users of one name: they are one here, with the keys of all. Results belong to a key,
 * and debci did not note which: to the user's first.
 * @throws Failure when a name is another user's here
 */
export async function importDebciPeople(
  imports: Imports,
  { users, keys }: Awaited<ReturnType<typeof readDebciPeople>>,
  { issuer, sameUsers = false }: PeopleOptions,
): Promise<DebciPeople> {
  const ids = new Map<string, number>();
  const byName = new Map<string, number>();
  for (const user of users) {
    const identity = issuer !== undefined && user.uid ? { issuer, subject: user.uid } : null;
    const given = { ...user, foreignId: user.id, identity };
    const isSame = sameUsers || byName.has(user.name);
    const userId = await imports.addUser(DEBCI, given, isSame, COMMAND_LINE).catch((error: unknown) => {
      if (!(error instanceof ImportConflict)) throw error;
      const advice = 'If that is the same person, say --same-users; else rename one of them.';
      throw new Failure(`users.csv:${user.line}: username: ${error.message}`, EXIT.failed, advice);
    });
    ids.set(user.id, userId);
    byName.set(user.name, userId);
  }
  const owners = new Map<number, { userId: number; keyId: number }>();
  const several = new Set<number>();
  for (const { id, userId: foreignUser, sha1, name, createdAt } of keys) {
    const userId = ids.get(foreignUser)!;
    const keyId = await imports.addKey(DEBCI, { foreignId: id, userId, name, sha1, createdAt });
    if (owners.has(userId)) several.add(userId);
    else owners.set(userId, { userId, keyId });
  }
  for (const userId of new Set(ids.values())) {
    if (owners.has(userId)) continue;
    const key = { foreignId: `user-${userId}`, userId, name: 'results of debci', sha1: null };
    owners.set(userId, { userId, keyId: await imports.addKey(DEBCI, { ...key, createdAt: new Date() }) });
  }
  printNotice(`users: ${new Set(ids.values()).size}, keys: ${keys.length}`);
  for (const [name, userId] of byName)
    if (several.has(userId))
      printNotice(`${name} has several keys: results of before are read by the first of them`);
  const unknown = await unknownOwner(imports);
  return {
    ownerOf: (foreignId, name) => {
      const userId = (foreignId === null ? undefined : ids.get(foreignId)) ?? byName.get(name ?? '');
      return owners.get(userId ?? NaN) ?? unknown;
    },
  };
}

/** Of jobs whose requestor is gone. */
async function unknownOwner(imports: Imports): Promise<{ userId: number; keyId: number }> {
  const user = { foreignId: 'unknown', name: 'debci-unknown', isAdmin: false, createdAt: new Date() };
  const userId = await imports.addUser(DEBCI, { ...user, identity: null }, true, COMMAND_LINE);
  const key = { foreignId: 'unknown', userId, name: 'results of debci', sha1: null, createdAt: new Date() };
  return { userId, keyId: await imports.addKey(DEBCI, key) };
}
