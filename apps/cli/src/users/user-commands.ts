import type { Command } from 'commander';
import { addChange, groupOf, actionOf, readIdOf, withJson, withYes } from '../arguments';

const change = () => import('./change-users');
const keys = () => import('./keys');

const PASSWORD_STDIN = 'read the password from standard input';

/** Adds the commands for users and their keys. */
export function addUserCommands(program: Command): void {
  const user = groupOf(program, 'user', 'the people who may use the service');
  addChange(
    user
      .command('add')
      .argument('<name>')
      .description('create a user')
      .option('--admin', 'make the user an administrator, who may do everything', false)
      .option('--password-stdin', PASSWORD_STDIN, false),
    change,
    'addUser',
  );
  addChange(
    user
      .command('password')
      .argument('<name>')
      .description('set the password of a user; asks for it on a terminal')
      .option('--password-stdin', PASSWORD_STDIN, false),
    change,
    'changePassword',
  );
  addChange(
    withYes(user.command('disable').argument('<name>')).description(
      'lock a user out: sessions and keys end at once, runs stay; asks on a terminal',
    ),
    change,
    'disableUser',
  );
  addChange(
    user.command('enable').argument('<name>').description('enable a user again who was disabled or removed'),
    change,
    'enableUser',
  );
  addChange(
    user
      .command('remove')
      .argument('<name>')
      .description(
        'remove a user: password, keys, sessions and webhooks are gone for good, runs and the name stay',
      )
      .option('--yes', 'do not ask', false),
    change,
    'removeUser',
  );
  addChange(
    user
      .command('admin')
      .argument('<name>')
      .description('make a user an administrator')
      .option('--dismiss', 'make an administrator an ordinary user again', false),
    change,
    'appointUser',
  );
  withJson(user.command('list')).description('list the users').action(actionOf(change, 'listUsers'));
  addKeyCommands(groupOf(program, 'key', 'the API keys of users'));
}

function addKeyCommands(key: Command): void {
  addChange(
    key
      .command('create')
      .argument('<user>')
      .description('create a key and print it, only this once, alone on standard output')
      .requiredOption('--name <text>', 'what the key is for')
      .option('--scope <scope>', 'what the key allows: everything, read, submit', 'everything')
      .option('--expires <when>', 'when the key ends: a day (YYYY-MM-DD), or a time with its zone'),
    keys,
    'createKey',
  );
  withJson(key.command('list').argument('<user>'))
    .description('list the valid keys of a user')
    .action(actionOf(keys, 'listKeys'));
  addChange(
    key
      .command('rotate')
      .argument('<user>')
      .argument('<id>', 'of a key', (text) => readIdOf(text, 'a key'))
      .description('give a key a new secret and print it, only this once; the old one is no longer valid'),
    keys,
    'rotateKey',
  );
  addChange(
    withYes(key.command('revoke').argument('<id-or-prefix>')).description(
      'end a key at once; asks on a terminal',
    ),
    keys,
    'revokeKey',
  );
}
