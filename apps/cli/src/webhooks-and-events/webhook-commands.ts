import type { Command } from 'commander';
import { addChange, collect, groupOf, actionOf, readCount, readIdOf, withJson, withYes } from '../arguments';
import { readMoment } from '../output/duration';

const hooks = () => import('./webhooks');
const deliveries = () => import('./deliveries');

/** Adds the commands that send events of runs to other programs. */
export function addWebhookAndEventCommands(program: Command): void {
  withFilter(program.command('events'))
    .description('print what happens to runs, one JSON document a line; continue later with its `stream_id`')
    .option('--follow', 'print new events until Ctrl-C; reconnects if the connection breaks', false)
    .option('--after <id>', 'events after the one with this `stream_id`, or since 2h, 1d, 2026-11-20')
    .action(actionOf(() => import('./events'), 'printEvents'));
  addWebhookCommands(groupOf(program, 'webhook', 'your addresses to which events are sent'));
}

function addWebhookCommands(webhook: Command): void {
  const of = (name: string): Command => webhook.command(name).argument('<id>', 'of a webhook', readWebhook);
  withJson(webhook.command('list'))
    .description('list your webhooks and their state')
    .action(actionOf(hooks, 'listWebhooks'));
  withFilter(withJson(webhook.command('add').argument('<url>', 'https://HOST/PATH')))
    .description('send events to an address; prints its secret, only this once')
    .option('--private', "also events of this key's private runs", false)
    .option('--description <text>', 'what it is for')
    .action(actionOf(hooks, 'addWebhook'));
  withJson(of('show')).description('show everything about a webhook').action(actionOf(hooks, 'printWebhook'));
  const enable = of('enable').description(
    'send to a webhook again; for the missed events, use proctor webhook recover',
  );
  addChange(enable, hooks, 'enableWebhook');
  addChange(of('disable').description('send nothing more to a webhook'), hooks, 'disableWebhook');
  const rotate = of('rotate').description(
    'create a new secret and print it, only this once; the old one also signs for 24 hours',
  );
  addChange(rotate, hooks, 'rotateWebhook');
  const remove = withYes(of('remove')).description('remove a webhook, with the log of its deliveries');
  addChange(remove, hooks, 'removeWebhook');
  withJson(of('ping')).description('send a test event').action(actionOf(deliveries, 'pingWebhook'));
  withJson(of('deliveries'))
    .description('list the deliveries of events and their results, the newest first')
    .option('--state <state>', 'pending, delivered or failed')
    .option('--limit <count>', 'how many at most', readCount, 50)
    .action(actionOf(deliveries, 'listDeliveries'));
  withJson(of('redeliver').argument('<delivery>', 'its id', readDelivery))
    .description('send an event again')
    .action(actionOf(deliveries, 'redeliver'));
  withJson(of('recover'))
    .description('send the events since a time that failed or were missed')
    .requiredOption('--since <when>', '2h, 1d, 2026-11-20', (text) => readMoment(text))
    .action(actionOf(deliveries, 'recoverWebhook'));
}

function withFilter(command: Command): Command {
  return command
    .option('--package <name>', 'only events of this source package; repeat it for several', collect)
    .option('--suite <name>', 'only events on this suite; repeat it for several', collect)
    .option('--arch <name>', 'only events on this architecture; repeat it for several', collect)
    .option('--trigger <words>', 'only events of runs whose trigger contains these words')
    .option(
      '--kind <kind>',
      'only this kind: requested, granted, started, finished …; repeat it for several',
      collect,
    )
    .option(
      '--status <status>',
      'only runs that ended so: pass, neutral, fail, tmpfail, absent; repeat it for several',
      collect,
    )
    .option('--mine', 'only events of your own runs', false);
}

function readWebhook(text: string): number {
  return readIdOf(text, 'a webhook');
}

function readDelivery(text: string): number {
  return readIdOf(text, 'a delivery');
}
