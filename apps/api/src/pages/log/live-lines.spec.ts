import fc from 'fast-check';
import { LogIndexer } from '@proctor/result-files';
import { LineReader } from '../../logs/line-reader';
import { LiveLines } from './live-lines';
import type { AddedLines, LogPlace } from './live-lines';
import { sectionViews } from './log-view';
import type { SectionView } from './log-view';

const ERRORS = /error/;
const own = (text: string): string => `autopkgtest [12:34:56]: ${text}\n`;
const LOG = Buffer.from(
  own('starting') +
    own('@@@@@@@@@@@@@@@@@@@@ test bed setup') +
    'Get:1 http://deb.example/\n' +
    own('test smoke: [-----------------------') +
    '\x1b[1;31mred\nstill red \u00e9\n10%\r50%\r100%\n' +
    'error: <b>\x1b[0m plain\n\n' +
    own('test smoke: -----------------------]') +
    own('test smoke:  - - - - - - - - - - results - - - - - - - - - -') +
    'smoke   PASS\n' +
    own('test late: [-----------------------') +
    own('test late: -----------------------]') +
    own('@@@@@@@@@@@@@@@@@@@@ summary') +
    'smoke FAIL\nlate SKIP no\nand no newline',
);
const START: LogPlace = { offset: 0, line: 1 };

/** A page that adds what it receives as the page's script does. */
class ShownLog {
  readonly lines = new Map<number, string>();
  readonly heads = new Map<string, string>();
  place = START;

  take({ from, sections, next }: AddedLines): void {
    for (const number of this.lines.keys()) if (number >= from) this.lines.delete(number);
    this.show(sections);
    this.place = next;
  }

  show(sections: SectionView[]): this {
    for (const { id, blocks, title, status, lines, marks } of sections) {
      if (!blocks) continue;
      this.heads.set(id, `${title} ${status} ${lines} ${marks}`);
      for (const [, number, html] of blocks.join('').matchAll(/<a id="L(\d+)"[^>]*>\d+<\/a>([^\n]*)\n/g))
        this.lines.set(Number(number), `${id} ${html}`);
    }
    return this;
  }
}

/** The page of the log once it is kept. */
function shownLogOf(log: Buffer): ShownLog {
  const [indexer, reader] = [new LogIndexer(ERRORS), new LineReader(1, 1)];
  indexer.add(log);
  reader.add(log);
  return new ShownLog().show(sectionViews(indexer.end(), reader.end(), null, '/log?'));
}

/** Sends the log from its first byte on, to one that has what comes before `start`, in pieces that end at these bytes. */
function send(shownLog: ShownLog, log: Buffer, ends: number[]): LiveLines {
  const live = new LiveLines(shownLog.place, ERRORS, '/log?');
  let at = 0;
  for (const end of ends.filter((each) => each > 0).sort((a, b) => a - b)) {
    if (end <= at) continue;
    live.add(at, log.subarray(at, end));
    at = end;
    const added = live.newLines();
    if (added) shownLog.take(added);
  }
  return live;
}

it('a live log is shown as it will be once it is kept, however it is cut and wherever the connection is lost', () => {
  const whole = shownLogOf(LOG);
  const cuts = fc.array(fc.nat(LOG.length), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(cuts, { minLength: 1, maxLength: 4 }), (connections) => {
      const shownLog = new ShownLog();
      for (const ends of connections) send(shownLog, LOG, ends);
      expect(send(shownLog, LOG, [LOG.length]).isStale).toBe(false);
      expect([...shownLog.lines]).toEqual([...whole.lines]);
      expect(shownLog.lines.size).toBe(18);
      expect([...shownLog.heads]).toEqual([...whole.heads]);
    }),
  );
});

it('nothing is added when nothing has come, or only what the page has', () => {
  const shownLog = new ShownLog();
  const live = send(shownLog, LOG, [LOG.length]);
  expect(live.newLines()).toBeNull();
  live.add(LOG.length, Buffer.from('!'));
  expect(live.newLines()!.from).toBe(18);
  const again = new LiveLines(shownLog.place, ERRORS, '/log?');
  again.add(0, LOG.subarray(0, shownLog.place.offset));
  expect([again.newLines(), again.isStale]).toEqual([null, false]);
});

it('forgotten bytes are counted, and lines behind them are numbered from those that are known', () => {
  const live = new LiveLines(START, ERRORS, '/log?');
  expect(live.add(1_000, Buffer.from('known\nnext'))).toBe(1_000);
  expect(live.newLines()).toMatchObject({ from: 1, lines: 2, next: { offset: 1_006, line: 2 } });
  expect(live.add(1_020, Buffer.from(' end\n'))).toBe(10);
  expect(live.newLines()).toMatchObject({ from: 2, lines: 2, next: { offset: 1_025, line: 3 } });
  expect(live.isStale).toBe(false);
});

it.each<[string, LogPlace, number, string]>([
  ['has numbered lines that are forgotten meanwhile', { offset: 1_006, line: 9 }, 1_000, 'known\nnext\n'],
  ['ends where no line begins', { offset: 3, line: 1 }, 0, 'known\nnext\n'],
  ['ends in what is forgotten', { offset: 500, line: 9 }, 1_000, 'known\nnext\n'],
])('a page that %s is stale', (_what, place, offset, text) => {
  const live = new LiveLines(place, ERRORS, '/log?');
  live.add(offset, Buffer.from(text));
  expect([live.isStale, live.newLines()]).toEqual([true, null]);
});
