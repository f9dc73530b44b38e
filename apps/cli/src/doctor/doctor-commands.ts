import type { Command } from 'commander';
import { actionOf, withJson } from '../arguments';

/** Adds the commands that help when something does not work. */
export function addDoctorCommands(program: Command): void {
  withJson(program.command('doctor'))
    .description('look at every dependency and limit of this machine, and say what to do, a line each')
    .option('--no-worker', 'do not try what a worker here could do')
    .action(actionOf(() => import('./doctor'), 'doctor'));
  program
    .command('debug')
    .argument('[file]', 'the archive to write', 'proctor-debug.tar.gz')
    .description(
      'pack what helps to find a fault: settings, versions, health, metrics, queues, last log lines; no secrets',
    )
    .action(actionOf(() => import('./debug'), 'debug'));
}
