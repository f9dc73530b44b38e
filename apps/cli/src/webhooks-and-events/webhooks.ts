import type { WebhookList, WebhookResource, WebhookWithSecret } from '@proctor/resources';
import { type AskOptions, confirm } from '../output/ask';
import {
  type OutputOptions,
  printAnswer,
  printFields,
  printNotice,
  printTable,
  write,
} from '../output/print';
import type { ServiceOptions } from '../service/address';
import { Service } from '../service/service';

export async function listWebhooks(options: ServiceOptions & OutputOptions): Promise<void> {
  const service = await Service.find(options);
  const answer = await service.request<WebhookList>('/webhooks');
  printAnswer(answer, options, ({ webhooks }) =>
    printTable(
      webhooks,
      [
        { head: 'ID', of: ({ id }) => id },
        { head: 'ADDRESS', of: ({ url }) => url, isCut: true },
        { head: 'STANDING', of: standingOf },
        { head: 'WAITING', of: ({ waiting }) => waiting },
        { head: 'WHAT FOR', of: ({ description }) => description, isCut: true },
      ],
      'you have no webhook; create one: proctor webhook add URL',
    ),
  );
}

interface AddOptions extends ServiceOptions, OutputOptions, TypedFilter {
  private: boolean;
  description?: string;
}

/**
 * Creates a webhook and prints only its secret on standard output, so that a script can save it. @throws Failure if the
 * service refuses the webhook
 */
export async function addWebhook(url: string, options: AddOptions): Promise<void> {
  const service = await Service.find(options);
  const { description, private: isPrivate } = options;
  const settings = { ...filterIn(options), description, ...(isPrivate && { private: true }) };
  const webhook = await service.post<WebhookWithSecret>('/webhooks', { url, ...settings });
  printAnswer(webhook, options, printSecret);
  printNotice(`webhook ${webhook.id} created; try it: proctor webhook ping ${webhook.id}`);
}

export async function printWebhook(id: number, options: ServiceOptions & OutputOptions): Promise<void> {
  const webhook = await findWebhook(await Service.find(options), id);
  printAnswer(webhook, options, printFieldsOf);
  const { disabled_reason: why } = webhook;
  if (why !== null) printNotice(`it is disabled: ${why}; enable it: proctor webhook enable ${id}`);
}

/** @throws Failure if there is no such webhook */
export async function enableWebhook(id: number, options: ServiceOptions): Promise<object> {
  const { before, after } = await change(id, true, options);
  const { disabled_at: since } = before;
  const moment = since === null ? 'WHEN' : since;
  printNotice(
    `webhook ${id} is enabled; send what it has missed: proctor webhook recover ${id} --since ${moment}`,
  );
  return after;
}

/** @throws Failure if there is no such webhook */
export async function disableWebhook(id: number, options: ServiceOptions): Promise<object> {
  const { after } = await change(id, false, options);
  printNotice(`webhook ${id} is disabled; it gets events again after: proctor webhook enable ${id}`);
  return after;
}

/** Replaces the secret and prints only the new one on standard output. @throws Failure if there is no such webhook */
export async function rotateWebhook(id: number, options: ServiceOptions & OutputOptions): Promise<object> {
  const service = await Service.find(options);
  const rotated = await service.post<WebhookWithSecret>(`/webhooks/${id}/rotate`);
  if (!options.json) printSecret(rotated);
  printNotice(`the old secret of webhook ${id} signs too for 24 hours`);
  return rotated;
}

/** @throws Failure if there is no such webhook, or the answer is no */
export async function removeWebhook(id: number, options: ServiceOptions & AskOptions): Promise<object> {
  const service = await Service.find(options);
  const { url, waiting } = await findWebhook(service, id);
  await confirm(`webhook ${id} to ${url} is removed, with ${waiting} events that wait`, options);
  await service.delete(`/webhooks/${id}`);
  printNotice(`webhook ${id} is removed`);
  return { id, url };
}

function printSecret({ secret }: WebhookWithSecret): void {
  write(`${secret}\n`);
}

function findWebhook(service: Service, id: number): Promise<WebhookResource> {
  return service.request<WebhookResource>(`/webhooks/${id}`);
}

interface Changed {
  before: WebhookResource;
  after: WebhookResource;
}

/** Sends all settings of the webhook with the change, as the API requires. */
async function change(id: number, enabled: boolean, options: ServiceOptions): Promise<Changed> {
  const service = await Service.find(options);
  const before = await findWebhook(service, id);
  const { url, description, package: packages, suite, arch, trigger, kinds, status, mine } = before;
  const filter = { package: packages, suite, arch, trigger, kinds, status };
  const filters = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== null));
  const settings = { url, description, ...filters, mine, private: before.private, enabled };
  return { before, after: await service.post<WebhookResource>(`/webhooks/${id}`, settings) };
}

function printFieldsOf(webhook: WebhookResource): void {
  const list = (words: string[] | null): string => words?.join(', ') ?? 'all';
  const time = (at: string | null): Date | null => (at === null ? null : new Date(at));
  printFields([
    ['id', webhook.id],
    ['address', webhook.url],
    ['what for', webhook.description],
    ['standing', standingOf(webhook)],
    ['waiting', webhook.waiting],
    ['kinds', list(webhook.kinds)],
    ['packages', list(webhook.package)],
    ['suites', list(webhook.suite)],
    ['architectures', list(webhook.arch)],
    ['ended as', list(webhook.status)],
    ['trigger', webhook.trigger ?? 'any'],
    ['whose runs', webhook.mine ? 'your own' : 'all that are public'],
    ['private runs', webhook.private ? 'those of its key' : 'none'],
    ['fails since', time(webhook.failing_since)],
    ['disabled since', time(webhook.disabled_at)],
    ['old secret until', time(webhook.old_secret_until)],
    ['made', time(webhook.created_at)],
  ]);
}

function standingOf({ enabled, failing_since: since }: WebhookResource): string {
  if (!enabled) return 'disabled';
  return since === null ? 'enabled' : 'failing';
}

/** The filter of events as options of a command. */
export interface TypedFilter {
  package?: string[];
  suite?: string[];
  arch?: string[];
  trigger?: string;
  kind?: string[];
  status?: string[];
  mine: boolean;
}

/** Converts the options to the filter of a webhook, without the options that were not typed. */
export function filterIn({ kind, mine, ...typed }: TypedFilter): Record<string, unknown> {
  const { package: packages, suite, arch, trigger, status } = typed;
  const filters = { package: packages, suite, arch, trigger, kinds: kind, status, mine: mine || undefined };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}
