import type { Command } from 'commander';
import { addChange, collect, groupOf, actionOf, readCount, readIdOf, withJson, withYes } from '../arguments';
import { readMoment } from '../output/duration';

const hooks = () => import('./webhooks');
const deliveries = () => import('./deliveries');

/** Adds the commands that send events of runs to other programs. */
export function addWebhookAndEventCommands(program: Command): void {
  withFilter(program.command('events'))
    .description('what happens to runs, one JSON document a line; its `stream_id` is where to go on')
    .option('--follow', 'go on with what comes, until Ctrl-C; a broken connection is made again', false)
    .option(
      '--after <id>',
      'what has happened since the event of this `stream_id`, or since 2h, 1d, 2026-11-20',
    )
    .action(actionOf(() => import('./events'), 'printEvents'));
  addWebhookCommands(groupOf(program, 'webhook', 'your addresses that events are sent to'));
}

function addWebhookCommands(webhook: Command): void {
  const of = (name: string): Command => webhook.command(name).argument('<id>', 'of a webhook', readWebhook);
  withJson(webhook.command('list'))
    .description('your webhooks, and how they are')
    .action(actionOf(hooks, 'listWebhooks'));
  withFilter(withJson(webhook.command('add').argument('<url>', 'https://HOST/PATH')))
    .description('have events sent to an address; prints its secret, this once')
    .option('--private', 'private runs of this key, too', false)
    .option('--description <text>', 'what it is for')
    .action(actionOf(hooks, 'addWebhook'));
  withJson(of('show')).description('everything about a webhook').action(actionOf(hooks, 'printWebhook'));
  const enable = of('enable').description(
    'send to a webhook again; what it has missed: proctor webhook recover',
  );
  addChange(enable, hooks, 'enableWebhook');
  addChange(of('disable').description('send nothing more to a webhook'), hooks, 'disableWebhook');
  const rotate = of('rotate').description(
    'make a new secret and print it, this once; the old one signs too for 24 hours',
  );
  addChange(rotate, hooks, 'rotateWebhook');
  const remove = withYes(of('remove')).description('remove a webhook, with the log of what was sent');
  addChange(remove, hooks, 'removeWebhook');
  withJson(of('ping')).description('send a test').action(actionOf(deliveries, 'pingWebhook'));
  withJson(of('deliveries'))
    .description('what became of the events that were to be sent, the newest first')
    .option('--state <state>', 'pending, delivered or failed')
    .option('--limit <count>', 'how many at most', readCount, 50)
    .action(actionOf(deliveries, 'listDeliveries'));
  withJson(of('redeliver').argument('<delivery>', 'its id', readDelivery))
    .description('send an event once more')
    .action(actionOf(deliveries, 'redeliver'));
  withJson(of('recover'))
    .description('send what failed, or was missed, since a time')
    .requiredOption('--since <when>', '2h, 1d, 2026-11-20', (text) => readMoment(text))
    .action(actionOf(deliveries, 'recoverWebhook'));
}

function withFilter(command: Command): Command {
  return command
    .option('--package <name>', 'only of this source package; once for each', collect)
    .option('--suite <name>', 'only on this suite; once for each', collect)
    .option('--arch <name>', 'only on this architecture; once for each', collect)
    .option('--trigger <words>', 'only where the trigger has these words')
    .option('--kind <kind>', 'requested, granted, started, finished …; once for each', collect)
    .option(
      '--status <status>',
      'only how the run ended: pass, neutral, fail, tmpfail, absent; once for each',
      collect,
    )
    .option('--mine', 'only of runs of your own', false);
}

function readWebhook(text: string): number {
  return readIdOf(text, 'a webhook');
}

function readDelivery(text: string): number {
  return readIdOf(text, 'a delivery');
}
