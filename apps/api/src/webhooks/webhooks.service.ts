import { Inject, Injectable } from '@nestjs/common';
import { type DeliveryState, describe, END_KINDS } from '@proctor/contracts';
import {
  type LoggedDelivery,
  type LogReader,
  type Webhook,
  WebhookDeliveries,
  type WebhookOwner,
  Webhooks,
  type WebhookSettings,
} from '@proctor/database';
import { newSecret } from '@proctor/webhooks';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { notFound, Problem, badRequestAt } from '../http/problem';
import { isWantedBy } from './webhook-message';
import { WebhookSender } from './webhook-sender';
import { OWN_SERVICES, type OwnServices, whyNoWebhook } from './webhook-url';
import type { WebhookRequest } from './webhooks.dto';
import { noSuchWebhook } from '../http/path-ids';
import { loadPart } from '../http/parts';

/** How long messages are signed also with the previous secret. */
const OLD_SECRET_SECONDS = 86_400;

const DAY_SECONDS = 86_400;

/** The webhooks of users, for the API and for pages. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly webhooks: Webhooks,
    private readonly deliveries: WebhookDeliveries,
    private readonly sender: WebhookSender,
    @Inject(OWN_SERVICES) private readonly ownServices: OwnServices,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  ofUser(userId: number): Promise<Webhook[]> {
    return this.webhooks.ofUser(userId);
  }

  /** @throws Problem 404 also for a webhook of another user */
  async one(webhookId: number, userId: number): Promise<Webhook> {
    const webhook = await this.webhooks.one(webhookId, userId);
    if (!webhook) throw noSuchWebhook(webhookId);
    return webhook;
  }

  /**
   * @param keyId the key of its user whose private runs it may get; null for public runs only
   * @returns its secret, which is shown only once
   * @throws Problem 400 for a field that breaks a rule; 409 if the user has too many webhooks
   */
  async add(
    request: WebhookRequest,
    owner: WebhookOwner,
    keyId: number | null,
  ): Promise<{ webhook: Webhook; secret: string }> {
    const { perUserMax } = this.configuration.server.webhooks;
    const secret = newSecret();
    const webhookId = await this.webhooks.add(this.settingsOf(request, keyId), secret, owner, perUserMax);
    if (webhookId === null) throw new Problem(409, `You have ${perUserMax} webhooks; that is the limit.`);
    return { webhook: await this.one(webhookId, owner.userId), secret };
  }

  /** @throws Problem 400 for a field that breaks a rule; 404 if the user has no such webhook */
  async change(
    webhookId: number,
    request: WebhookRequest,
    owner: WebhookOwner,
    keyId: number | null,
  ): Promise<Webhook> {
    const settings = this.settingsOf(request, keyId);
    if (!(await this.webhooks.change(webhookId, settings, request.enabled ?? true, owner)))
      throw noSuchWebhook(webhookId);
    this.sender.wake();
    return this.one(webhookId, owner.userId);
  }

  /** @throws Problem 404 if the user has no such webhook */
  async setEnabled(webhookId: number, isEnabled: boolean, owner: WebhookOwner): Promise<void> {
    const { url, description, filter, keyId } = await this.one(webhookId, owner.userId);
    if (!(await this.webhooks.change(webhookId, { url, description, filter, keyId }, isEnabled, owner)))
      throw noSuchWebhook(webhookId);
    this.sender.wake();
  }

  /** @returns the new secret, which is shown only once @throws Problem 404 if the user has no such webhook */
  async rotate(webhookId: number, owner: WebhookOwner): Promise<{ webhook: Webhook; secret: string }> {
    const secret = newSecret();
    if (!(await this.webhooks.rotate(webhookId, secret, OLD_SECRET_SECONDS, owner)))
      throw noSuchWebhook(webhookId);
    return { webhook: await this.one(webhookId, owner.userId), secret };
  }

  /** @throws Problem 404 if the user has no such webhook */
  async remove(webhookId: number, owner: WebhookOwner): Promise<void> {
    if (!(await this.webhooks.remove(webhookId, owner))) throw noSuchWebhook(webhookId);
  }

  /** @throws Problem 404 if the user has no such webhook; 409 if it is disabled */
  async ping(webhookId: number, userId: number): Promise<LoggedDelivery> {
    const webhook = await this.one(webhookId, userId);
    if (webhook.disabledAt) throw new Problem(409, `The webhook ${webhookId} is disabled; enable it first.`);
    const deliveryId = await this.deliveries.ping(webhookId);
    this.sender.wake();
    return this.delivery(webhookId, { userId, keyId: null }, deliveryId);
  }

  /**
   * The newest first; `before` is its value for the next part, null at the end.
   * @throws Problem 404 if the user has no such webhook
   */
  async log(
    webhookId: number,
    reader: LogReader,
    query: { state?: DeliveryState | null; before?: number | null },
    limit: number,
  ): Promise<{ deliveries: LoggedDelivery[]; before: number | null }> {
    await this.one(webhookId, reader.userId);
    const read = (most: number): Promise<LoggedDelivery[]> =>
      this.deliveries.log(webhookId, reader, query, most);
    const { rows, last } = await loadPart(limit, read, ({ deliveryId }) => deliveryId);
    return { deliveries: rows, before: last };
  }

  /** @throws Problem 404 if the user has no such webhook, or it has no such delivery */
  async redeliver(webhookId: number, deliveryId: number, reader: LogReader): Promise<LoggedDelivery> {
    await this.one(webhookId, reader.userId);
    await this.delivery(webhookId, reader, deliveryId);
    if (!(await this.deliveries.redeliver(webhookId, deliveryId))) throw noSuchDelivery(deliveryId);
    this.sender.wake();
    return this.delivery(webhookId, reader, deliveryId);
  }

  /**
   * @param since UNIX seconds
   * @throws Problem 400 for a time too long ago; 404 if the user has no such webhook; 409 if it is disabled
   */
  async recover(webhookId: number, since: number, userId: number) {
    const webhook = await this.one(webhookId, userId);
    if (webhook.disabledAt) throw new Problem(409, `The webhook ${webhookId} is disabled; enable it first.`);
    const { keptDays, waitingMax } = this.configuration.server.webhooks;
    if (since < Date.now() / 1_000 - keptDays * DAY_SECONDS)
      throw badRequestAt(`since must be of the last ${keptDays} days, not ${describe(since)}.`, null);
    const recovery = await this.deliveries.recover({ webhookId, userId }, since, isWantedBy, waitingMax);
    this.sender.wake();
    return recovery;
  }

  /** @throws Problem 404 if the webhook has no such delivery */
  private async delivery(webhookId: number, reader: LogReader, deliveryId: number): Promise<LoggedDelivery> {
    const delivery = await this.deliveries.one(webhookId, reader, deliveryId);
    if (!delivery) throw noSuchDelivery(deliveryId);
    return delivery;
  }

  /** @throws Problem 400 for a field that breaks a rule */
  private settingsOf(request: WebhookRequest, keyId: number | null): WebhookSettings {
    const {
      url,
      description = '',
      package: packages,
      suite: suites,
      arch: arches,
      status: verdicts,
    } = request;
    const why = whyNoWebhook(url, this.configuration.server.webhooks.mayBeHttp, this.ownServices);
    if (why !== null) throw badRequestAt(`url cannot be ${describe(url)}: ${why}.`, null);
    if (request.private === true && keyId === null)
      throw badRequestAt('private is for webhooks that belong to an API key.', null);
    const { trigger, kinds = END_KINDS, mine } = request;
    const filter = { packages, suites, arches, verdicts, trigger, kinds, mine };
    return { url: new URL(url).href, description, filter, keyId: request.private === true ? keyId : null };
  }
}

function noSuchDelivery(deliveryId: number): Problem {
  return notFound(`There is no delivery ${deliveryId} of this webhook.`);
}
