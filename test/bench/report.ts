import type { Judged, Spread } from './judging';
import type { Mark, Row } from './row';

/** What a whole run of the bench was made on. */
export interface Machine {
  date: string;
  commit: string;
  node: string;
  system: string;
  processors: number;
  memoryGiB: number;
  /** The load average of the last minute when the bench began. */
  load: number;
  postgres: string;
  nats: string;
  peers: string;
}

/** A row as it was measured once. */
export interface MeasuredRow {
  name: string;
  what: string;
  against: string | null;
  judged: Judged[];
  commit: string;
  date: string;
}

export const HEAD = `| what | measured | compared with | ratio (least, most) | mark | |
| --- | --- | --- | --- | --- | --- |`;

export function measuredRow(
  { name, what, against }: Row,
  judgements: Judged[],
  machine: Machine,
): MeasuredRow {
  return { name, what, against, judged: judgements, commit: machine.commit, date: machine.date };
}

/** A line of a table for each figure. */
export function lines({ name, what, judged }: MeasuredRow): string[] {
  return judged.map((each, place) => {
    const { figure, measured, bare } = each;
    const title = [place === 0 ? `\`${name}\`: ${what}` : '', figure.what].filter(Boolean).join('; ');
    const cells = [
      title,
      `${number(measured.median)} ${figure.unit}`,
      bare ? `${number(bare.median)} ${figure.unit}` : '',
      comparison(each),
      markText(figure.mark, figure.by === 'difference' || !bare ? ` ${figure.unit}` : ''),
      verdict(each.isMet),
    ];
    return `| ${cells.join(' | ')} |`;
  });
}

export function verdict(isMet: boolean | null): string {
  if (isMet === null) return '';
  return isMet ? 'met' : '**missed**';
}

function comparison({ figure, judged, bare }: Judged): string {
  const sign = figure.by === 'difference' ? '+' : '';
  const unit = figure.by === 'difference' ? ` ${figure.unit}` : '';
  if (!bare) return judged.min === judged.max ? '' : spread(judged, '', '');
  return spread(judged, sign, unit);
}

function spread({ min, median, max }: Spread, sign: string, unit: string): string {
  return `${sign}${number(median)}${unit} (${number(min)}, ${number(max)})`;
}

function markText(mark: Mark, unit: string): string {
  if (mark === null) return '';
  return 'atLeast' in mark ? `≥ ${mark.atLeast}${unit}` : `≤ ${mark.atMost}${unit}`;
}

/** Three digits that count. */
function number(value: number): string {
  if (value === 0) return '0';
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(digits, 3)).replace(/\B(?=(\d{3})+$)/g, digits === 0 ? ',' : '');
}

const ABOUT = `# Measurements

Made by \`npm run bench\`; what they mean, and what is measured by hand: [performance.md](performance.md). Of every missed mark it
says [where the time goes, and what would have to change](performance.md#marks-that-are-missed).

Each row and what it is compared with were measured in turns, in one run, on the same PostgreSQL (with its default durability)
and nats-server. Only ratios count, milliseconds belong to the machine; each is the median of the rounds, with the least and
the most of them.
`;

/** The whole document. */
export function document(machine: Machine, rows: MeasuredRow[]): string {
  const { processors, memoryGiB, system, load } = machine;
  const head = [
    `${machine.date}, commit ${machine.commit}: ${processors} processors, ${memoryGiB} GiB, ${system}, load ${load} at the begin;`,
    `Node ${machine.node}, PostgreSQL ${machine.postgres}, nats-server ${machine.nats}, ${machine.peers}.`,
  ].join('\n');
  const figures = rows.flatMap((row) => row.judged).filter(({ isMet }) => isMet !== null);
  const met = figures.filter(({ isMet }) => isMet).length;
  const against = rows
    .filter((row) => row.against !== null)
    .map(({ name, against: it }) => `- \`${name}\` is compared with ${it}.`);
  const older = rows
    .filter(({ commit }) => commit !== machine.commit)
    .map(({ name, commit, date }) => `- \`${name}\` was measured at commit ${commit}, ${date}.`);
  return `${[
    ABOUT,
    head,
    '',
    `${met} of ${figures.length} marks are met.`,
    '',
    HEAD,
    ...rows.flatMap(lines),
    '',
    ...against,
    ...older,
    ...(rows.some(({ name }) => name === 'growth')
      ? ['', '![Cost per unit by the number of finished runs](images/growth.svg)']
      : []),
  ].join('\n')}
`;
}
