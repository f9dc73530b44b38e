import type { BusContext } from '@proctor/bus';
import { MalformedMessage, parseMessage, requestingWorker } from '@proctor/contracts';

/** @throws MalformedMessage also if it names another worker than its sender */
export function parseRequest<Request extends { worker: string }>(
  shape: new () => Request,
  payload: unknown,
  { subject }: Pick<BusContext, 'subject'>,
): Request {
  const request = parseMessage(shape, payload);
  if (request.worker === requestingWorker(subject)) return request;
  throw new MalformedMessage(`${shape.name}: worker: ${request.worker} is not what the subject says`);
}
