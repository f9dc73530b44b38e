import { Logger } from '@nestjs/common';
import type { Credentials } from './credentials';
import { BUS_LIMITS, type BusLimits } from './limits';
import { NatsBus } from './nats-bus';
import { NatsLink } from './nats-link';
import { RequestLinks } from './request-links';

export interface BusOptions {
  /** For people who look at the server's connections; the name of the credentials when absent. */
  clientName?: string;
  limits?: Partial<BusLimits>;
  /** Of the scheduler alone: makes the streams, and again when the server has lost them. */
  makesStreams?: boolean;
  /** Of a worker: waits while the server refuses it, as until it is registered. */
  waitsForAdmission?: boolean;
}

/**
 * Connects to NATS. Waits until the server is there, and its JetStream when the streams are to be made.
 * @throws when the server refuses the credentials, unless that is waited for, or the streams
 */
export async function connectBus(credentials: Credentials, options: BusOptions = {}): Promise<NatsBus> {
  const { clientName = credentials.name, makesStreams = false, waitsForAdmission = false } = options;
  const logger = new Logger('Bus');
  logger.log(`connecting to NATS at ${credentials.url} as ${clientName}`);
  const limits = { ...BUS_LIMITS, ...options.limits };
  const link = await NatsLink.open(credentials, clientName, limits, { makesStreams, waitsForAdmission });
  // Who makes the streams serves the workers.
  const requestLinks = makesStreams ? await RequestLinks.open(credentials, clientName) : null;
  const bus = new NatsBus(link, limits, requestLinks);
  logger.log(`connected to NATS at ${credentials.url}`);
  return bus;
}
