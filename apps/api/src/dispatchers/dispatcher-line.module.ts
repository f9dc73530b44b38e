import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { connectBus } from '@proctor/bus';
import { systemClock } from '@proctor/clock';
import { DispatcherLine } from './dispatcher-line';

@Module({})
export class DispatcherLineModule {
  static forRoot(natsUrl: string): DynamicModule {
    const useFactory = (): DispatcherLine =>
      new DispatcherLine(() => connectBus(natsUrl, 'api'), systemClock);
    return {
      module: DispatcherLineModule,
      global: true,
      providers: [{ provide: DispatcherLine, useFactory }],
      exports: [DispatcherLine],
    };
  }
}
