import type { Command } from 'commander';
import { actionOf, withJson } from '../arguments';

/** Adds the commands that help when something does not work. */
export function addDoctorCommands(program: Command): void {
  withJson(program.command('doctor'))
    .description('check every dependency and limit of this machine; prints a line for each, with what to do')
    .option('--no-worker', 'do not check what a worker on this machine could do')
    .action(actionOf(() => import('./doctor'), 'doctor'));
  program
    .command('debug')
    .argument('[file]', 'the archive to write', 'proctor-debug.tar.gz')
    .description(
      'write an archive that helps to find a fault: settings, versions, health, metrics, queues, last log lines; no secrets',
    )
    .action(actionOf(() => import('./debug'), 'debug'));
}
