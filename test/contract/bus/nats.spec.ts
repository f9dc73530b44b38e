import { headers, type NatsConnection } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { describeBus } from '../bus.contract';
import { startNatsClients } from './nats-server';
import { Events } from './events';
import { describeReports } from './reports.contract';
import { describeSizes } from './sizes.contract';
import { drained, finishedOf, LIMITS, newScope } from './server';
import { describeStrategy } from './strategy.contract';

Logger.overrideLogger(false);

describeBus('NatsBus', startNatsClients);
describeReports('NatsBus', startNatsClients);
describeStrategy('NatsBus', startNatsClients);
describeSizes('NatsBus', startNatsClients);

it('the bus takes for a report what a worker gives the headers of JetStream’s words to a consumer', async () => {
  const server = await startNatsClients(LIMITS);
  const [bus, arch, subjects] = [await server.connect(), newScope(), new Events<string>()];
  await bus.prepareReports(arch, ['w1']);
  const consumption = await bus.consumeReports(arch, ({ subject }) =>
    Promise.resolve(subjects.push(subject)),
  );
  const nc = Reflect.get(bus, 'nc') as NatsConnection;
  for (const [place, code] of [100, 404, 409, 503].entries()) {
    const subject = finishedOf(arch, place + 1);
    nc.publish(subject, '{}', { headers: headers(code, 'Consumer Deleted') });
    expect(await subjects.next()).toBe(subject);
  }
  await drained(bus, arch);
  await consumption.stop();
  await server.close();
});
