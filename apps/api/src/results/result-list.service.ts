import { Inject, Injectable } from '@nestjs/common';
import { Results } from '@proctor/database';
import type { Requestor } from '@proctor/database';
import type { Request, Response } from 'express';
import { KeyCheck } from '../auth/key-check';
import { CONFIGURATION } from '../configuration.token';
import type { ApiConfiguration } from '../configuration.token';
import type { Parameters } from '../transport/parameters';
import { News } from './news';
import { sinceOf, waitOf } from './numbers';
import { resultList, sendJsonStream } from './result-stream';

/** Answers `GET /api/v1/test`. */
@Injectable()
export class ResultListService {
  constructor(
    private readonly results: Results,
    private readonly news: News,
    private readonly keys: KeyCheck,
    @Inject(CONFIGURATION) private readonly configuration: ApiConfiguration,
  ) {}

  /**
   * Streams what is new for the key since `since`; with `wait`, an answer without results is held back that long.
   * @throws Problem 400; 403 when the key was revoked meanwhile
   */
  async send(
    parameters: Parameters,
    requestor: Requestor,
    request: Request,
    response: Response,
  ): Promise<void> {
    const { waitSecondsMax, neutral } = this.configuration.server;
    const since = sinceOf(parameters.get('since'));
    const waitSeconds = waitOf(parameters.get('wait'), waitSecondsMax);
    if (waitSeconds > 0 && request.method === 'GET') {
      await this.news.wait(requestor.keyId, since, waitSeconds * 1_000, closing(response));
      if (response.closed) return;
      await this.keys.requestorOf(request, response);
    }
    const { until, rows } = await this.results.since(requestor.keyId, since);
    await sendJsonStream(request, response, resultList(until, rows, neutral));
  }
}

/** Aborts when the client is gone. */
function closing(response: Response): AbortSignal {
  const controller = new AbortController();
  if (response.closed) controller.abort();
  else response.once('close', () => controller.abort());
  return controller.signal;
}
