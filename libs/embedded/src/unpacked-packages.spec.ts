import { debianMirror } from './unpacked-packages';

/** The output of apt about the first file of each repository. */
const uris = (...repositories: string[]): string =>
  repositories.map((each) => `'${each}dists/bookworm/InRelease' bookworm_InRelease 0 \n`).join('');

it.each([
  [['http://ftp.de.debian.org/debian/'], 'http://ftp.de.debian.org/debian/'],
  [
    ['http://deb.debian.org/debian-security/', 'https://mirror.example/debian/'],
    'https://mirror.example/debian/',
  ],
  [['http://localhost:3142/deb.debian.org/debian/'], 'http://localhost:3142/deb.debian.org/debian/'],
])("Debian's mirror is the machine's own: %j", (repositories, mirror) => {
  expect(debianMirror(uris(...repositories))).toBe(mirror);
});

it.each([
  [[]],
  [['http://archive.ubuntu.com/ubuntu/']],
  [['http://snapshot.debian.org/archive/debian/20250520T000000Z/']],
  [['file:/srv/debian/']],
  [['mirror+file:/etc/apt/mirrors/debian.list/']],
])(
  "Debian's mirror is Debian's own archive when the machine has none that holds every release: %j",
  (repositories) => {
    expect(debianMirror(uris(...repositories))).toBe('http://deb.debian.org/debian/');
  },
);
