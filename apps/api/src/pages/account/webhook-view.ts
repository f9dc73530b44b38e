import { END_KINDS, FACT_KINDS, VERDICTS } from '@proctor/contracts';
import type { LoggedDelivery, Webhook } from '@proctor/database';

/** The choices of the form; `pass` includes neutral runs. */
export function choicesOf({ suites, architectures }: { suites: string[]; architectures: string[] }) {
  const statuses = VERDICTS.filter((verdict) => verdict !== 'neutral');
  return { suites, arches: architectures, kinds: FACT_KINDS, endKinds: END_KINDS, statuses };
}

type Choices = ReturnType<typeof choicesOf>;

/** The page of a user's webhooks, with an empty form for a new one. */
export function webhooksView(webhooks: Webhook[], choices: Choices) {
  const rows = webhooks.map((webhook) => ({ ...webhook, wants: wantsOf(webhook) }));
  return { webhooks: rows, choices, known: NOTHING_KNOWN };
}

/** A webhook with one page of its log. */
export function webhookView(
  webhook: Webhook,
  { deliveries, before }: { deliveries: LoggedDelivery[]; before: number | null },
  choices: Choices,
) {
  return {
    webhook,
    wants: wantsOf(webhook),
    deliveries: deliveries.map(deliveryRow),
    older: before === null ? null : `?before=${before}`,
    choices,
    known: fieldsOf(webhook),
  };
}

/** The values of the form fields of a webhook. */
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
  const hasPass = verdicts.includes('pass');
  return {
    url,
    description,
    trigger,
    mine,
    hasKey: keyId !== null,
    packages,
    suites,
    arches,
    kinds,
    verdicts: verdicts.filter((verdict) => verdict !== 'neutral' || !hasPass),
  };
}

const NOTHING_KNOWN = fieldsOf({ url: '', description: '', filter: {}, keyId: null });

/** The events that a webhook receives, in words. */
function wantsOf({ filter, keyId }: Webhook): string {
  const { packages, suites, arches, kinds, verdicts, trigger, mine } = filter;
  const parts = [
    (kinds ?? FACT_KINDS).join(', '),
    ...(verdicts ? [`ended as ${verdicts.join(' or ')}`] : []),
    ...(packages ? [`of ${packages.join(', ')}`] : []),
    ...(suites ? [`on ${suites.join(', ')}`] : []),
    ...(arches ? [`on ${arches.join(', ')}`] : []),
    ...(trigger === undefined ? [] : [`triggered by ${trigger}`]),
    ...(mine ? ['of your runs'] : []),
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
