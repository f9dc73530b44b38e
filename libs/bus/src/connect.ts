import { Logger } from '@nestjs/common';
import type { Credentials } from './credentials';
import { BUS_LIMITS, type BusLimits } from './limits';
import { NatsBus } from './nats-bus';
import { NatsLink } from './nats-link';
import { RequestLinks } from './request-links';

export interface BusOptions {
  /** The name in the server's list of connections; by default the name of the credentials. */
  clientName?: string;
  limits?: Partial<BusLimits>;
  /** Only for the scheduler: creates the streams, also after the server has lost them. */
  makesStreams?: boolean;
  /** Only for workers: waits while the server refuses the worker, for example until it is registered. */
  waitsForAdmission?: boolean;
}

/**
 * Connects to NATS. Waits until the server runs, and its JetStream if the streams are to be created.
 * @throws when the server refuses the credentials (unless `waitsForAdmission`), or the streams
 */
export async function connectBus(credentials: Credentials, options: BusOptions = {}): Promise<NatsBus> {
  const { clientName = credentials.name, makesStreams = false, waitsForAdmission = false } = options;
  const logger = new Logger('Bus');
  logger.log(`connecting to NATS at ${credentials.url} as ${clientName}`);
  const limits = { ...BUS_LIMITS, ...options.limits };
  const link = await NatsLink.open(credentials, clientName, limits, { makesStreams, waitsForAdmission });
  // The process that creates the streams serves the workers.
  const requestLinks = makesStreams ? await RequestLinks.open(credentials, clientName) : null;
  const bus = new NatsBus(link, limits, requestLinks);
  logger.log(`connected to NATS at ${credentials.url}`);
  return bus;
}
