import { join } from 'node:path';
import { isWord } from '@proctor/contracts';
import { COMMAND_LINE, ImportConflict, type Imports } from '@proctor/database';
import { EXIT, Failure } from '../failure';
import { printNotice } from '../output/print';
import { FieldFault, Table, type TableRow } from './csv-table';

const DEBCI = 'debci';

const SHA1 = /^[0-9a-f]{40}$/;
const INTEGER_MAX = 2 ** 31 - 1;

/** Finds the owner of a run by the ids of debci. */
export interface DebciPeople {
  /** @param foreignId debci's id of the requestor; null if unknown */
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

/** Reads and checks users and keys; nothing is written yet. */
export async function readDebciPeople(folder: string): Promise<{ users: DebciUser[]; keys: DebciKey[] }> {
  const users = await new Table(join(folder, 'users.csv'), ['id', 'username']).all(debciUser);
  const keyTable = new Table(join(folder, 'keys.csv'), ['id', 'encrypted_key', 'user_id']);
  const userIds = new Set(users.map(({ id }) => id));
  const keys = await keyTable.all((row) => {
    const key = debciKey(row);
    if (!userIds.has(key.userId)) throw new FieldFault('user_id', key.userId, 'be a user of users.csv');
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
  /** The address of the login provider that gave the users their ids. */
  issuer?: string;
  /** If true, users with the same name are the same people. */
  sameUsers?: boolean;
}

/**
 * Creates users and keys. debci may have several users with the same name: here they become one user with the keys of
 * all. A result belongs to a key, but debci did not record which: it gets the first key of the user.
 * @throws Failure if another user has one of the names here
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
    const person = { ...user, foreignId: user.id, identity };
    const isSame = sameUsers || byName.has(user.name);
    const userId = await imports.addUser(DEBCI, person, isSame, COMMAND_LINE).catch((error: unknown) => {
      if (!(error instanceof ImportConflict)) throw error;
      const advice = 'If that is the same person, use --same-users; else rename one of them.';
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

/** The owner of jobs whose requestor no longer exists. */
async function unknownOwner(imports: Imports): Promise<{ userId: number; keyId: number }> {
  const user = { foreignId: 'unknown', name: 'debci-unknown', isAdmin: false, createdAt: new Date() };
  const userId = await imports.addUser(DEBCI, { ...user, identity: null }, true, COMMAND_LINE);
  const key = { foreignId: 'unknown', userId, name: 'results of debci', sha1: null, createdAt: new Date() };
  return { userId, keyId: await imports.addKey(DEBCI, key) };
}
