import { Command } from 'commander';
import { loaded } from './arguments';
import { addDecisionCommands } from './decisions/commands';
import { addRegisterCommands } from './register/commands';

const users = () => import('./users');
const keys = () => import('./keys');

const PASSWORD_STDIN = 'read the password from standard input';

/** Exit codes: 0 done, 1 failed, 2 the command line is wrong. */
export function createProgram(): Command {
  const program = new Command('proctor')
    .description('Schedules Debian package tests on worker machines and keeps their results.')
    .addHelpText(
      'after',
      '\nThe commands but `start`, `config` and `worker check` speak to the database in PROCTOR_DATABASE_URL,' +
        ' else to the Proctor that runs on PROCTOR_HOME.',
    )
    .exitOverride();

  program
    .command('start')
    .description('run the api, the scheduler and a worker here, with their own PostgreSQL and nats-server')
    .action(loaded(() => import('./start/start'), 'start'));
  program
    .command('migrate')
    .description('bring the database schema up to date')
    .action(loaded(() => import('./migrate'), 'migrateDatabase'));
  program
    .command('config')
    .description('the files that say what is tested and how')
    .command('check')
    .argument('[folder]', 'the folder of proctor.yaml and the other files')
    .description('look for mistakes and print each with its file and line')
    .action(loaded(() => import('./check-configuration'), 'checkConfiguration'));

  const worker = program.command('worker').description('the machines that run tests');
  worker
    .command('check')
    .description('look what this machine can do, and what to install for the rest')
    .action(loaded(() => import('./check-worker'), 'checkWorker'));

  program
    .command('nats')
    .description('a nats-server of your own')
    .command('prepare')
    .description('make the users of the services and the accounts that it includes, in PROCTOR_NATS_USERS')
    .requiredOption('--url <url>', 'how the services reach it: nats://HOST:PORT or tls://HOST:PORT')
    .option('--ca <file>', 'the certificate that the server is checked against; with tls://')
    .action(loaded(() => import('./nats'), 'prepareNats'));

  const user = program.command('user').description('who may ask for tests');
  user
    .command('add')
    .argument('<name>')
    .description('make a user')
    .option('--admin', 'may do everything', false)
    .option('--password-stdin', PASSWORD_STDIN, false)
    .action(loaded(users, 'addUser'));
  user
    .command('password')
    .argument('<name>')
    .description('set the password of a user; asks for it on a terminal')
    .option('--password-stdin', PASSWORD_STDIN, false)
    .action(loaded(users, 'changePassword'));

  const key = program.command('key').description('the API keys of users');
  key
    .command('create')
    .argument('<user>')
    .description('make a key and print it, this once, alone on standard output')
    .requiredOption('--name <text>', 'what the key is for')
    .action(loaded(keys, 'createKey'));
  key.command('list').argument('<user>').description('the keys of a user').action(loaded(keys, 'listKeys'));
  key
    .command('revoke')
    .argument('<id-or-prefix>')
    .description('end a key at once')
    .action(loaded(keys, 'revokeKey'));
  addRegisterCommands(worker);
  addDecisionCommands(program, worker);
  return program;
}
