import { Controller, Get, Param, Query } from '@nestjs/common';
import type { User, Webhook, WebhookOwner } from '@proctor/database';
import { Requires } from '../../auth/authentication.middleware';
import { queryValue, idOf } from '../../http/parameter-values';
import { DELIVERIES_PER_PAGE, RecoverRequest, WebhookRequest } from '../../webhooks/webhooks.dto';
import { WebhooksService } from '../../webhooks/webhooks.service';
import { Form, SentForm } from '../layout/form-action';
import type { Page } from '../layout/page';
import { CurrentActor, CurrentUser, OwnPages } from './account-pages';
import { webhooksView, webhookView } from './webhook-view';
import { DELIVERY_IN_PATH, WEBHOOK_IN_PATH } from '../../http/path-ids';

const WEBHOOKS = '/user/:user/webhooks';
const WEBHOOK = `${WEBHOOKS}/:webhook_id`;

/** The webhooks of a user. The secret is shown once, after the webhook was created. */
@Controller('user/:user/webhooks')
@Requires('nothing')
@OwnPages()
export class AccountWebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  page(@CurrentUser() user: User): Promise<Page> {
    return this.list(user, null);
  }

  @Form('', { status: 201 })
  async add(
    @SentForm() form: WebhookRequest,
    @CurrentUser() user: User,
    @CurrentActor() owner: WebhookOwner,
  ): Promise<Page> {
    return this.list(user, await this.webhooks.add(form, owner, null));
  }

  @Get(':webhook_id')
  async one(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @Query('before', queryValue(idOf('a delivery'))) before: number | null,
    @CurrentUser() { userId }: User,
  ): Promise<Page> {
    const webhook = await this.webhooks.one(id, userId);
    const log = await this.webhooks.log(id, { userId, keyId: null }, { before }, DELIVERIES_PER_PAGE);
    return { template: 'account/webhook', data: webhookView(webhook, log) };
  }

  /** Its key stays, and whether it is enabled; here it can only stop to receive events of private runs. */
  @Form(':webhook_id', { then: WEBHOOK })
  async change(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @SentForm() form: WebhookRequest,
    @CurrentActor() owner: WebhookOwner,
  ): Promise<void> {
    const { disabledAt, keyId } = await this.webhooks.one(id, owner.userId);
    await this.webhooks.change(id, { ...form, enabled: disabledAt === null }, owner, keyId);
  }

  @Form(':webhook_id/rotate')
  async rotate(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @CurrentUser() user: User,
    @CurrentActor() owner: WebhookOwner,
  ): Promise<Page> {
    return this.list(user, await this.webhooks.rotate(id, owner));
  }

  @Form(':webhook_id/ping', { then: WEBHOOK })
  async ping(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @CurrentUser() { userId }: User,
  ): Promise<void> {
    await this.webhooks.ping(id, userId);
  }

  @Form(':webhook_id/enable', { then: WEBHOOK })
  async enable(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @CurrentActor() owner: WebhookOwner,
  ): Promise<void> {
    await this.webhooks.setEnabled(id, true, owner);
  }

  @Form(':webhook_id/disable', { then: WEBHOOK })
  async disable(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @CurrentActor() owner: WebhookOwner,
  ): Promise<void> {
    await this.webhooks.setEnabled(id, false, owner);
  }

  @Form(':webhook_id/remove', { then: WEBHOOKS })
  async remove(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @CurrentActor() owner: WebhookOwner,
  ): Promise<void> {
    await this.webhooks.remove(id, owner);
  }

  @Form(':webhook_id/recover', { then: WEBHOOK })
  async recover(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @SentForm() { since }: RecoverRequest,
    @CurrentUser() { userId }: User,
  ): Promise<void> {
    await this.webhooks.recover(id, since, userId);
  }

  @Form(':webhook_id/deliveries/:delivery_id/redeliver', { then: WEBHOOK })
  async redeliver(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @Param('delivery_id', DELIVERY_IN_PATH) deliveryId: number,
    @CurrentUser() { userId }: User,
  ): Promise<void> {
    await this.webhooks.redeliver(id, deliveryId, { userId, keyId: null });
  }

  private async list(
    { userId }: User,
    newWebhook: { webhook: Webhook; secret: string } | null,
  ): Promise<Page> {
    const webhooks = await this.webhooks.ofUser(userId);
    return { template: 'account/webhooks', data: { ...webhooksView(webhooks), made: newWebhook } };
  }
}
