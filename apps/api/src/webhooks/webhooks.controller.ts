import {
  DeliveryList,
  Recovery,
  WebhookDelivery,
  WebhookList,
  WebhookResource,
  WebhookWithSecret,
  whole,
} from '@proctor/resources';
import { Operation } from '../http/operation';
import { Controller, Delete, Get, HttpCode, Param, Post, UseInterceptors } from '@nestjs/common';
import { timestamp } from '@proctor/contracts';
import type { LogReader, Requestor } from '@proctor/database';
import { Requires } from '../auth/authentication.middleware';
import { CurrentRequestor } from '../auth/requestor';
import { BodyInterceptor, Sent } from '../http/body.interceptor';
import { deliveryObject, webhookObject } from './webhook-object';
import { DELIVERIES_PER_PAGE, DeliveriesQuery, RecoverRequest, WebhookRequest } from './webhooks.dto';
import { WebhooksService } from './webhooks.service';
import { DELIVERY_IN_PATH, WEBHOOK_IN_PATH } from '../http/path-ids';

/** The webhooks of a key's user. */
@Controller('api/v1/webhooks')
@Requires('key')
@UseInterceptors(BodyInterceptor)
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Operation({
    tag: 'Events',
    id: 'listWebhooks',
    summary: 'Your webhooks',
    answer: { description: "The webhooks of the key's user, the oldest first.", of: WebhookList },
  })
  @Get()
  async list(@CurrentRequestor() { userId }: Requestor): Promise<WebhookList> {
    return { webhooks: (await this.webhooks.ofUser(userId)).map(webhookObject) };
  }

  @Operation({
    tag: 'Events',
    id: 'addWebhook',
    summary: 'Add a webhook',
    description:
      'Events are sent by POST, signed as Standard Webhooks describes; docs/webhooks.md describes all of it. The secret is in this answer, and in no other.',
    answer: { description: 'The webhook.', of: WebhookWithSecret },
    body: { example: { url: 'https://hooks.example.org/proctor', package: ['hello'], status: ['fail'] } },
    refusals: { 409: 'WebhookConflict' },
  })
  @Post()
  @HttpCode(201)
  async add(
    @Sent() request: WebhookRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<WebhookWithSecret> {
    const { webhook, secret } = await this.webhooks.add(request, requestor, requestor.keyId);
    return { ...webhookObject(webhook), secret };
  }

  @Operation({
    tag: 'Events',
    id: 'readWebhook',
    summary: 'One webhook',
    answer: { description: 'The webhook.', of: WebhookResource },
    refusals: { 404: 'NotFound' },
  })
  @Get(':webhook_id')
  async renderWebhook(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @CurrentRequestor() { userId }: Requestor,
  ): Promise<WebhookResource> {
    return webhookObject(await this.webhooks.one(id, userId));
  }

  @Operation({
    tag: 'Events',
    id: 'changeWebhook',
    summary: 'Change a webhook',
    description: 'What is not sent is as in a new webhook. One that is enabled again begins afresh.',
    answer: { description: 'The webhook as it is now.', of: WebhookResource },
    refusals: { 404: 'NotFound' },
  })
  @Post(':webhook_id')
  @HttpCode(200)
  async change(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @Sent() request: WebhookRequest,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<WebhookResource> {
    return webhookObject(await this.webhooks.change(id, request, requestor, requestor.keyId));
  }

  @Operation({
    tag: 'Events',
    id: 'removeWebhook',
    summary: 'Remove a webhook',
    answer: { description: 'It is removed.' },
    refusals: { 404: 'NotFound' },
  })
  @Delete(':webhook_id')
  @HttpCode(204)
  remove(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<void> {
    return this.webhooks.remove(id, requestor);
  }

  @Operation({
    tag: 'Events',
    id: 'rotateWebhook',
    summary: 'Replace the secret of a webhook',
    description: 'The old secret signs, too, for 24 hours.',
    answer: { description: 'The webhook, with its new secret.', of: WebhookWithSecret },
    refusals: { 404: 'NotFound' },
  })
  @Post(':webhook_id/rotate')
  @HttpCode(200)
  async rotate(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<WebhookWithSecret> {
    const { webhook, secret } = await this.webhooks.rotate(id, requestor);
    return { ...webhookObject(webhook), secret };
  }

  @Operation({
    tag: 'Events',
    id: 'pingWebhook',
    summary: 'Send a test to a webhook',
    answer: { description: 'The test, which is sent at once.', of: WebhookDelivery },
    refusals: { 404: 'NotFound', 409: 'WebhookConflict' },
  })
  @Post(':webhook_id/ping')
  @HttpCode(202)
  async ping(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @CurrentRequestor() { userId }: Requestor,
  ): Promise<WebhookDelivery> {
    return deliveryObject(await this.webhooks.ping(id, userId));
  }

  @Operation({
    tag: 'Events',
    id: 'listDeliveries',
    summary: 'List the deliveries of a webhook',
    answer: { description: 'A part of the log, the newest first.', of: DeliveryList },
    refusals: { 404: 'NotFound' },
  })
  @Get(':webhook_id/deliveries')
  async deliveries(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @Sent() { limit = DELIVERIES_PER_PAGE, ...query }: DeliveriesQuery,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<DeliveryList> {
    const { deliveries, before } = await this.webhooks.log(id, logReaderOf(requestor), query, limit);
    return { deliveries: deliveries.map(deliveryObject), before };
  }

  @Operation({
    tag: 'Events',
    id: 'redeliver',
    summary: 'Send an event once more',
    answer: { description: 'The delivery, which begins afresh.', of: WebhookDelivery },
    path: { delivery_id: { of: whole({ minimum: 1 }), example: 7 } },
    refusals: { 404: 'NotFound' },
  })
  @Post(':webhook_id/deliveries/:delivery_id/redeliver')
  @HttpCode(202)
  async redeliver(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @Param('delivery_id', DELIVERY_IN_PATH) deliveryId: number,
    @CurrentRequestor() requestor: Requestor,
  ): Promise<WebhookDelivery> {
    return deliveryObject(await this.webhooks.redeliver(id, deliveryId, logReaderOf(requestor)));
  }

  @Operation({
    tag: 'Events',
    id: 'recoverWebhook',
    summary: 'Send what a webhook has missed',
    description:
      'What failed since a time is sent again, and so is what the webhook did not get, as while it was disabled.',
    answer: { description: 'How many events are sent again, and how many for the first time.', of: Recovery },
    body: { example: { since: 1763719200 } },
    refusals: { 404: 'NotFound', 409: 'WebhookConflict' },
  })
  @Post(':webhook_id/recover')
  @HttpCode(202)
  async recover(
    @Param('webhook_id', WEBHOOK_IN_PATH) id: number,
    @Sent() { since }: RecoverRequest,
    @CurrentRequestor() { userId }: Requestor,
  ): Promise<{ again: number; made: number; until: string | null }> {
    const { again, made, until } = await this.webhooks.recover(id, since, userId);
    return { again, made, until: until && timestamp(until) };
  }
}

function logReaderOf({ userId, keyId, isAdmin }: Requestor): LogReader {
  return { userId, keyId: isAdmin ? null : keyId };
}
