import { Module, type DynamicModule } from '@nestjs/common';
import { openStore } from './open-store';
import { MaintainedStore, ResultStore } from './result-store';
import type { S3Credentials, StoreSettings } from './store-settings';

/** The store of results, for every module of an application. */
@Module({})
export class StoreModule {
  /** @param credentials called when the store needs them; when it throws, the application does not start */
  static forRoot(settings: StoreSettings, credentials: () => S3Credentials): DynamicModule {
    return {
      module: StoreModule,
      global: true,
      providers: [
        { provide: MaintainedStore, useFactory: () => openStore(settings, credentials) },
        { provide: ResultStore, useExisting: MaintainedStore },
      ],
      exports: [MaintainedStore, ResultStore],
    };
  }
}
