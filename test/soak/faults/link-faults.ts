import type { ServerName } from '../links';
import { aWhile, type Fault, type FaultParts } from './fault';

const SERVERS = { postgres: 'PostgreSQL', nats: 'nats-server' };
const ANSWER_DELAY_MS = { min: 60, max: 600 };

/** Nothing passes, without an error; afterwards everything that was held arrives, or none of it ever does. */
export function swallowed(parts: FaultParts, server: ServerName, part: string): Fault {
  const link = parts.deployment.links.of(server, part);
  const happen = async () => {
    const isForEver = parts.random.chance(0.5);
    link.hold();
    await aWhile(parts, 8_000, 50_000);
    if (isForEver) link.swallow();
    link.release();
  };
  return { title: `connections of ${part} to ${SERVERS[server]} swallowed`, of: part, happen };
}

/** A turn asks PostgreSQL some five to ten times: it takes half a second to several seconds. */
export function slowTurns(parts: FaultParts, scheduler: string): Fault {
  const link = parts.deployment.links.of('postgres', scheduler);
  const happen = async () => {
    link.delayAnswers(parts.random.between(ANSWER_DELAY_MS.min, ANSWER_DELAY_MS.max));
    await aWhile(parts, 15_000, 30_000);
    link.delayAnswers(0);
  };
  return { title: `${scheduler}'s turns slow`, of: scheduler, happen };
}
