import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { getMetadataStorage } from 'class-validator';
import * as contracts from '@proctor/contracts';
import {
  isOnSubject,
  MESSAGE_BYTES_MAX,
  REPORT_PATTERNS,
  REQUEST_BYTES_MAX,
  REQUEST_PATTERNS,
  requestKind,
  SUBJECTS,
} from '@proctor/contracts';
import { SHAPES } from '@test/end-to-end/api/loop/shapes';

/** A message that an attacker may send. */
export interface HostileMessage {
  name: string;
  payload: Buffer;
  headers?: MsgHdrs;
}

const HEADERS_MAX = 3_000;
/** Room for the subject and the headers of a message. */
const ROOM_BYTES = 512;

/**
 * All subjects that a worker may publish to, as the accounts of nats-server have them. A wildcard stands for
 * each word of the protocol that fits, and for an unknown one.
 */
export async function subjectsOfWorker(natsFolder: string, worker: string): Promise<string[]> {
  const text = await readFile(join(natsFolder, 'accounts.conf'), 'utf8');
  const accounts = JSON.parse(text.slice(text.indexOf('accounts: ') + 'accounts: '.length)) as Accounts;
  const [user] = accounts[`WORKER_${worker}`]!.users;
  return user!.permissions.publish.allow.flatMap(expanded);
}

type Accounts = Record<string, { users: { permissions: { publish: { allow: string[] } } }[] }>;

function expanded(allowed: string): string[] {
  const open = allowed.replace(/[*>]$/, '');
  const tokens = open.split('.').length - 1;
  const words = [...Object.values(REQUEST_PATTERNS), ...Object.values(REPORT_PATTERNS)]
    .filter((pattern) => isOnSubject(allowed, pattern.replace(/>$/, 'x')) || isLike(allowed, pattern))
    .map((pattern) => pattern.split('.').slice(tokens).join('.'));
  const ends = [...words, 'unknown', ...(allowed.endsWith('>') ? ['chunk.x', 'file.x', '1.1.1'] : [])];
  return [...new Set(ends)].map((end) => open + end.replace(/>$/, '1.1.1'));
}

/** The pattern begins as what is allowed does, its wildcards aside. */
function isLike(allowed: string, pattern: string): boolean {
  const own = allowed.split('.').slice(0, -1);
  const others = pattern.split('.');
  return own.every((token, at) => others[at] === token || others[at] === '*');
}

/** All subjects that services exchange, those of the architecture. */
export function subjectsOfServices(arch: string): string[] {
  return Object.values(SUBJECTS).map((subject) => subject.replace('*', arch));
}

/** All fields that a message may have. */
const FIELDS = Object.values(contracts)
  .filter((each): each is new () => object => typeof each === 'function' && each.prototype !== undefined)
  .flatMap((shape) => getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false))
  .map(({ propertyName }) => propertyName);

/** Each field with as many of a value as fill the bytes. */
function fieldsOf(bytes: number, value: string): string {
  const names = [...new Set(FIELDS)];
  const count = Math.max(1, Math.floor((bytes / names.length - 40) / (value.length + 1)));
  return `{${names.map((name) => `"${name}":[${Array<string>(count).fill(value).join(',')}]`).join(',')}}`;
}

/** Values that the fields of a message do not expect. */
const VALUES = ['{}', '[]', '1', '"x"', '{"name":{"a":[1]},"state":"\\u0000"}'];

/** All kinds of messages, as long as the subject takes them; the last is longer. */
export function messagesFor(subject: string): HostileMessage[] {
  const kind = requestKind(subject);
  const bytes = (kind === null ? MESSAGE_BYTES_MAX : REQUEST_BYTES_MAX[kind]) - ROOM_BYTES;
  const manyHeaders = headers();
  for (let n = 0; n < HEADERS_MAX && n * 110 < bytes - 2_000; n += 1)
    manyHeaders.append(`X-${n}`, 'x'.repeat(100));
  const shaped = SHAPES.filter(({ type }) => type === 'application/json').map(({ name, of }) => ({
    name,
    payload: of(bytes - 2_000).subarray(0, bytes),
  }));
  const filled = VALUES.map((value) => ({
    name: `fields of ${value}`,
    payload: Buffer.from(fieldsOf(bytes, value)).subarray(0, bytes),
  }));
  return [
    ...shaped,
    ...filled,
    { name: 'nothing', payload: Buffer.alloc(0) },
    { name: 'very many headers', payload: Buffer.from('{}'), headers: manyHeaders },
    { name: 'no text', payload: Buffer.alloc(bytes, 0xff) },
    { name: 'the longest message', payload: Buffer.alloc(MESSAGE_BYTES_MAX - ROOM_BYTES, '[') },
  ];
}
