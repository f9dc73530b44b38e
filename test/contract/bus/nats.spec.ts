import { Logger } from '@nestjs/common';
import { describeBus } from '../bus.contract';
import { startNatsClients } from './nats-server';
import { describeReports } from './reports.contract';
import { describeSizes } from './sizes.contract';
import { describeStrategy } from './strategy.contract';

Logger.overrideLogger(false);

describeBus('NatsBus', startNatsClients);
describeReports('NatsBus', startNatsClients);
describeStrategy('NatsBus', startNatsClients);
describeSizes('NatsBus', startNatsClients);
