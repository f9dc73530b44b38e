import type { Msg, NatsConnection, SubscriptionOptions } from '@nats-io/transport-node';
import type { Fact } from '@proctor/contracts';
import { NoAnswer } from './bus';
import { NatsEvents } from './nats-events';

const TIMEOUT_MS = 1_000;
const FACT: Fact = {
  factId: 7,
  runId: 1,
  arch: 'amd64',
  suite: 'sid',
  kind: 'granted',
  state: 'leased',
  attempt: 1,
  actor: 'scheduler',
  reason: null,
  verdict: null,
  at: '2026-01-01T00:00:00.000Z',
};

describe('NatsEvents', () => {
  let answer: (message: Msg) => void;
  let close: () => void;
  let replies: string[];
  const subscribe = jest.fn();
  let events: NatsEvents;

  beforeEach(() => {
    jest.useFakeTimers();
    replies = [];
    subscribe.mockReset().mockImplementation((_subject: string, { callback }: SubscriptionOptions) => {
      answer = (message) => void callback!(null, message);
    });
    const connection = {
      closed: () => new Promise<void>((resolve) => (close = resolve)),
      publish: (_subject: string, _text: string, { reply }: { reply: string }) => replies.push(reply),
      subscribe,
    };
    events = new NatsEvents(connection as unknown as NatsConnection, '_INBOX_scheduler', TIMEOUT_MS);
  });
  afterEach(() => jest.useRealTimers());

  function answered(subject: string, body: object | null, code?: number): void {
    const text = body ? JSON.stringify(body) : '';
    const message = { subject, data: Buffer.from(text), headers: { code }, json: () => body };
    answer(message as unknown as Msg);
  }

  it('each event waits for its own answer, whatever their order, on one subscription', async () => {
    const published: string[] = [];
    const first = events.publish(FACT).then(() => published.push('first'));
    const second = events.publish({ ...FACT, factId: 8 }).then(() => published.push('second'));
    answered(replies[1]!, { stream: 'events', seq: 1 });
    await second;
    expect(published).toEqual(['second']);
    answered(replies[0]!, { stream: 'events', seq: 2, duplicate: true });
    await first;
    expect(published).toEqual(['second', 'first']);
    expect(subscribe).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each([
    ['a server without the stream', null, 503, 'there is no stream for it'],
    ['an empty answer', null, undefined, 'empty answer'],
    [
      'a stream that refuses it',
      { error: { code: 503, description: 'no room' } },
      undefined,
      'no room (503)',
    ],
    ['an answer without a stream', {}, undefined, 'the answer names no stream'],
  ])('an event is not published by %s', async (_what, body, code, why) => {
    const published = events.publish(FACT);
    answered(replies[0]!, body, code);
    await expect(published).rejects.toThrow(new NoAnswer(`event 7 ${FACT.at} was not stored: ${why}`));
  });

  it('an event that is not answered in time fails alone, and its late answer is passed over', async () => {
    const late = events.publish(FACT);
    jest.advanceTimersByTime(TIMEOUT_MS / 2);
    const next = events.publish({ ...FACT, factId: 8 });
    const rejection = expect(late).rejects.toThrow(`no answer to event 7 ${FACT.at}`);
    jest.advanceTimersByTime(TIMEOUT_MS / 2);
    await rejection;
    answered(replies[0]!, { stream: 'events', seq: 1 });
    answered(replies[1]!, { stream: 'events', seq: 2 });
    await expect(next).resolves.toBeUndefined();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('events that are under way fail when the connection is closed', async () => {
    const published = events.publish(FACT);
    const rejection = expect(published).rejects.toThrow(NoAnswer);
    close();
    await rejection;
    expect(jest.getTimerCount()).toBe(0);
  });
});
