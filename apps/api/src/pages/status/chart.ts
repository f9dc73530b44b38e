import { scaleBand, scaleLinear, scaleUtc } from 'd3-scale';
import { area, line, stack } from 'd3-shape';
import { markup } from '../layout/html';
import type { Html } from '../layout/html';

/** One value for each day; null when it is not known. */
export interface Series {
  name: string;
  /** A class of the style sheet, which has the colour and the pattern. */
  className: string;
  values: (number | null)[];
}

export interface ChartOf {
  /** A description for readers who cannot see the chart. */
  label: string;
  /** `YYYY-MM-DD`, the oldest first. */
  days: string[];
  series: Series[];
  /** Text behind each number of the scale: ` h` for `20 h`. */
  unit?: string;
  /** The highest number of the scale; the highest value by default. */
  top?: number;
}

const [WIDTH, HEIGHT] = [720, 200];
const [LEFT, RIGHT, TOP, BOTTOM] = [52, 8, 8, 24];
const TICKS = 4;

/** Draws one bar for each day, with the series stacked. */
export function bars(chart: ChartOf): Html {
  const { days, series } = chart;
  const y = scaleOf(chart, true);
  const x = scaleBand(days, [LEFT, WIDTH - RIGHT]).paddingInner(days.length > 60 ? 0 : 0.2);
  const width = Math.max(0.5, x.bandwidth());
  const layers = stacked(chart).map((layer, place) => {
    const path = layer.map(([from, to], index) => {
      const height = y(from) - y(to);
      return height > 0
        ? `M${short(x(days[index]!)!)} ${short(y(to))}h${short(width)}v${short(height)}h${short(-width)}z`
        : '';
    });
    return markup`<path class="${series[place]!.className}" d="${path.join('')}"/>`;
  });
  return framed(chart, y, layers);
}

/** Draws the series as stacked areas, with a gap on days without a known value. */
export function areas(chart: ChartOf): Html {
  const { days, series } = chart;
  const y = scaleOf(chart, true);
  const x = timeScale(days);
  const isKnown = (index: number): boolean => series.every(({ values }) => values[index] !== null);
  const layers = stacked(chart).map((layer, place) => {
    const shape = area<(typeof layer)[number]>()
      .digits(1)
      .defined((_, index) => isKnown(index))
      .x((_, index) => x(dateOf(days[index]!)))
      .y0(([from]) => y(from))
      .y1(([, to]) => y(to));
    return markup`<path class="${series[place]!.className}" d="${shape(layer) ?? ''}"/>`;
  });
  return framed(chart, y, layers);
}

/** Draws one line for each series, with a gap on days without a known value. */
export function lines(chart: ChartOf): Html {
  const y = scaleOf(chart, false);
  const x = timeScale(chart.days);
  const curves = chart.series.map(({ values, className }) => {
    const shape = line<number | null>()
      .digits(1)
      .defined((value) => value !== null)
      .x((_, index) => x(dateOf(chart.days[index]!)))
      .y((value) => y(value ?? 0));
    return markup`<path class="line ${className}" d="${shape(values) ?? ''}"/>`;
  });
  return framed(chart, y, curves);
}

function stacked({ days, series }: ChartOf) {
  return stack<number, number>()
    .keys(series.keys())
    .value((day, place) => series[place]!.values[day] ?? 0)([...days.keys()]);
}

function scaleOf({ days, series, top }: ChartOf, isSum: boolean) {
  const highest = [...days.keys()].map((index) => {
    const values = series.map(({ values: each }) => each[index] ?? 0);
    return isSum ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
  });
  return scaleLinear([0, top ?? Math.max(1, ...highest)], [HEIGHT - BOTTOM, TOP]);
}

function timeScale(days: string[]) {
  return scaleUtc([dateOf(days[0]!), dateOf(days.at(-1)!)], [LEFT, WIDTH - RIGHT]);
}

function dateOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** Adds the two scales and their labels. */
function framed({ label, days, unit = '' }: ChartOf, y: ReturnType<typeof scaleOf>, layers: Html[]): Html {
  const x = timeScale(days);
  const heights = y.ticks(TICKS).filter(Number.isInteger);
  const levels = heights.map(
    (value) =>
      markup`<path class="level" d="M${LEFT} ${short(y(value))}H${WIDTH - RIGHT}"/><text x="${LEFT - 6}" y="${short(y(value) + 4)}" text-anchor="end">${value.toLocaleString('en')}${unit}</text>`,
  );
  const dates = x
    .ticks(days.length > 100 ? 6 : 5)
    .map(
      (date) =>
        markup`<text x="${short(x(date))}" y="${HEIGHT - 6}" text-anchor="middle">${date.toISOString().slice(5, 10)}</text>`,
    );
  return markup`<svg class="figure" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">${levels}${layers}${dates}</svg>`;
}
