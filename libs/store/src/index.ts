export * from './result-store';
export { FolderStore } from './folder-store';
export { StoreModule } from './store.module';
