import { Logger } from '@nestjs/common';
import { describeBus } from '../bus.contract';
import { describeReports } from './reports.contract';
import { describeSizes } from './sizes.contract';
import { describeStrategy } from './strategy.contract';
import { startMemoryServer } from './memory-server';

Logger.overrideLogger(false);

describeBus('MemoryBus', startMemoryServer);
describeReports('MemoryBus', startMemoryServer);
describeStrategy('MemoryBus', startMemoryServer);
describeSizes('MemoryBus', startMemoryServer);
