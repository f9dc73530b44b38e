import type { MeasuredRow } from './report';
import { COSTS, nameOf, SIZES } from './rows/growth';

const PANEL = { width: 420, height: 230 };
const PLOT = { left: 50, right: 370, top: 44, bottom: 180 };

/** Readable on light and dark pages: an image follows the reader's own scheme. */
const STYLE = `
.ground { fill: #fff } text { fill: #1f2328 } .scale { fill: #59636e } .axes { stroke: #a0a8b0 }
.curve { stroke: #1a5fb4 } .dot { fill: #1a5fb4 }
@media (prefers-color-scheme: dark) {
.ground { fill: #0d1117 } text { fill: #e6edf3 } .scale { fill: #9198a1 } .axes { stroke: #5a626b }
.curve { stroke: #78aef5 } .dot { fill: #78aef5 }
}
`;

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
<style>${STYLE}</style>
<rect class="ground" width="${width}" height="${height}"/>
${panels.join('\n')}
</svg>
`;
}

function panel(title: string, values: number[]): string {
  const most = Math.max(...values) * 1.25;
  const xOf = (place: number): number =>
    PLOT.left + 26 + (place / (SIZES.length - 1)) * (PLOT.right - PLOT.left - 26);
  const yOf = (value: number): number => PLOT.bottom - (value / most) * (PLOT.bottom - PLOT.top);
  const points = values.map((value, place) => [xOf(place).toFixed(1), yOf(value).toFixed(1)] as const);
  const dots = points.map(
    ([x, y], place) =>
      `<circle cx="${x}" cy="${y}" r="3.5" class="dot"/>` +
      `<text x="${x}" y="${(Number(y) - 9).toFixed(1)}" text-anchor="middle">${Number(values[place]!.toPrecision(3))}</text>`,
  );
  const sizes = SIZES.map(
    (size, place) =>
      `<text x="${xOf(place).toFixed(1)}" y="${PLOT.bottom + 18}" text-anchor="middle" class="scale">${size.toLocaleString('en')}</text>`,
  );
  const axes = `<path d="M${PLOT.left} ${PLOT.top}V${PLOT.bottom}H${PLOT.right}" fill="none" class="axes"/>`;
  const curve = `<polyline points="${points.map((point) => point.join(',')).join(' ')}" fill="none" class="curve" stroke-width="2"/>`;
  const zero = `<text x="${PLOT.left - 8}" y="${PLOT.bottom}" text-anchor="end" class="scale">0</text>`;
  const unit = `<text x="${(PLOT.left + PLOT.right) / 2}" y="${PLOT.bottom + 34}" text-anchor="middle" class="scale">finished runs</text>`;
  const head = `<text x="${PLOT.left}" y="24" font-weight="bold">${title}</text>`;
  return [head, axes, zero, unit, curve, ...dots, ...sizes].join('');
}
