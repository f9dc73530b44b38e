import { type Command, Option } from 'commander';
import { groupOf, actionOf, withJson } from '../arguments';

/** Adds the commands that import the data of another service. */
export function addImportCommands(program: Command): void {
  const group = groupOf(program, 'import', 'take over what another service knew; see docs/moving-in.md');
  withJson(group.command('debci'))
    .argument('<folder>', 'the folder with users.csv, keys.csv, packages.csv, workers.csv and jobs.csv')
    .description(
      'import users, keys and runs of a debci, 3.x or 4.x; after an interruption, repeat it to continue',
    )
    .addOption(
      new Option('--pending <what>', 'what to do with jobs that have not finished').choices([
        'leave',
        'requeue',
        'cancel',
      ]),
    )
    .addOption(
      new Option('--files <when>', 'when to import logs and artifacts')
        .choices(['now', 'later', 'none'])
        .default('later'),
    )
    .option('--data <folder>', 'the data folder of debci, for --files now')
    .option('--since <time>', 'only jobs that were created or finished at this time or later')
    .option('--backend <name>', 'the backend of jobs that name none', 'lxc')
    .option('--issuer <url>', 'the login provider of the users: they log in here with it too')
    .option('--same-users', 'users who have the same name there and here are the same people')
    .action(actionOf(() => import('./debci'), 'importDebci'));
  withJson(group.command('autopkgtest-cloud'))
    .argument('<folder>', 'the folder with test.ndjson and result.ndjson')
    .description('import results of an autopkgtest-cloud; repeat it to add new ones')
    .option('--backend <name>', 'the backend on which the runs were executed', 'qemu')
    .option('--same-users', 'requesters and users who have the same name are the same people')
    .action(actionOf(() => import('./cloud'), 'importCloud'));
}
