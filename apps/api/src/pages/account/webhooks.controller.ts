import { Controller, Get, HttpCode, Injectable, Param, Post, Query, Req } from '@nestjs/common';
import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import { FACT_KINDS } from '@proctor/contracts';
import type { LoggedDelivery, Webhook, WebhookOwner } from '@proctor/database';
import { Requires } from '../../auth/authentication.middleware';
import { actorOf } from '../../auth/actor';
import { Sent } from '../../http/body.interceptor';
import type { Parameters } from '../../http/parameters';
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
import type { Page, Redirect } from '../frame/page';
import { OwnPages, requireLogin } from './account-pages';

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
    @Query('before') before: unknown,
    @Req() request: ContextRequest,
  ): Promise<Page> {
    const { userId } = ownerOf(request);
    const webhook = await this.webhooks.one(id, userId);
    const from = typeof before === 'string' && /^[1-9]\d{0,14}$/.test(before) ? Number(before) : null;
    const found = await this.webhooks.log(id, userId, { before: from }, DELIVERIES_PER_PAGE + 1);
    const part = found.slice(0, DELIVERIES_PER_PAGE);
    const older = found.length > part.length ? `?before=${part.at(-1)!.deliveryId}` : null;
    return {
      template: 'account/webhook',
      data: {
        webhook,
        wants: wantsOf(webhook),
        deliveries: part.map(deliveryRow),
        older,
        kinds: FACT_KINDS,
        known: fieldsOf(webhook),
      },
    };
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
    await this.webhooks.redeliver(id, deliveryId, ownerOf(request).userId);
    return backTo(request, `/${id}`);
  }

  private async list(
    request: ContextRequest,
    made: { webhook: Webhook; secret: string } | null,
  ): Promise<Page> {
    const webhooks = await this.webhooks.ofUser(ownerOf(request).userId);
    const rows = webhooks.map((webhook) => ({ ...webhook, wants: wantsOf(webhook) }));
    return {
      template: 'account/webhooks',
      data: { webhooks: rows, made, kinds: FACT_KINDS, known: NOTHING_KNOWN },
    };
  }
}

function ownerOf(request: ContextRequest): WebhookOwner {
  const user = requireLogin(request);
  return { ...actorOf(user, request), userId: user.userId };
}

function backTo(request: ContextRequest, path: string): Redirect {
  return { redirectTo: `/user/${requireLogin(request).name}/webhooks${path}` };
}

/** What the fields of its form hold. */
function fieldsOf({
  url,
  description,
  filter,
  keyId,
}: Pick<Webhook, 'url' | 'description' | 'filter' | 'keyId'>) {
  const {
    packages = [],
    suites = [],
    arches = [],
    kinds = [],
    verdicts = [],
    trigger = '',
    mine = false,
  } = filter;
  return {
    url,
    description,
    trigger,
    mine,
    hasKey: keyId !== null,
    package: packages.join(','),
    suite: suites.join(','),
    arch: arches.join(','),
    kinds: kinds.join(','),
    status: verdicts.join(','),
  };
}

const NOTHING_KNOWN = fieldsOf({ url: '', description: '', filter: {}, keyId: null });

/** Which events a webhook is told of, in words. */
function wantsOf({ filter, keyId }: Webhook): string {
  const { packages, suites, arches, kinds, verdicts, trigger, mine } = filter;
  const parts = [
    (kinds ?? FACT_KINDS).join(', '),
    ...(verdicts ? [`ended as ${verdicts.join(' or ')}`] : []),
    ...(packages ? [`of ${packages.join(', ')}`] : []),
    ...(suites ? [`on ${suites.join(', ')}`] : []),
    ...(arches ? [`on ${arches.join(', ')}`] : []),
    ...(trigger === undefined ? [] : [`triggered by ${trigger}`]),
    ...(mine ? ['of your own runs'] : []),
    ...(keyId === null ? [] : ['with private runs of its key']),
  ];
  return parts.join('; ');
}

function deliveryRow(delivery: LoggedDelivery) {
  const { state, attempts, status, error, dueAt } = delivery;
  const words = {
    delivered: 'delivered',
    failed: 'given up',
    pending: attempts > 0 ? 'comes again' : 'waits',
  };
  return {
    ...delivery,
    word: words[state],
    nextAt: state === 'pending' && attempts > 0 ? dueAt : null,
    result: error ?? (status === null ? '' : `answered ${status}`),
  };
}
