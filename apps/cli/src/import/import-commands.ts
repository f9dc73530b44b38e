import { type Command, Option } from 'commander';
import { groupOf, actionOf, withJson } from '../arguments';

/** Adds the commands that import the data of another service. */
export function addImportCommands(program: Command): void {
  const group = groupOf(program, 'import', 'take over what another service knew; see docs/moving-in.md');
  withJson(group.command('debci'))
    .argument('<folder>', 'with users.csv, keys.csv, packages.csv, workers.csv and jobs.csv')
    .description(
      'users, keys and runs of a debci, 3.x or 4.x; doing it again goes on where it was broken off',
    )
    .addOption(
      new Option('--pending <what>', 'what becomes of jobs that have not finished').choices([
        'leave',
        'requeue',
        'cancel',
      ]),
    )
    .addOption(
      new Option('--files <when>', 'logs and artifacts').choices(['now', 'later', 'none']).default('later'),
    )
    .option('--data <folder>', 'the data folder of debci, for --files now')
    .option('--since <time>', 'only jobs that were created or finished then or later')
    .option('--backend <name>', 'of jobs that name none', 'lxc')
    .option('--issuer <url>', 'the login provider by which the users came: they are known here by it too')
    .option('--same-users', 'users of one name, there and here, are the same people')
    .action(actionOf(() => import('./debci'), 'importDebci'));
  withJson(group.command('autopkgtest-cloud'))
    .argument('<folder>', 'with test.ndjson and result.ndjson')
    .description('results of an autopkgtest-cloud; doing it again adds what is new')
    .option('--backend <name>', 'where the runs were executed', 'qemu')
    .option('--same-users', 'requesters and users of one name are the same people')
    .action(actionOf(() => import('./cloud'), 'importCloud'));
}
