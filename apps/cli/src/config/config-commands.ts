import type { Command } from 'commander';
import { groupOf, actionOf, withJson } from '../arguments';

export function addConfigurationCommands(program: Command): void {
  const config = groupOf(program, 'config', 'the files that say what is tested and how');
  config
    .command('check')
    .argument('[folder]', 'the folder of proctor.yaml and the other files')
    .description('look for mistakes and print each with its file and line')
    .option('--strict', 'also end with exit code 1 for warnings', false)
    .action(actionOf(() => import('./configuration-files'), 'checkConfiguration'));
  withJson(config.command('show'))
    .argument('[folder]', 'the folder of proctor.yaml and the other files')
    .description('print each value in use, and where it comes from')
    .action(actionOf(() => import('./configuration-files'), 'printConfiguration'));
  config
    .command('schema')
    .argument('<file>', 'proctor.yaml, worker.yaml, apt-sources.yaml or reject-list.yaml')
    .description('print the JSON Schema of a file, for editors')
    .action(actionOf(() => import('./configuration-files'), 'printSchema'));
}
