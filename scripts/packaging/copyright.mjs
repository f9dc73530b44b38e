/** The text of debian/copyright: Proctor and the npm packages that it ships, each with its licence. */
export function copyrightFile(shipped) {
  const inOrder = [...shipped].sort((a, b) => (a.path < b.path ? -1 : 1));
  const stanzas = [
    'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: Proctor',
    'Files: *\nCopyright: the authors of Proctor\nLicense: Apache-2.0',
    // A package within another comes after it: the last that fits counts.
    ...inOrder.map(
      ({ path, licence, copyright }) =>
        `Files: proctor*/usr/lib/proctor/${path}/*\nCopyright: ${copyright}\nLicense: ${short(licence)}`,
    ),
    ...[...new Set(['Apache-2.0', ...shipped.map(({ licence }) => short(licence))])].map(
      (licence) => `License: ${licence}\n ${textOf(licence)}`,
    ),
  ];
  return `${stanzas.join('\n\n')}\n`;
}

/** `(MIT OR CC0-1.0)` as the format spells it. */
function short(licence) {
  return licence.replace(/[()]/g, '').replace(/ (OR|AND) /g, (word) => word.toLowerCase());
}

function textOf(licence) {
  if (licence === 'Apache-2.0') return 'The text is in /usr/share/common-licenses/Apache-2.0.';
  return 'The text is in the folder of each package below /usr/lib/proctor/node_modules.';
}
