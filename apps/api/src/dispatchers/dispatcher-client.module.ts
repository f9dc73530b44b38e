import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { connectBus, readCredentials } from '@proctor/bus';
import { systemClock } from '@proctor/clock';
import { DispatcherLine } from './dispatcher-client';

@Module({})
export class DispatcherLineModule {
  static forRoot(credentialsFile: string): DynamicModule {
    const useFactory = (): DispatcherLine =>
      new DispatcherLine(async () => connectBus(await readCredentials(credentialsFile)), systemClock);
    return {
      module: DispatcherLineModule,
      global: true,
      providers: [{ provide: DispatcherLine, useFactory }],
      exports: [DispatcherLine],
    };
  }
}
