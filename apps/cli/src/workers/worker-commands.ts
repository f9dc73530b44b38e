import type { Command } from 'commander';
import { addChange, collect, groupOf, actionOf, WHY, withJson, withYes } from '../arguments';

const change = () => import('./change-workers');

/** Adds the commands for the register of workers. Dispatchers apply changes within seconds. */
export function addRegisterCommands(program: Command): void {
  const worker = groupOf(program, 'worker', 'the machines that run tests');
  const add = withCredentials(worker.command('add').argument('<name>', 'its name'))
    .description('let a machine work, and print its credentials, this once')
    .requiredOption('--arch <name>', 'an architecture that it serves; once for each', collect)
    .option('--private', 'it may run private tests', false);
  addChange(add, change, 'addWorker');
  const rotate = withYes(
    withCredentials(worker.command('rotate').argument('<name>', 'its name')),
  ).description('give a worker new credentials, and print them, this once; asks on a terminal');
  addChange(rotate, change, 'rotateWorker');
  const revoke = withYes(worker.command('revoke').argument('<name>', 'its name'))
    .description('take a worker out: what it runs is given to others at once; asks on a terminal')
    .option('--reason <text>', WHY);
  addChange(revoke, change, 'revokeWorker');
  withJson(worker.command('list'))
    .description('who works, how busy, and why not more')
    .option('--registered', 'who may work, and when each was last seen or refused', false)
    .action(actionOf(() => import('./list-workers'), 'listWorkers'));
  withJson(worker.command('show').argument('<name>', 'its name'))
    .description('what a worker offers, executes and has ended, and why it gets no other')
    .action(actionOf(() => import('./show-worker'), 'printWorker'));
  worker
    .command('check')
    .description('look what this machine can do, and what to install for the rest')
    .action(actionOf(() => import('./check-worker'), 'checkWorker'));
}

function withCredentials(command: Command): Command {
  return command
    .option('--url <url>', 'how the worker reaches NATS: nats://HOST:PORT or tls://HOST:PORT')
    .option('--ca <file>', 'the certificate that the server is checked against; with tls://')
    .option('--out <file>', 'write the credentials there, for its owner alone, and not to standard output')
    .option('--reason <text>', WHY);
}
