import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { systemClock } from '@proctor/clock';
import type { Configuration } from '@proctor/config';
import type { Sandboxes } from '../sandbox/sandboxes';
import type { Backend } from './backend';
import { HostApt } from './host-apt/host-apt';
import { MmdebstrapBuilder } from './image-builder';
import { ImageFiles } from './image-files';
import { Images, type ImageSettings } from './images';
import { NullBackend } from './null-backend';
import { UnshareBackend } from './unshare-backend';
import { UnknownBackend } from './unknown-backend';

const MINUTE_MS = 60_000;

/** The backends that the configuration names, in its order. `changed`: one of them has more to offer than before. */
export function buildBackends(
  configuration: Pick<Configuration, 'worker'>,
  sandboxes: Sandboxes,
  changed: () => void,
): Backend[] {
  const { worker } = configuration;
  return worker.backends.map((name) => {
    switch (name) {
      case 'unshare':
        return buildUnshare(configuration, sandboxes, changed);
      case 'null':
        return new NullBackend(worker.suitesAtStart, worker.machineMayBeDestroyed, sandboxes);
      default:
        return new UnknownBackend(name);
    }
  });
}

function buildUnshare(
  configuration: Pick<Configuration, 'worker'>,
  sandboxes: Sandboxes,
  changed: () => void,
): Backend {
  const { workPath, suiteSources, suitesAtStart, architectures } = configuration.worker;
  const files = new ImageFiles(join(workPath, 'images'));
  const hostApt = new HostApt(suiteSources, join(workPath, 'keys'));
  const builder = new MmdebstrapBuilder(sandboxes, hostApt);
  const settings: ImageSettings = {
    get ageMaxMs() {
      return configuration.worker.imageAgeMaxMs;
    },
    checkMs: 10 * MINUTE_MS,
    retryFirstMs: MINUTE_MS,
    retryMaxMs: 30 * MINUTE_MS,
  };
  const log = new Logger('Images');
  const images = new Images(files, builder, settings, systemClock, Date.now, log, changed);
  return new UnshareBackend(suitesAtStart, architectures, sandboxes, images, files, hostApt);
}
