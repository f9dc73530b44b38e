import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import type { User, Webhook, WebhookOwner } from '@proctor/database';
import { Requires } from '../../auth/authentication.middleware';
import { CONFIGURATION } from '../../configuration.token';
import type { ApiConfiguration } from '../../configuration.token';
import { packagesOf } from '../../events/events.dto';
import { idOf, queryValue, wordsOf } from '../../http/parameter-values';
import type { ContextRequest } from '../../http/request-context';
import { From } from '../../http/shape';
import { DELIVERIES_PER_PAGE, RecoverRequest, WebhookRequest } from '../../webhooks/webhooks.dto';
import { WebhooksService } from '../../webhooks/webhooks.service';
import { Form, SentForm } from '../layout/form-action';
import type { Page } from '../layout/page';
import { CurrentActor, CurrentUser, OwnPages, requireLogin } from './account-pages';
import { choicesOf, webhooksView, webhookView } from './webhook-view';
import { DELIVERY_IN_PATH, WEBHOOK_IN_PATH } from '../../http/path-ids';

/** The names of packages stand on lines of their own, or between commas or spaces. */
class WebhookForm extends WebhookRequest {
  @From({
    read: (parameter, name) => packagesOf({ ...parameter, value: wordsOf(String(parameter.value)) }, name),
  })
  declare package?: string[];
}

const ALL = '/user/:user/webhooks';

/** A form of the list. */
const WEBHOOKS = {
  then: ALL,
  page: (pages: AccountWebhooksController, request: ContextRequest) => pages.page(requireLogin(request)),
};

/** A form of one webhook. */
const WEBHOOK = {
  then: `${ALL}/:webhook_id`,
  page: (pages: AccountWebhooksController, request: ContextRequest) =>
    pages.one(Number(request.params['webhook_id']), null, requireLogin(request)),
};

/** The webhooks of a user. The secret is shown once, after the webhook was created. */
@Controller('user/:user/webhooks')
@Requires('nothing')
@OwnPages()
export class AccountWebhooksController {
  private readonly choices: ReturnType<typeof choicesOf>;

  constructor(
    private readonly webhooks: WebhooksService,
    @Inject(CONFIGURATION) { server }: ApiConfiguration,
  ) {
    this.choices = choicesOf(server);
  }

  @Get()
  page(@CurrentUser() user: User): Promise<Page> {
    return this.list(user, null);
  }

  @Form('', { ...WEBHOOKS, status: 201 })
  async add(
    @SentForm() form: WebhookForm,
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
    return { template: 'account/webhook', data: webhookView(webhook, log, this.choices) };
  }

  /** Its key stays, and whether it is enabled; here it can only stop to receive events of private runs. */
  @Form(':webhook_id', WEBHOOK)
  async change(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @SentForm() form: WebhookForm,
    @CurrentActor() owner: WebhookOwner,
  ): Promise<void> {
    const { disabledAt, keyId } = await this.webhooks.one(id, owner.userId);
    await this.webhooks.change(id, { ...form, enabled: disabledAt === null }, owner, keyId);
  }

  @Form(':webhook_id/rotate', WEBHOOK)
  async rotate(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @CurrentUser() user: User,
    @CurrentActor() owner: WebhookOwner,
  ): Promise<Page> {
    return this.list(user, await this.webhooks.rotate(id, owner));
  }

  @Form(':webhook_id/ping', WEBHOOK)
  async ping(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @CurrentUser() { userId }: User,
  ): Promise<void> {
    await this.webhooks.ping(id, userId);
  }

  @Form(':webhook_id/enable', WEBHOOK)
  async enable(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @CurrentActor() owner: WebhookOwner,
  ): Promise<void> {
    await this.webhooks.setEnabled(id, true, owner);
  }

  @Form(':webhook_id/disable', WEBHOOK)
  async disable(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @CurrentActor() owner: WebhookOwner,
  ): Promise<void> {
    await this.webhooks.setEnabled(id, false, owner);
  }

  @Form(':webhook_id/remove', WEBHOOKS)
  async remove(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @CurrentActor() owner: WebhookOwner,
  ): Promise<void> {
    await this.webhooks.remove(id, owner);
  }

  @Form(':webhook_id/recover', WEBHOOK)
  async recover(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @SentForm() { since }: RecoverRequest,
    @CurrentUser() { userId }: User,
  ): Promise<void> {
    await this.webhooks.recover(id, since, userId);
  }

  @Form(':webhook_id/deliveries/:delivery_id/redeliver', WEBHOOK)
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
    return {
      template: 'account/webhooks',
      data: { ...webhooksView(webhooks, this.choices), made: newWebhook },
    };
  }
}
