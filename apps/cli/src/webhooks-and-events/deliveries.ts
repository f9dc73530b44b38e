import type { DeliveryList, Recovery, WebhookDelivery } from '@proctor/resources';
import { type OutputOptions, printAnswer, printJson, printTable, printNotice } from '../output/print';
import type { ServiceOptions } from '../service/address';
import { Service } from '../service/service';

/** Deliveries in one answer of the API. */
const PART_MAX = 200;

/** @throws Failure if there is no such webhook */
export async function pingWebhook(id: number, options: ServiceOptions & OutputOptions): Promise<void> {
  const service = await Service.find(options);
  const delivery = await service.post<WebhookDelivery>(`/webhooks/${id}/ping`);
  printAnswer(delivery, options, printDelivery);
  printNotice(`for the answer: proctor webhook deliveries ${id}`);
}

/** @throws Failure if there is no such webhook */
export async function listDeliveries(
  id: number,
  options: ServiceOptions & OutputOptions & { state?: string; limit: number },
): Promise<void> {
  const { state, limit, json } = options;
  const service = await Service.find(options);
  const deliveries: WebhookDelivery[] = [];
  let before: number | null = null;
  do {
    const part = { limit: Math.min(limit - deliveries.length, PART_MAX), ...(before !== null && { before }) };
    const answer: DeliveryList = await service.request(`/webhooks/${id}/deliveries`, { state, ...part });
    deliveries.push(...answer.deliveries);
    before = answer.before;
  } while (before !== null && deliveries.length < limit);
  if (json) printJson({ deliveries, before });
  else printDeliveries(deliveries);
}

/** @throws Failure if there is no such webhook or delivery */
export async function redeliver(
  id: number,
  deliveryId: number,
  options: ServiceOptions & OutputOptions,
): Promise<void> {
  const service = await Service.find(options);
  const path = `/webhooks/${id}/deliveries/${deliveryId}/redeliver`;
  printAnswer(await service.post<WebhookDelivery>(path), options, printDelivery);
}

/** @throws Failure if there is no such webhook */
export async function recoverWebhook(
  id: number,
  options: ServiceOptions & OutputOptions & { since: number },
): Promise<void> {
  const service = await Service.find(options);
  const body = { since: Math.floor(options.since) };
  const answer = await service.post<Recovery>(`/webhooks/${id}/recover`, body);
  printAnswer(answer, options, ({ again, made: firstTimes }) =>
    printNotice(`${again} events are sent again, and ${firstTimes} for the first time`),
  );
  const { until } = answer;
  if (until !== null)
    printNotice(`that was too much at once; go on with: proctor webhook recover ${id} --since ${until}`);
}

function printDelivery(delivery: WebhookDelivery): void {
  printDeliveries([delivery]);
}

function printDeliveries(deliveries: WebhookDelivery[]): void {
  printTable(
    deliveries,
    [
      { head: 'ID', of: ({ id }) => id },
      { head: 'EVENT', of: ({ kind }) => kind },
      { head: 'RUN', of: ({ run_id: runId }) => runId },
      { head: 'STATE', of: ({ state }) => state },
      { head: 'ATTEMPTS', of: ({ attempts }) => attempts },
      { head: 'STATUS', of: ({ status }) => status },
      { head: 'NEXT', of: ({ next_at: at }) => (at === null ? null : new Date(at)) },
      { head: 'ERROR', of: ({ error }) => error, isCut: true },
    ],
    'nothing was sent yet',
  );
}
