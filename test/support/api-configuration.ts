import type { ApiConfiguration } from '../../apps/api/src/configuration.token';

/** A deployment with two of everything, for tests that need no files. */
export function apiConfiguration(server: Partial<ApiConfiguration['server']> = {}): ApiConfiguration {
  return {
    server: {
      host: '127.0.0.1',
      port: 0,
      suites: ['bookworm', 'trixie'],
      architectures: ['amd64', 'arm64'],
      backends: ['unshare', 'qemu'],
      defaultBackend: 'unshare',
      variants: ['autopkgtest', 'newest'],
      neutral: 'pass',
      bodyBytesMax: 32 * 1024 * 1024,
      itemsPerRequestMax: 20_000,
      triggerBytesMax: 65_536,
      pinPackagesBytesMax: 32_768,
      extraAptSourcesMax: 20,
      historyLengthMax: 500,
      keysRememberedMs: 1_000,
      requestsPerSecondMax: 10_000,
      requestsPerMinuteMax: 100_000,
      anonymousRequestsPerSecondMax: 10_000,
      anonymousRequestsPerMinuteMax: 100_000,
      anonymousRequestsAtOnceMax: 8,
      anonymousRequestsWaitingMax: 1_000,
      anonymousWaitMs: 5_000,
      publicAgeMaxMs: 0,
      bodiesBytesMax: 128 * 1024 * 1024,
      bodyWaitMs: 5_000,
      refusedBodyMs: 5_000,
      waitSecondsMax: 60,
      passwordGuessesPerHourMax: 20,
      headersTimeoutMs: 20_000,
      requestTimeoutMs: 300_000,
      socketIdleMs: 120_000,
      trustedProxies: [],
      ...server,
    },
    extraAptSources: [
      { name: 'backports', lines: ['deb http://example.org/debian bookworm-backports main'] },
      { name: 'inner', lines: ['deb http://example.org/inner ./'], users: ['alice'] },
    ],
    rejectList: {
      blocked: { '*': { '*': { '*': '' } } },
      'not-on-arm': { bookworm: { arm64: { '*': '' } } },
      'one-version': { '*': { '*': { '1.0-1': '' } } },
    },
  };
}
