import { Logger } from '@nestjs/common';
import { BUS_LIMITS, type BusLimits } from './limits';
import { NatsBus } from './nats-bus';
import { NatsLink } from './nats-link';

/**
 * Connects to NATS and makes the streams. Waits until the server and its JetStream are there.
 * @param natsUrl `nats://user:password@host:port`
 * @param clientName for people who look at the server's connections
 * @throws when the server refuses the credentials or the streams
 */
export async function connectBus(
  natsUrl: string,
  clientName: string,
  limits: Partial<BusLimits> = {},
): Promise<NatsBus> {
  const { host } = new URL(natsUrl);
  const logger = new Logger('Bus');
  logger.log(`connecting to NATS at ${host} as ${clientName}`);
  const allLimits = { ...BUS_LIMITS, ...limits };
  const bus = new NatsBus(await NatsLink.open(natsUrl, clientName, allLimits), allLimits);
  logger.log(`connected to NATS at ${host}`);
  return bus;
}
