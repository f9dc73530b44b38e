import type { Command } from 'commander';
import { loaded, WHY, withDecider } from '../arguments';

const change = () => import('./change');

/**
 * Who is a worker; the dispatchers follow within seconds.
 * @param worker the command of that name
 */
export function addRegisterCommands(worker: Command): void {
  withCredentials(withDecider(worker.command('add').argument('<name>', 'its name')))
    .description('let a machine work, and print its credentials, this once')
    .requiredOption('--arch <name>', 'an architecture that it serves; once for each', readArchitectures)
    .option('--private', 'it may run private tests', false)
    .action(loaded(change, 'addWorker'));
  withCredentials(withDecider(worker.command('rotate').argument('<name>', 'its name')))
    .description('give a worker new credentials, and print them, this once')
    .action(loaded(change, 'rotateWorker'));
  withDecider(worker.command('revoke').argument('<name>', 'its name'))
    .description('take a worker out: what it runs is given to others at once')
    .option('--reason <text>', WHY)
    .action(loaded(change, 'revokeWorker'));
  worker
    .command('list')
    .description('who is a worker, for what, and when each was last seen or refused')
    .action(loaded(() => import('./list'), 'listWorkers'));
}

function withCredentials(command: Command): Command {
  return command
    .option('--url <url>', 'how the worker reaches NATS: nats://HOST:PORT or tls://HOST:PORT')
    .option('--ca <file>', 'the certificate that the server is checked against; with tls://')
    .option('--out <file>', 'write the credentials there, for its owner alone, and not to standard output')
    .option('--reason <text>', WHY);
}

function readArchitectures(text: string, before: string[] = []): string[] {
  return [...new Set([...before, text])];
}
