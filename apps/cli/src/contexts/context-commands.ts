import type { Command } from 'commander';
import { addChange, groupOf, actionOf, withJson } from '../arguments';

const actions = () => import('./change-contexts');

/** Adds the commands that choose the service to use. */
export function addContextCommands(program: Command): void {
  const context = groupOf(program, 'context', 'the services that you use, each under a name of your choice');
  addChange(
    context
      .command('add')
      .argument('<name>')
      .description('save the address of a service and your key for it; asks for the key on a terminal')
      .requiredOption('--url <url>', 'its address: https://HOST or http://HOST:PORT')
      .option('--key-stdin', 'read the key from standard input', false),
    actions,
    'addContext',
  );
  addChange(
    context.command('use').argument('<name>').description('use this service from now on'),
    actions,
    'useContext',
  );
  withJson(context.command('list'))
    .description('list the services by name, without their keys')
    .action(actionOf(actions, 'listContexts'));
  addChange(
    context
      .command('remove')
      .argument('<name>')
      .description('remove a service and the key for it from the file; the key itself stays valid'),
    actions,
    'removeContext',
  );
}
