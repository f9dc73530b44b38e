import { systemClock } from '@proctor/clock';
import { WebhookDeliveries, WebhookEvents } from '@proctor/database';
import { Counter, type Registry } from 'prom-client';
import { CONFIGURATION, REGISTRY } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import { DispatcherClient } from '../dispatchers/dispatcher-client';
import { Room } from '../http/room';
import { WebhookMatcher } from './webhook-matcher';
import { sendMessage } from './webhook-request';
import { DELIVERY_OUTCOMES, type DeliveryOutcome, WebhookSender } from './webhook-sender';
import { OWN_SERVICES, type OwnServices } from './webhook-url';
import { WebhooksController } from './webhooks.controller';
import { WebhooksService } from './webhooks.service';

function countedIn(registry: Registry): (outcome: DeliveryOutcome) => void {
  const counter = new Counter({
    name: 'proctor_webhook_deliveries_total',
    help: 'Attempts to send an event to a webhook that ended: delivered, again (it failed, and is repeated), failed (given up).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of DELIVERY_OUTCOMES) counter.inc({ outcome }, 0);
  return (outcome) => counter.inc({ outcome });
}

/** Webhooks: users choose addresses, and events are sent there. */
@Room({
  controllers: [WebhooksController],
  providers: [
    {
      provide: WebhookSender,
      inject: [WebhookDeliveries, CONFIGURATION, OWN_SERVICES, REGISTRY],
      useFactory: (
        deliveries: WebhookDeliveries,
        configuration: ApiConfiguration,
        ownServices: OwnServices,
        registry: Registry,
      ) =>
        new WebhookSender({
          deliveries,
          configuration,
          ownServices,
          clock: systemClock,
          onOutcome: countedIn(registry),
          send: (message) => sendMessage(message, configuration.server.webhooks),
          random: () => Math.random(),
        }),
    },
    {
      provide: WebhookMatcher,
      inject: [WebhookEvents, WebhookDeliveries, WebhookSender, DispatcherClient, CONFIGURATION],
      useFactory: (
        events: WebhookEvents,
        deliveries: WebhookDeliveries,
        sender: WebhookSender,
        dispatchers: DispatcherClient,
        configuration: ApiConfiguration,
      ) => new WebhookMatcher({ events, deliveries, sender, dispatchers, configuration, clock: systemClock }),
    },
    WebhooksService,
  ],
})
export class WebhooksModule {}
