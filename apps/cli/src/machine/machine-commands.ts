import type { Command } from 'commander';
import { addChange, groupOf, actionOf } from '../arguments';

/** Adds the commands for the services of this machine. */
export function addMachineCommands(program: Command): void {
  program
    .command('start')
    .description('run the api, the scheduler and a worker here, with their own PostgreSQL and nats-server')
    .action(actionOf(() => import('../start/start'), 'start'));
  const migrate = program.command('migrate').description('bring the database schema up to date');
  addChange(migrate, () => import('./prepare-servers'), 'migrateDatabase');
  const prepare = groupOf(program, 'nats', 'a nats-server of your own')
    .command('prepare')
    .description('make the users of the services and the accounts that it includes, in PROCTOR_NATS_USERS')
    .requiredOption('--url <url>', 'how the services reach it: nats://HOST:PORT or tls://HOST:PORT')
    .option('--ca <file>', 'the certificate that the server is checked against; with tls://');
  addChange(prepare, () => import('./prepare-servers'), 'prepareNats');
}
