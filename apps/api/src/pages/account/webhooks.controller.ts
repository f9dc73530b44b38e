import { Controller, Get, HttpCode, Injectable, Param, Post, Query, Req } from '@nestjs/common';
import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import type { Webhook, WebhookOwner } from '@proctor/database';
import { Requires } from '../../auth/authentication.middleware';
import { actorOf } from '../../auth/actor';
import { Sent } from '../../http/body.interceptor';
import type { Parameters } from '../../http/parameters';
import { fromQuery, idOf } from '../../http/parameter-values';
import { ParametersPipe } from '../../http/parameters.pipe';
import type { ContextRequest } from '../../http/request-context';
import { TakesForm } from '../../sessions/form-protection';
import {
  DELIVERIES_PER_PAGE,
  DeliveryIdPipe,
  RecoverRequest,
  WebhookIdPipe,
  WebhookRequest,
} from '../../webhooks/webhooks.dto';
import { WebhooksService } from '../../webhooks/webhooks.service';
import type { Page, Redirect } from '../layout/page';
import { OwnPages, requireLogin } from './account-pages';
import { webhooksView, webhookView } from './webhook-view';

/** Fields of a form that are left empty say nothing. */
@Injectable()
class FilledFieldsPipe extends ParametersPipe implements PipeTransform<Parameters, object> {
  override transform(parameters: Parameters, metadata: ArgumentMetadata): object {
    const filled = [...parameters].filter(
      ([, { value }]) => typeof value !== 'string' || value.trim() !== '',
    );
    return super.transform(new Map(filled), { ...metadata, metatype: WebhookRequest });
  }
}

/** The parameter `before` of a log of deliveries: the last one of the page before; null at its beginning. */
class BeforeDeliveryPipe implements PipeTransform<unknown, number | null> {
  /** @throws Problem 400 */
  transform(value: unknown): number | null {
    return fromQuery('before', value, idOf('a delivery'));
  }
}

/** The webhooks of a user. A secret is on the page that answers its making, and nowhere else. */
@Controller('user/:user/webhooks')
@Requires('nothing')
@OwnPages()
export class AccountWebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  page(@Req() request: ContextRequest): Promise<Page> {
    return this.list(request, null);
  }

  @Post()
  @HttpCode(201)
  @TakesForm()
  async add(@Sent(FilledFieldsPipe) asked: WebhookRequest, @Req() request: ContextRequest): Promise<Page> {
    return this.list(request, await this.webhooks.add(asked, ownerOf(request), null));
  }

  @Get(':webhook_id')
  async one(
    @Param('webhook_id', WebhookIdPipe) id: number,
    @Query('before', BeforeDeliveryPipe) before: number | null,
    @Req() request: ContextRequest,
  ): Promise<Page> {
    const { userId } = ownerOf(request);
    const webhook = await this.webhooks.one(id, userId);
    const log = await this.webhooks.log(id, { userId, keyId: null }, { before }, DELIVERIES_PER_PAGE);
    return { template: 'account/webhook', data: webhookView(webhook, log) };
  }

  /** Its key and whether it is enabled stay; that it is told of private runs can only be ended here. */
  @Post(':webhook_id')
  @HttpCode(200)
  @TakesForm()
  async change(
    @Param('webhook_id', WebhookIdPipe) id: number,
    @Sent(FilledFieldsPipe) asked: WebhookRequest,
    @Req() request: ContextRequest,
  ): Promise<Redirect> {
    const owner = ownerOf(request);
    const { disabledAt, keyId } = await this.webhooks.one(id, owner.userId);
    await this.webhooks.change(id, { ...asked, enabled: disabledAt === null }, owner, keyId);
    return backTo(request, `/${id}`);
  }

  @Post(':webhook_id/rotate')
  @HttpCode(200)
  @TakesForm()
  async rotate(
    @Param('webhook_id', WebhookIdPipe) id: number,
    @Req() request: ContextRequest,
  ): Promise<Page> {
    return this.list(request, await this.webhooks.rotate(id, ownerOf(request)));
  }

  @Post(':webhook_id/ping')
  @HttpCode(200)
  @TakesForm()
  async ping(
    @Param('webhook_id', WebhookIdPipe) id: number,
    @Req() request: ContextRequest,
  ): Promise<Redirect> {
    await this.webhooks.ping(id, ownerOf(request).userId);
    return backTo(request, `/${id}`);
  }

  @Post(':webhook_id/enable')
  @HttpCode(200)
  @TakesForm()
  async enable(
    @Param('webhook_id', WebhookIdPipe) id: number,
    @Req() request: ContextRequest,
  ): Promise<Redirect> {
    await this.webhooks.setEnabled(id, true, ownerOf(request));
    return backTo(request, `/${id}`);
  }

  @Post(':webhook_id/disable')
  @HttpCode(200)
  @TakesForm()
  async disable(
    @Param('webhook_id', WebhookIdPipe) id: number,
    @Req() request: ContextRequest,
  ): Promise<Redirect> {
    await this.webhooks.setEnabled(id, false, ownerOf(request));
    return backTo(request, `/${id}`);
  }

  @Post(':webhook_id/remove')
  @HttpCode(200)
  @TakesForm()
  async remove(
    @Param('webhook_id', WebhookIdPipe) id: number,
    @Req() request: ContextRequest,
  ): Promise<Redirect> {
    await this.webhooks.remove(id, ownerOf(request));
    return backTo(request, '');
  }

  @Post(':webhook_id/recover')
  @HttpCode(200)
  @TakesForm()
  async recover(
    @Param('webhook_id', WebhookIdPipe) id: number,
    @Sent() { since }: RecoverRequest,
    @Req() request: ContextRequest,
  ): Promise<Redirect> {
    await this.webhooks.recover(id, since, ownerOf(request).userId);
    return backTo(request, `/${id}`);
  }

  @Post(':webhook_id/deliveries/:delivery_id/redeliver')
  @HttpCode(200)
  @TakesForm()
  async redeliver(
    @Param('webhook_id', WebhookIdPipe) id: number,
    @Param('delivery_id', DeliveryIdPipe) deliveryId: number,
    @Req() request: ContextRequest,
  ): Promise<Redirect> {
    const { userId } = ownerOf(request);
    await this.webhooks.redeliver(id, deliveryId, { userId, keyId: null });
    return backTo(request, `/${id}`);
  }

  private async list(
    request: ContextRequest,
    made: { webhook: Webhook; secret: string } | null,
  ): Promise<Page> {
    const webhooks = await this.webhooks.ofUser(ownerOf(request).userId);
    return { template: 'account/webhooks', data: { ...webhooksView(webhooks), made } };
  }
}

function ownerOf(request: ContextRequest): WebhookOwner {
  const user = requireLogin(request);
  return { ...actorOf(user, request), userId: user.userId };
}

function backTo(request: ContextRequest, path: string): Redirect {
  return { redirectTo: `/user/${requireLogin(request).name}/webhooks${path}` };
}
