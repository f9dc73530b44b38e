import { Logger } from '@nestjs/common';
import { BusStrategy, MessageTooLarge, RemoteError, type Bus } from '@proctor/bus';
import { MESSAGE_BYTES_MAX, REQUEST_PATTERNS, requestSubject } from '@proctor/contracts';
import { finishedOf, newScope, type BusServer, type StartServer } from './server';

/** What becomes of messages that are longer than the server takes. */
export function describeSizes(name: string, start: StartServer): void {
  describe(`the size of messages on ${name}`, () => {
    let server: BusServer;
    let client: Bus;
    let strategy: BusStrategy;
    let scope: string;
    let subject: string;
    let answer: () => object;

    beforeEach(async () => {
      server = await start({});
      client = await server.connect();
      strategy = new BusStrategy(await server.connect());
      strategy.addHandler(REQUEST_PATTERNS.renew, () => Promise.resolve(answer()));
      scope = newScope();
      subject = requestSubject(scope, 'w1', 'renew');
      await strategy.serve(scope);
    });
    afterEach(async () => {
      await strategy.close();
      await server.close();
    });

    /** Longer than the test may last: an answer that comes, comes at once. */
    const ask = (body = {}) => client.request(subject, body, 60_000);

    it.each([
      ['an answer', () => ({ text: '€'.repeat(MESSAGE_BYTES_MAX / 3) }), /has \d+ bytes.*at most 1048576/],
      [
        'an error',
        () => {
          throw new Error(`too long ${'€'.repeat(MESSAGE_BYTES_MAX)}`);
        },
        /too long/,
      ],
    ])(
      '%s that is too long for a message is an error for the caller at once, and in the log',
      async (_, make, message) => {
        const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
        answer = make;
        const outcome = await ask().catch((error: unknown) => error);
        expect(outcome).toBeInstanceOf(RemoteError);
        expect((outcome as RemoteError).message).toMatch(message);
        expect(logged.mock.calls).toEqual([[`${subject} failed`, expect.stringMatching(message)]]);
        logged.mockRestore();
      },
    );

    it('an answer of just the size is taken', async () => {
      const just = { text: 'x'.repeat(MESSAGE_BYTES_MAX - '{"text":""}'.length) };
      answer = () => just;
      await expect(ask()).resolves.toEqual(just);
    });

    it('a request or report that is larger is not sent', async () => {
      const text = 'x'.repeat(MESSAGE_BYTES_MAX);
      await expect(ask({ text })).rejects.toThrow(MessageTooLarge);
      await expect(client.report(finishedOf(scope, 1), { text })).rejects.toThrow(MessageTooLarge);
    });
  });
}
