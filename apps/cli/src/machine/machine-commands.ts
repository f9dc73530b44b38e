import type { Command } from 'commander';
import { addChange, groupOf, actionOf } from '../arguments';

/** Adds the commands for the services of this machine. */
export function addMachineCommands(program: Command): void {
  program
    .command('start')
    .description(
      'run the api, the scheduler and a worker on this machine, with their own PostgreSQL and nats-server',
    )
    .action(actionOf(() => import('../start/start'), 'start'));
  const migrate = program.command('migrate').description('bring the database schema up to date');
  addChange(migrate, () => import('./prepare-servers'), 'migrateDatabase');
  const prepare = groupOf(program, 'nats', 'a nats-server of your own')
    .command('prepare')
    .description(
      'create the NATS users of the services, and the accounts for nats-server, in PROCTOR_NATS_USERS',
    )
    .requiredOption('--url <url>', 'how the services reach nats-server: nats://HOST:PORT or tls://HOST:PORT')
    .option(
      '--ca <file>',
      "with tls://: the file of the certificate authority that has signed the server's certificate",
    );
  addChange(prepare, () => import('./prepare-servers'), 'prepareNats');
}
