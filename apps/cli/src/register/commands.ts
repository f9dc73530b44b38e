import type { Command } from 'commander';
import { readArch, readReason, readWorker, WHY, withDecider } from '../arguments';
import { addWorker, revokeWorker, rotateWorker } from './change';
import { listWorkers } from './list';

/**
 * Who is a worker; the dispatchers follow within seconds.
 * @param worker the command of that name
 */
export function addRegisterCommands(worker: Command): void {
  withCredentials(withDecider(worker.command('add').argument('<name>', 'its name', readWorker)))
    .description('let a machine work, and print its credentials, this once')
    .requiredOption('--arch <name>', 'an architecture that it serves; once for each', readArchitectures)
    .option('--private', 'it may run private tests', false)
    .action(addWorker);
  withCredentials(withDecider(worker.command('rotate').argument('<name>', 'its name', readWorker)))
    .description('give a worker new credentials, and print them, this once')
    .action(rotateWorker);
  withDecider(worker.command('revoke').argument('<name>', 'its name', readWorker))
    .description('take a worker out: what it runs is given to others at once')
    .option('--reason <text>', WHY, readReason)
    .action(revokeWorker);
  worker
    .command('list')
    .description('who is a worker, for what, and when each was last seen or refused')
    .action(listWorkers);
}

function withCredentials(command: Command): Command {
  return command
    .option('--url <url>', 'how the worker reaches NATS: nats://HOST:PORT or tls://HOST:PORT')
    .option('--ca <file>', 'the certificate that the server is checked against; with tls://')
    .option('--out <file>', 'write the credentials there, for its owner alone, and not to standard output')
    .option('--reason <text>', WHY, readReason);
}

function readArchitectures(text: string, before: string[] = []): string[] {
  return [...new Set([...before, readArch(text)])];
}
