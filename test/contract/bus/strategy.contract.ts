import { Controller, Inject, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Ctx, EventPattern, MessagePattern, Payload } from '@nestjs/microservices';
import {
  BusContext,
  BusErrorFilter,
  BusStrategy,
  NoAnswer,
  RetryLater,
  RemoteError,
  type Bus,
} from '@proctor/bus';
import {
  ExplainRequest,
  parseMessage,
  REFUSED_REPORTS,
  REPORT_PATTERNS,
  type ReportKind,
  REQUEST_PATTERNS,
  requestSubject,
  reportSubject,
  SUBJECTS,
  subjectOf,
} from '@proctor/contracts';
import { logFields, withLogFields } from '@proctor/process';
import { of } from 'rxjs';
import { PATIENCE_MS } from '@test/support/until';
import { Events } from './events';
import { drained, finishedOf, newScope, SHORT_ACK_WAIT, type BusServer, type StartServer } from './server';

interface Call {
  handler: string;
  payload: unknown;
  scope: string;
  subject: string;
  redelivered: boolean;
}

/** A request may reach the server before it knows of the withdrawal: then nothing answers it. */
const WITHDRAWN_MS = 2_000;

/** What the handlers below do beyond recording their call. */
class Behaviour {
  readonly calls = new Events<Call>();
  onReport: () => Promise<void> = () => Promise.resolve();
  onRefusal: () => Promise<void> = () => Promise.resolve();
  onReturn: () => Promise<void> = () => Promise.resolve();
  returned = false;

  record(handler: string, payload: unknown, { scope, subject, isRedelivered }: BusContext): void {
    this.calls.push({ handler, payload, scope, subject, redelivered: isRedelivered });
  }
}

@Controller()
class Handlers {
  constructor(@Inject(Behaviour) private readonly behaviour: Behaviour) {}

  @MessagePattern(SUBJECTS.explain)
  explain(@Payload() payload: unknown, @Ctx() context: BusContext): object {
    const { runId } = parseMessage(ExplainRequest, payload);
    const { request } = logFields();
    return { runId, arch: context.scope, ...(request !== undefined && { request }) };
  }

  @MessagePattern(SUBJECTS.status)
  status(): never {
    throw new Error('no status today');
  }

  @MessagePattern(REQUEST_PATTERNS.renew)
  renew(): unknown {
    return of({ observed: true });
  }

  @MessagePattern(REQUEST_PATTERNS.return)
  async return(): Promise<object> {
    await this.behaviour.onReturn();
    this.behaviour.returned = true;
    return { returned: true };
  }

  @EventPattern<string>(SUBJECTS.runsSubmitted)
  submitted(@Payload() payload: unknown, @Ctx() context: BusContext): void {
    this.behaviour.record('submitted', payload, context);
  }

  @EventPattern<string>(REPORT_PATTERNS.finished)
  async finished(@Payload() payload: unknown, @Ctx() context: BusContext): Promise<void> {
    this.behaviour.record('finished', payload, context);
    await this.behaviour.onReport();
  }

  @EventPattern<string>(REFUSED_REPORTS)
  async refused(@Payload() payload: unknown, @Ctx() context: BusContext): Promise<void> {
    this.behaviour.record('refused', payload, context);
    const { onRefusal } = this.behaviour;
    this.behaviour.onRefusal = () => Promise.resolve();
    await onRefusal();
  }

  @EventPattern<string>(REPORT_PATTERNS.started)
  started(@Payload() payload: unknown, @Ctx() context: BusContext): void {
    this.behaviour.record('started', payload, context);
    parseMessage(ExplainRequest, payload);
  }
}

interface Service {
  app: INestMicroservice;
  strategy: BusStrategy;
  behaviour: Behaviour;
}

async function serve(bus: Bus): Promise<Service> {
  const behaviour = new Behaviour();
  @Module({ controllers: [Handlers], providers: [{ provide: Behaviour, useValue: behaviour }] })
  class TestModule {}
  const strategy = new BusStrategy(bus, undefined, SHORT_ACK_WAIT.drainTimeoutMs);
  const app = await NestFactory.createMicroservice(TestModule, { strategy, logger: false });
  app.useGlobalFilters(new BusErrorFilter());
  await app.listen();
  return { app, strategy, behaviour };
}

/** What Nest handlers get through BusStrategy, whatever carries it. */
export function describeStrategy(name: string, start: StartServer): void {
  describe(`BusStrategy on ${name}`, () => {
    let server: BusServer;
    let client: Bus;
    let service: Service;
    let scope: string;

    beforeAll(async () => {
      server = await start(SHORT_ACK_WAIT);
      client = await server.connect();
      service = await serve(await server.connect());
    });
    beforeEach(async () => {
      scope = newScope();
      await client.prepareReports(scope, ['w1']);
    });
    afterEach(() => service.strategy.withdraw(scope));
    afterAll(async () => {
      await service.app.close();
      await server.close();
    });

    it('requests of the scopes that are served are answered, and of no other', async () => {
      await service.strategy.serve(scope);
      await expect(
        client.request(subjectOf(SUBJECTS.explain, scope), { runId: 7 }, PATIENCE_MS),
      ).resolves.toEqual({
        runId: 7,
        arch: scope,
      });
      await expect(
        client.request(subjectOf(SUBJECTS.explain, newScope()), { runId: 7 }, PATIENCE_MS),
      ).rejects.toThrow(NoAnswer);
    });

    it('what is asked on behalf of an HTTP request is handled, and logged, under its id', async () => {
      await service.strategy.serve(scope);
      const ask = () => client.request(subjectOf(SUBJECTS.explain, scope), { runId: 7 }, PATIENCE_MS);
      await expect(withLogFields({ request: 'r-1' }, ask)).resolves.toMatchObject({ request: 'r-1' });
      await expect(ask()).resolves.not.toHaveProperty('request');
    });

    it('a request is answered with what an Observable gives', async () => {
      await service.strategy.serve(scope);
      await expect(client.request(requestSubject(scope, 'w1', 'renew'), {}, PATIENCE_MS)).resolves.toEqual({
        observed: true,
      });
    });

    it('a request is answered with the message of an error, a malformed one included', async () => {
      await service.strategy.serve(scope);
      const ask = (subject: typeof SUBJECTS.status | typeof SUBJECTS.explain, body: object) =>
        client.request(subjectOf(subject, scope), body, PATIENCE_MS);
      await expect(ask(SUBJECTS.status, {})).rejects.toThrow(new RemoteError('no status today'));
      await expect(ask(SUBJECTS.explain, { runId: 'x' })).rejects.toThrow(/ExplainRequest: runId: .*integer/);
    });

    it('signals arrive with their context', async () => {
      await service.strategy.serve(scope);
      const subject = subjectOf(SUBJECTS.runsSubmitted, scope);
      client.signal(subject, { any: 'thing' });
      expect(await service.behaviour.calls.next()).toEqual({
        handler: 'submitted',
        payload: { any: 'thing' },
        scope,
        subject,
        redelivered: false,
      });
    });

    it('nothing arrives after withdrawing, and the scope may be served again', async () => {
      await service.strategy.serve(scope);
      await service.strategy.withdraw(scope);
      await expect(client.request(requestSubject(scope, 'w1', 'renew'), {}, WITHDRAWN_MS)).rejects.toThrow(
        NoAnswer,
      );
      await client.report(finishedOf(scope, 1), { number: 1 });
      expect(service.behaviour.calls.unread).toBe(0);
      await service.strategy.serve(scope);
      expect(await service.behaviour.calls.next()).toMatchObject({
        payload: { number: 1 },
        redelivered: false,
      });
      await drained(client, scope);
    });

    it('a report whose handler fails is delivered again until it succeeds', async () => {
      let failures = 2;
      service.behaviour.onReport = () =>
        failures-- > 0 ? Promise.reject(new Error('database away')) : Promise.resolve();
      await client.report(finishedOf(scope, 1), { number: 1 });
      await service.strategy.serve(scope);
      await drained(client, scope);
      for (const redelivered of [false, true, true]) {
        expect(await service.behaviour.calls.next()).toMatchObject({ handler: 'finished', redelivered });
      }
      expect(service.behaviour.calls.unread).toBe(0);
    });

    it('a malformed report, and one of an unknown kind, is handed over with the reason, and ended', async () => {
      const attempt = { worker: 'w1', runId: 1, attempt: 1 };
      const odd = reportSubject(scope, 'paused' as ReportKind, attempt);
      await client.report(reportSubject(scope, 'started', attempt), { runId: 'x' });
      await client.report(odd, {});
      await service.strategy.serve(scope);
      await drained(client, scope);
      const calls = await Promise.all([1, 2, 3].map(() => service.behaviour.calls.next()));
      expect(calls).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            handler: 'refused',
            payload: {
              reason: expect.stringMatching(/malformed: ExplainRequest: runId: .*integer/) as string,
            },
          }),
          expect.objectContaining({
            handler: 'refused',
            payload: { reason: 'it is malformed: no handler takes this report' },
            subject: odd,
          }),
        ]),
      );
      expect(service.behaviour.calls.unread).toBe(0);
    });

    it('a malformed report is ended once that was reported', async () => {
      service.behaviour.onRefusal = () => Promise.reject(new RetryLater('the database is away'));
      await client.report(reportSubject(scope, 'started', { worker: 'w1', runId: 1, attempt: 1 }), {
        runId: 'x',
      });
      await service.strategy.serve(scope);
      await drained(client, scope);
      for (const [handler, redelivered] of [
        ['started', false],
        ['refused', false],
        ['started', true],
        ['refused', true],
      ])
        expect(await service.behaviour.calls.next()).toMatchObject({ handler, redelivered });
      expect(service.behaviour.calls.unread).toBe(0);
    });

    it('a scope is refused when it is served already, or is not a token of a subject', async () => {
      await service.strategy.serve(scope);
      await expect(service.strategy.serve(scope)).rejects.toThrow('served already');
      await expect(service.strategy.serve('a.*')).rejects.toThrow('cannot be part of a subject');
    });

    it('what a killed process had in hand is handed to the next that serves the scope', async () => {
      const doomedBus = await server.connect();
      const doomed = await serve(doomedBus);
      doomed.behaviour.onReport = () => new Promise(() => undefined);
      await client.report(finishedOf(scope, 1), { number: 1 });
      await doomed.strategy.serve(scope);
      await doomed.behaviour.calls.next();
      await server.kill(doomedBus);

      await service.strategy.serve(scope);
      expect(await service.behaviour.calls.next()).toMatchObject({
        payload: { number: 1 },
        redelivered: true,
      });
      await drained(client, scope);
      await doomed.app.close();
    });

    it('a request in flight is answered before the strategy is closed', async () => {
      const leaving = await serve(await server.connect());
      let goOn = (): void => undefined;
      const gate = new Promise<void>((resolve) => (goOn = resolve));
      const hasStarted = new Promise<void>((resolve) => {
        leaving.behaviour.onReturn = () => {
          resolve();
          return gate;
        };
      });
      await leaving.strategy.serve(scope);
      const asking = client.request(requestSubject(scope, 'w1', 'return'), {}, PATIENCE_MS);
      await hasStarted;
      const closed = leaving.app.close();
      setImmediate(goOn);
      await closed;
      expect(leaving.behaviour.returned).toBe(true);
      await expect(asking).resolves.toEqual({ returned: true });
    });

    it('handlers in flight are waited for when the strategy is closed', async () => {
      const leaving = await serve(await server.connect());
      let goOn = (): void => undefined;
      let isDone = false;
      leaving.behaviour.onReport = async () => {
        await new Promise<void>((resolve) => (goOn = resolve));
        isDone = true;
      };
      await client.report(finishedOf(scope, 1), { number: 1 });
      await leaving.strategy.serve(scope);
      await leaving.behaviour.calls.next();
      const closed = leaving.app.close();
      goOn();
      await closed;
      expect(isDone).toBe(true);
    });
  });
}
