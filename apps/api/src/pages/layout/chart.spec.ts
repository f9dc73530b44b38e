import { areas, bars } from './chart';

const hours = Array.from({ length: 24 }, (_, hour) =>
  new Date(Date.UTC(2026, 10, 19, 18 + hour)).toISOString().replace(':00.000', ''),
);
const textsOf = (svg: string): string[] =>
  [...svg.matchAll(/text-anchor="(?:middle|end)">(\d\d[:-][^<]*)</g)].map(([, text]) => text!);

it('a chart of hours names them, and midnight by its day', () => {
  const series = [{ name: 'runs', className: 'pass', values: hours.map((_, index) => index) }];
  const svg = String(bars({ label: 'runs', times: hours, series, size: [480, 180] }));
  expect(textsOf(svg)).toEqual(['18:00', '11-20', '06:00', '12:00', '18:00']);
  expect(svg).toContain('viewBox="0 0 480 180"');
  // The last one would be cut off in the middle of its hour.
  expect(svg).toContain('<text x="480" y="174" text-anchor="end">18:00</text>');
});

it('an area has a gap at a time without a value', () => {
  const values = hours.map((_, index) => (index === 12 ? null : 3));
  const series = [{ name: 'waiting', className: 'queued', values }];
  const svg = String(areas({ label: 'waiting', times: hours, series }));
  const [, path = ''] = /class="queued" d="([^"]*)"/.exec(svg) ?? [];
  expect(path.match(/M/g)).toHaveLength(2);
});
