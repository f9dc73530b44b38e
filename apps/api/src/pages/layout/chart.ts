import { scaleBand, scaleLinear, scaleUtc } from 'd3-scale';
import { area, line, stack } from 'd3-shape';
import { markup } from './html';
import type { Html } from './html';

/** One value for each time; null when it is not known. */
export interface Series {
  name: string;
  /** A class of the style sheet, which has the colour and the pattern. */
  className: string;
  values: (number | null)[];
}

export interface ChartOf {
  /** A description for readers who cannot see the chart. */
  label: string;
  /** Days (`YYYY-MM-DD`) or hours (`YYYY-MM-DDThh:00Z`), one after the other, the oldest first. */
  times: string[];
  series: Series[];
  /** Text behind each number of the scale: ` h` for `20 h`. */
  unit?: string;
  /** The highest number of the scale; the highest value by default. */
  top?: number;
  /** Width and height in pixels where nothing scales the chart: its text is then 12 pixels high. */
  size?: [width: number, height: number];
  /** Why a time has no value; the chart marks such times. */
  unknown?: string;
}

/** A value of a chart: its text, under the pointer and for the keyboard, and the page with what is behind it. */
interface Point {
  text: string;
  url?: string;
}

const SIZE: [number, number] = [720, 200];
const [LEFT, RIGHT, TOP, BOTTOM] = [52, 8, 8, 24];
/** Half of the width of a time. */
const TIME_HALF = 20;
/** A number of a scale needs so many pixels beside the next, and a time so many. */
const [LEVEL_GAP, TIME_GAP] = [50, 110];
const DAY_MS = 86_400_000;

/** Draws one bar for each time, with the series stacked. */
export function bars(chart: ChartOf): Html {
  const { times, series, size: [width] = SIZE } = chart;
  const y = scaleOf(chart, true);
  const x = scaleBand(times, [LEFT, width - RIGHT]).paddingInner(times.length > 60 ? 0 : 0.2);
  const barWidth = Math.max(0.5, x.bandwidth());
  const layers = stacked(chart).map((layer, place) => {
    const path = layer.map(([from, to], index) => {
      const height = y(from) - y(to);
      return height > 0
        ? `M${short(x(times[index]!)!)} ${short(y(to))}h${short(barWidth)}v${short(height)}h${short(-barWidth)}z`
        : '';
    });
    return markup`<path class="${series[place]!.className}" d="${path.join('')}"/>`;
  });
  const columns = { leftOf: (index: number) => x(times[index]!)!, width: x.step() };
  return framed(chart, { x: timeScale(chart, true), y, columns }, layers);
}

/** Draws the series as stacked areas, with a gap at times without a known value. */
export function areas(chart: ChartOf): Html {
  const { times, series } = chart;
  const y = scaleOf(chart, true);
  const x = timeScale(chart);
  const isKnown = (index: number): boolean => series.every(({ values }) => values[index] !== null);
  const layers = stacked(chart).map((layer, place) => {
    const shape = area<(typeof layer)[number]>()
      .digits(1)
      .defined((_, index) => isKnown(index))
      .x((_, index) => x(new Date(times[index]!)))
      .y0(([from]) => y(from))
      .y1(([, to]) => y(to));
    return markup`<path class="${series[place]!.className}" d="${shape(layer) ?? ''}"/>`;
  });
  return framed(chart, { x, y, columns: columnsAround(chart, x) }, layers);
}

/** Draws one line for each series, with a gap at times without a known value. */
export function lines(chart: ChartOf): Html {
  const y = scaleOf(chart, false);
  const x = timeScale(chart);
  const curves = chart.series.map(({ values, className }) => {
    const shape = line<number | null>()
      .digits(1)
      .defined((value) => value !== null)
      .x((_, index) => x(new Date(chart.times[index]!)))
      .y((value) => y(value ?? 0));
    return markup`<path class="line ${className}" d="${shape(values) ?? ''}"/>`;
  });
  return framed(chart, { x, y, columns: columnsAround(chart, x), isLine: true }, curves);
}

/**
 * A value of a chart, as high as the chart, so that the pointer need not hit the drawing. The arrow keys go from one to
 * the next; only the newest is a stop of the tabulator.
 */
export function point(
  { text, url }: Point,
  { x, width, height }: { x: number; width: number; height: number },
  isNewest: boolean,
): Html {
  const [name, role] = url === undefined ? ['g', markup` role="img"`] : ['a', markup` href="${url}"`];
  return markup`<${name} class="point"${role} tabindex="${isNewest ? 0 : -1}"><title>${text}</title><rect x="${short(x)}" y="0" width="${short(width)}" height="${height}"/></${name}>`;
}

function stacked({ times, series }: ChartOf) {
  return stack<number, number>()
    .keys(series.keys())
    .value((index, place) => series[place]!.values[index] ?? 0)([...times.keys()]);
}

function scaleOf({ times, series, top, size: [, height] = SIZE }: ChartOf, isSum: boolean) {
  const highest = [...times.keys()].map((index) => {
    const values = series.map(({ values: each }) => each[index] ?? 0);
    return isSum ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
  });
  return scaleLinear([0, top ?? Math.max(1, ...highest)], [height - BOTTOM, TOP]);
}

/** @param isToEnd whether the scale has the last day or hour up to its end */
function timeScale({ times, size: [width] = SIZE }: ChartOf, isToEnd = false) {
  const [first, second = first] = times.map((time) => Date.parse(time)) as [number, ...number[]];
  const last = Date.parse(times.at(-1)!);
  return scaleUtc([first, isToEnd ? last + second - first : last], [LEFT, width - RIGHT]);
}

function short(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** The columns in which the values of times can be pointed at. */
interface Columns {
  leftOf: (index: number) => number;
  width: number;
}

/** Columns side by side, with the points of a line in their middle. */
function columnsAround({ times, size: [width] = SIZE }: ChartOf, x: ReturnType<typeof timeScale>): Columns {
  const column = (width - RIGHT - LEFT) / Math.max(1, times.length - 1);
  return { leftOf: (index) => x(new Date(times[index]!)) - column / 2, width: column };
}

interface Scales {
  x: ReturnType<typeof timeScale>;
  y: ReturnType<typeof scaleOf>;
  columns: Columns;
  isLine?: boolean;
}

/** Adds the two scales and their labels, the legend, and the values of each time. */
function framed(chart: ChartOf, { x, y, columns, isLine = false }: Scales, layers: Html[]): Html {
  const { label, times, unit = '', size: [width, height] = SIZE } = chart;
  const heights = y.ticks(Math.round(height / LEVEL_GAP)).filter(Number.isInteger);
  const levels = heights.map(
    (value) =>
      markup`<path class="level" d="M${LEFT} ${short(y(value))}H${width - RIGHT}"/><text x="${LEFT - 6}" y="${short(y(value) + 4)}" text-anchor="end">${numberOf(value)}${unit}</text>`,
  );
  const dates = x.ticks(Math.round(width / TIME_GAP)).map((date) => {
    const isAtEnd = x(date) > width - TIME_HALF;
    const [at, anchor] = isAtEnd ? [width, 'end'] : [x(date), 'middle'];
    return markup`<text x="${short(at)}" y="${height - 6}" text-anchor="${anchor}">${timeWords(date)}</text>`;
  });
  const texts = times.map((_, index) => textOf(chart, index));
  const gaps = gapsOf(chart, columns);
  const points = texts.map((text, index) => {
    const column = { x: columns.leftOf(index), width: columns.width, height: height - BOTTOM };
    return point({ text }, column, index === texts.length - 1);
  });
  return markup`<figure class="chart">
${legendOf(chart, isLine, gaps !== '')}<svg class="figure" viewBox="0 0 ${width} ${height}" role="group" aria-label="${label}"><path class="gap" d="${gaps}"/>${levels}${layers}${dates}${points}</svg>
<figcaption>${texts.at(-1)}</figcaption>
</figure>`;
}

/** The path of the times without a value. */
function gapsOf(chart: ChartOf, columns: Columns): string {
  const { times, size: [, height] = SIZE } = chart;
  const starts = times.map((_, index) => {
    if (!isGap(chart, index) || (index > 0 && isGap(chart, index - 1))) return '';
    const end = times.findIndex((__, other) => other > index && !isGap(chart, other));
    const width = ((end === -1 ? times.length : end) - index) * columns.width;
    return `M${short(columns.leftOf(index))} ${TOP}h${short(width)}V${height - BOTTOM}h${short(-width)}z`;
  });
  return starts.join('');
}

function isGap({ series }: ChartOf, index: number): boolean {
  return series.every(({ values }) => values[index] === null);
}

function legendOf({ series, unknown }: ChartOf, isLine: boolean, hasGaps: boolean): Html {
  const area = 'M0 0h24v12h-24z';
  const entries = series.map(({ name, className }) =>
    isLine ? { name, className: `line ${className}`, path: 'M0 6h24' } : { name, className, path: area },
  );
  if (hasGaps && unknown !== undefined) entries.push({ name: unknown, className: 'gap', path: area });
  if (entries.length === 1) return markup``;
  const items = entries.map(
    ({ name, className, path }) =>
      markup`<li><svg class="figure key" width="24" height="12" viewBox="0 0 24 12" aria-hidden="true"><path class="${className}" d="${path}"/></svg> ${name}</li>\n`,
  );
  return markup`<ul class="legend">\n${items}</ul>\n`;
}

/** `2026-11-20: 7 fail, 2 tmpfail` */
function textOf(chart: ChartOf, index: number): string {
  const { times, series, unit = '', unknown = 'no value' } = chart;
  const time = times[index]!.replace(/T(.{5})Z$/, ' $1 UTC');
  if (isGap(chart, index)) return `${time}: ${unknown}`;
  const values = series.flatMap(({ name, values: each }) => {
    const value = each[index] ?? null;
    return value === null ? [] : `${numberOf(value)}${unit} ${name}`;
  });
  return `${time}: ${values.join(', ')}`;
}

/** Made once: a chart writes hundreds of numbers. */
const NUMBERS = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

function numberOf(value: number): string {
  return NUMBERS.format(value);
}

/** A time on the scale: `15:00`; `11-20` for midnight. */
function timeWords(time: Date): string {
  const text = time.toISOString();
  return time.getTime() % DAY_MS === 0 ? text.slice(5, 10) : text.slice(11, 16);
}
