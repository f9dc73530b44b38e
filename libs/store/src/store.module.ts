import { Module, type DynamicModule } from '@nestjs/common';
import { FolderStore } from './folder-store';
import { ResultStore } from './result-store';

/** The store of results, for every module of an application. */
@Module({})
export class StoreModule {
  /** @param path the folder that holds them; made when the first result comes */
  static forRoot(path: string): DynamicModule {
    return {
      module: StoreModule,
      global: true,
      providers: [{ provide: ResultStore, useFactory: () => new FolderStore(path) }],
      exports: [ResultStore],
    };
  }
}
