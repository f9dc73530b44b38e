import type { Command } from 'commander';
import { addChange, collect, groupOf, actionOf, WHY, withJson, withYes } from '../arguments';

const change = () => import('./change-workers');

/** Adds the commands for the register of workers. Dispatchers apply changes within seconds. */
export function addRegisterCommands(program: Command): void {
  const worker = groupOf(program, 'worker', 'the machines that run tests');
  const add = withCredentials(worker.command('add').argument('<name>', 'its name'))
    .description('register a worker, and print its credentials, only this once')
    .requiredOption('--arch <name>', 'an architecture that it serves; repeat it for several', collect)
    .option('--private', 'it may run private tests', false);
  addChange(add, change, 'addWorker');
  const rotate = withYes(
    withCredentials(worker.command('rotate').argument('<name>', 'its name')),
  ).description('give a worker new credentials and print them, only this once; asks on a terminal');
  addChange(rotate, change, 'rotateWorker');
  const revoke = withYes(worker.command('revoke').argument('<name>', 'its name'))
    .description(
      'remove a worker from the register: its runs go to other workers at once; asks on a terminal',
    )
    .option('--reason <text>', WHY);
  addChange(revoke, change, 'revokeWorker');
  withJson(worker.command('list'))
    .description('list the workers, how busy they are, and why they get no further runs')
    .option('--registered', 'list the registered workers, and when each was last seen or refused', false)
    .action(actionOf(() => import('./list-workers'), 'listWorkers'));
  withJson(worker.command('show').argument('<name>', 'its name'))
    .description('show what a worker offers, executes and has ended, and why it gets no further runs')
    .action(actionOf(() => import('./show-worker'), 'printWorker'));
  worker
    .command('check')
    .description('check which tests this machine can run, and what to install for the others')
    .action(actionOf(() => import('./check-worker'), 'checkWorker'));
}

function withCredentials(command: Command): Command {
  return command
    .option('--url <url>', 'how the worker reaches NATS: nats://HOST:PORT or tls://HOST:PORT')
    .option(
      '--ca <file>',
      "with tls://: the file of the certificate authority that has signed the server's certificate",
    )
    .option(
      '--out <file>',
      'write the credentials into this file, readable only by its owner, and not to standard output',
    )
    .option('--reason <text>', WHY);
}
