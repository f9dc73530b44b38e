import { type Command, InvalidArgumentError } from 'commander';
import { addChange, actionOf } from '../arguments';
import { readMoment } from '../output/duration';

/** Adds the commands that back up, restore and clean up a service. */
export function addBackupCommands(program: Command): void {
  program
    .command('expire')
    .description(
      'remove what is older or larger than `retention` in proctor.yaml allows; shows how much, and asks first',
    )
    .option('--dry-run', 'only count what each rule would remove', false)
    .option('--yes', 'do not ask', false)
    .option(
      '--share <percent>',
      'the share of the time in which it works, in percent; it rests in between, because others use the database too',
      percent,
      50,
    )
    .option('--json', 'print the counts as JSON', false)
    .action(actionOf(() => import('./expire'), 'expire'));
  const backup = program
    .command('backup')
    .argument('<folder>', 'the folder in which the backup gets its own folder')
    .description(
      'save everything in a folder: database, logs, artifacts, keys, configuration; the service may run meanwhile',
    )
    .option('--no-files', 'leave out logs and artifacts');
  addChange(backup, () => import('./backup'), 'backup');
  const restore = program
    .command('restore')
    .argument('<backup>', 'the folder that `proctor backup` has printed')
    .description('restore a backup into an empty home, or into the empty database of PROCTOR_DATABASE_URL')
    .option('--force', 'move the present database of the home aside', false);
  addChange(restore, () => import('./restore'), 'restore');
  const restored = program
    .command('restored')
    .description(
      'prepare a database that PostgreSQL itself has restored to an earlier moment, before the services start: no run id is used twice; prints what is missing',
    )
    .option(
      '--at <when>',
      'the moment that the database holds; if it is left out, the newest that it records',
      (text) => readMoment(text),
    );
  addChange(restored, () => import('./restored'), 'repairRestoredDatabase');
}

function percent(text: string): number {
  if (/^[1-9]\d?$|^100$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 to 100.');
}
