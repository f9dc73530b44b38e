import type { Command } from 'commander';
import { addChange, groupOf, actionOf, withJson } from '../arguments';

const actions = () => import('./change-contexts');

/** Adds the commands that choose the service to use. */
export function addContextCommands(program: Command): void {
  const context = groupOf(program, 'context', 'the services that you speak to, each under a name of yours');
  addChange(
    context
      .command('add')
      .argument('<name>')
      .description('keep the address of a service and your key for it; asks for the key on a terminal')
      .requiredOption('--url <url>', 'where it is: https://HOST or http://HOST:PORT')
      .option('--key-stdin', 'read the key from standard input', false),
    actions,
    'addContext',
  );
  addChange(
    context.command('use').argument('<name>').description('speak to this service from now on'),
    actions,
    'useContext',
  );
  withJson(context.command('list'))
    .description('the services by their names; the keys are not shown')
    .action(actionOf(actions, 'listContexts'));
  addChange(
    context
      .command('remove')
      .argument('<name>')
      .description('forget a service and the key for it; the key itself stays valid'),
    actions,
    'removeContext',
  );
}
