export * from './result-store';
export * from './store-settings';
export { FolderStore } from './folder-store';
export { fileAt, storedPath } from './result-path';
export { openStore } from './open-store';
export { StoreModule } from './store.module';
