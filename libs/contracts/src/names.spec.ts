import fc from 'fast-check';
import {
  isAptLine,
  isArchitecture,
  isPackageName,
  isPinSpec,
  isWord,
  packagePrefix,
  PACKAGE_NAME_LENGTH_MAX,
} from './names';

it.each(['hello', '0ad', 'g++', 'libfoo1.2-dev', 'lib', 'a'.repeat(PACKAGE_NAME_LENGTH_MAX)])(
  '%s is a package name',
  (name) => {
    expect(isPackageName(name)).toBe(true);
  },
);

it.each([
  ['empty', ''],
  ['one letter', 'a'],
  ['upper case', 'Hello'],
  ['a leading dash', '-hello'],
  ['a leading at', '@hello'],
  ['a slash', 'a/b'],
  ['a space', 'a b'],
  ['a newline at the end', 'hello\n'],
  ['a second line', 'hello\nworld'],
  ['a NUL', 'hel\0lo'],
  ['a shell character', 'hello;id'],
  ['too long', 'a'.repeat(PACKAGE_NAME_LENGTH_MAX + 1)],
])('%s makes no package name', (_what, name) => {
  expect(isPackageName(name)).toBe(false);
});

it('whatever is a package name is harmless in a path, a subject and a shell', () => {
  fc.assert(
    fc.property(fc.string(), (name) => {
      fc.pre(isPackageName(name));
      expect(name).toMatch(/^[a-z0-9+.-]+$/);
      expect(name).not.toMatch(/^[-.@/]/);
    }),
  );
});

it.each([
  ['hello', 'h'],
  ['0ad', '0'],
  ['lib', 'l'],
  ['libfoo', 'libf'],
  ['lib3ds', 'lib3'],
  ['libreoffice', 'libr'],
  ['glib2.0', 'g'],
])('%s lies under %s', (name, prefix) => {
  expect(packagePrefix(name)).toBe(prefix);
});

it.each(['hello', 'src:hello', 'src:a1,b2', 'g++,src:gcc-13'])('%s is a pin', (spec) =>
  expect(isPinSpec(spec)).toBe(true),
);
it.each(['', ',', 'hello,', 'src:', 'a b', 'SRC:hello', 'hello;x'])('%j is no pin', (spec) =>
  expect(isPinSpec(spec)).toBe(false),
);

it.each(['bookworm', 'stable-backports', 'trixie_1', 'v5.28'])('%s is a word', (name) =>
  expect(isWord(name)).toBe(true),
);
it.each(['', '.', '..', '-x', 'a/b', 'a b', 'é'])('%j is no word', (name) =>
  expect(isWord(name)).toBe(false),
);

it.each(['amd64', 'ppc64el', 'kfreebsd-amd64'])('%s is an architecture', (name) =>
  expect(isArchitecture(name)).toBe(true),
);
it.each(['', 'a.b', '*', '>', 'AMD64'])('%j is no architecture', (name) =>
  expect(isArchitecture(name)).toBe(false),
);

it.each([
  ['deb http://mirror.example/debian bookworm main contrib non-free-firmware', true],
  ['deb-src [trusted=yes] https://mirror.example/debian bookworm/updates main', true],
  ['deb copy:/srv/repo ./', true],
  ['rpm http://mirror.example/ x main', false],
  ['deb http://mirror.example/ x main\ndeb http://other.example/ x main', false],
  ['deb http://mirror.example/ x main # comment', false],
  ['deb http://mirror.example/\\n x main', false],
  ['deb http://mirror.example/', false],
  ['', false],
])('whether %j is an apt source line: %s', (line, expected) => {
  expect(isAptLine(line)).toBe(expected);
});
