import { type Command, InvalidArgumentError } from 'commander';
import { addChange, actionOf } from '../arguments';
import { readMoment } from '../output/duration';

/** Adds the commands that back up, restore and clean up a service. */
export function addBackupCommands(program: Command): void {
  program
    .command('expire')
    .description(
      'remove what is older or larger than `retention` in proctor.yaml keeps; shows how much, and asks',
    )
    .option('--dry-run', 'only count, by rule', false)
    .option('--yes', 'do not ask', false)
    .option(
      '--share <percent>',
      'of the time that it may work, in percent; it rests else, for others use the database too',
      percent,
      50,
    )
    .option('--json', 'the counts as JSON', false)
    .action(actionOf(() => import('./expire'), 'expire'));
  const backup = program
    .command('backup')
    .argument('<folder>', 'where the backup gets a folder of its own')
    .description(
      'keep everything in a folder, while the service runs or not: database, logs, artifacts, keys, configuration',
    )
    .option('--no-files', 'leave logs and artifacts out');
  addChange(backup, () => import('./backup'), 'backup');
  const restore = program
    .command('restore')
    .argument('<backup>', 'the folder that `proctor backup` has printed')
    .description('bring a backup into an empty home, or into the empty database of PROCTOR_DATABASE_URL')
    .option('--force', 'set the database of the home aside that is there', false);
  addChange(restore, () => import('./restore'), 'restore');
  const restored = program
    .command('restored')
    .description(
      'once PostgreSQL itself has brought the database to an earlier moment, before the services start: no number is given twice, and what is missing is printed',
    )
    .option('--at <when>', 'what it holds; else the newest that it records', (text) => readMoment(text));
  addChange(restored, () => import('./restored'), 'repairRestored');
}

function percent(text: string): number {
  if (/^[1-9]\d?$|^100$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 to 100.');
}
