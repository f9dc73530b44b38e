import type { Stops } from './stops';

/** One thing that was tried. */
export interface Finding {
  what: string;
  holds: boolean;
  /** Figures, and what went wrong. */
  detail: string;
}

/** What held and what did not, printed as it is known and again at the end. */
export class Findings {
  private readonly all: Finding[] = [];

  constructor(private readonly stops: Stops) {}

  /** What throws does not hold. @returns whether it holds @throws the same when everything is being ended */
  async try(what: string, work: () => Promise<Omit<Finding, 'what'>>): Promise<boolean> {
    const begin = performance.now();
    let finding: Omit<Finding, 'what'>;
    try {
      finding = await work();
    } catch (error) {
      if (this.stops.isOver) throw error;
      finding = { holds: false, detail: error instanceof Error ? error.message : String(error) };
      if (error instanceof Error) console.error(error.stack);
    }
    this.all.push({ what, ...finding, detail: finding.detail.replaceAll('\n', ' ') });
    const seconds = Math.round((performance.now() - begin) / 1000);
    console.log(`${finding.holds ? 'holds ' : 'FAILED'}  ${what} (${seconds} s): ${finding.detail}`);
    return finding.holds;
  }

  get hold(): boolean {
    return this.all.length > 0 && this.all.every(({ holds }) => holds);
  }

  table(): string {
    const cells = this.all.map(({ what, holds, detail }) => [what, holds ? 'holds' : 'FAILED', detail]);
    const rows = [['what', 'it', 'figures'], ...cells];
    const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
    const line = (row: string[]) =>
      `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
    const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
    return [line(rows[0]!), rule, ...rows.slice(1).map(line)].join('\n');
  }
}
