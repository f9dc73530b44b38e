import { Logger } from '@nestjs/common';
import { startMemoryServer } from './memory-server';
import { startOwnNats } from './nats-server';
import { describeSweeping } from './staging.contract';

Logger.overrideLogger(false);

describeSweeping('MemoryBus', startMemoryServer);
describeSweeping('NatsBus', startOwnNats);
