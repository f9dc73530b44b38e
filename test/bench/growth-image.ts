import type { MeasuredRow } from './report';
import { COSTS, nameOf, SIZES } from './rows/growth';

const PANEL = { width: 400, height: 220 };
const PLOT = { left: 60, right: 380, top: 44, bottom: 180 };

/** The costs that the row `growth` measured, as curves over the number of runs: an SVG. */
export function growthImage({ judged }: MeasuredRow): string {
  const costs = Object.entries(COSTS).map(([cost, { what, unit }]) => {
    const of = SIZES.map((size) => judged.find(({ figure }) => figure.of === nameOf(cost, size)));
    const first = judged.find(({ figure }) => figure.of === nameOf(cost, SIZES[1]!))?.bare?.median;
    const values = of.map((each, place) => (place === 0 ? first : each?.measured.median) ?? NaN);
    return { title: unit === '' ? what : `${what}, ${unit}`, values };
  });
  const panels = costs.map(({ title, values }, place) => {
    const [x, y] = [(place % 2) * PANEL.width, Math.floor(place / 2) * PANEL.height];
    return `<g transform="translate(${x} ${y})">${panel(title, values)}</g>`;
  });
  const [width, height] = [PANEL.width * 2, PANEL.height * Math.ceil(costs.length / 2)];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<title>Cost per unit by the number of finished runs</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${panels.join('\n')}
</svg>
`;
}

function panel(title: string, values: number[]): string {
  const most = Math.max(...values) * 1.25;
  const xOf = (place: number): number => PLOT.left + (place / (SIZES.length - 1)) * (PLOT.right - PLOT.left);
  const yOf = (value: number): number => PLOT.bottom - (value / most) * (PLOT.bottom - PLOT.top);
  const points = values.map((value, place) => [xOf(place).toFixed(1), yOf(value).toFixed(1)] as const);
  const dots = points.map(
    ([x, y], place) =>
      `<circle cx="${x}" cy="${y}" r="3.5" fill="#1a5fb4"/>` +
      `<text x="${x}" y="${(Number(y) - 9).toFixed(1)}" text-anchor="middle">${Number(values[place]!.toPrecision(3))}</text>`,
  );
  const sizes = SIZES.map(
    (size, place) =>
      `<text x="${xOf(place).toFixed(1)}" y="${PLOT.bottom + 18}" text-anchor="middle" fill="#555">${size.toLocaleString('en')}</text>`,
  );
  const axes = `<path d="M${PLOT.left} ${PLOT.top}V${PLOT.bottom}H${PLOT.right}" fill="none" stroke="#999"/>`;
  const curve = `<polyline points="${points.map((point) => point.join(',')).join(' ')}" fill="none" stroke="#1a5fb4" stroke-width="2"/>`;
  const zero = `<text x="${PLOT.left - 8}" y="${PLOT.bottom}" text-anchor="end" fill="#555">0</text>`;
  const head = `<text x="${PLOT.left}" y="24" font-weight="bold">${title}</text>`;
  return [head, axes, zero, curve, ...dots, ...sizes].join('');
}
