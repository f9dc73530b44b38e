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
      historyLengthMax: 500,
      storePath: '/nonexistent/store',
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
