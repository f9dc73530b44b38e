import { rejectedVersions } from './reject-list';

const LIST = {
  hello: {
    bookworm: { amd64: { '1.0-1': '', '1.0-2': '' }, '*': { '1.0-3': '' } },
    '*': { amd64: { '1.0-1': '', '1.0-4': '' }, '*': { '1.0-5': '' } },
  },
  never: { '*': { '*': { '*': '' } } },
  'rust-*': { sid: { '*': { '*': '' } }, '*': { '*': { '0.1-1': '' } } },
  'rust-h*': { trixie: { '*': { '0.2-1': '' } } },
  'rust-hello': { trixie: { '*': { '0.3-1': '' } } },
  constructor: { bookworm: { amd64: { '1': '' } } },
} as const;

it.each([
  ['hello', 'bookworm', 'amd64', ['1.0-1', '1.0-2', '1.0-3', '1.0-4', '1.0-5']],
  ['hello', 'bookworm', 'arm64', ['1.0-3', '1.0-5']],
  ['hello', 'trixie', 'amd64', ['1.0-1', '1.0-4', '1.0-5']],
  ['hello', 'trixie', 'arm64', ['1.0-5']],
  ['hello', 'constructor', 'toString', ['1.0-5']],
  ['never', 'trixie', 'arm64', ['*']],
  ['constructor', 'bookworm', 'amd64', ['1']],
  ['toString', 'bookworm', 'amd64', []],
  ['rust-hello', 'trixie', 'amd64', ['0.3-1', '0.1-1', '0.2-1']],
  ['rust-hello', 'sid', 'amd64', ['*', '0.1-1']],
  ['rust-', 'bookworm', 'amd64', ['0.1-1']],
  ['rust', 'sid', 'amd64', []],
  ['other', 'bookworm', 'amd64', []],
])('the rejected versions of %s on %s/%s are %j', (name, suite, arch, expected) => {
  expect(rejectedVersions(LIST, name, suite, arch)).toEqual(expected);
});
