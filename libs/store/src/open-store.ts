import { removeAmbient } from '@proctor/surroundings';
import { FolderStore } from './folder-store';
import type { MaintainedStore } from './result-store';
import type { S3Credentials, StoreSettings } from './store-settings';

/**
 * The store of the settings; it need not be reachable yet.
 * @param credentials called when the kind needs them
 * @throws what `credentials` throws
 */
export async function openStore(
  settings: StoreSettings,
  credentials: () => S3Credentials,
): Promise<MaintainedStore> {
  if (settings.kind === 'folder') return new FolderStore(settings.path);
  const keys = credentials();
  removeAmbient('aws');
  // Nor the person's own files.
  process.env['AWS_CONFIG_FILE'] = process.env['AWS_SHARED_CREDENTIALS_FILE'] = '/dev/null';
  // A deployment does not need the warning about later versions of Node.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';
  // The client is large: only a deployment that uses it loads it.
  const { S3Store } = await import('./s3-store.js');
  return new S3Store(settings, keys);
}
