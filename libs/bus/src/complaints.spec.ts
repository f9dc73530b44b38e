import { ManualClock } from '@test/support/manual-clock';
import { Complaints, EVERY_MS } from './complaints';

let clock: ManualClock;
let lines: string[];
let complaints: Complaints;

beforeEach(() => {
  clock = new ManualClock();
  lines = [];
  complaints = new Complaints({ error: (line: string) => lines.push(line) }, clock);
});

it('20,000 malformed messages of a sender are two lines in a minute, which say how many there were', () => {
  for (let time = 0; time < 20_000; time += 1) complaints.about('worker w1', 'not JSON');
  clock.advance(EVERY_MS);
  complaints.about('worker w1', 'not JSON');
  expect(lines).toEqual([
    'not JSON',
    'not JSON (and 19999 more complaints about worker w1 since the last line)',
  ]);
});

it('a complaint about another sender is a line of its own', () => {
  for (const sender of ['worker w1', 'worker w1', 'worker w2']) complaints.about(sender, sender);
  expect(lines).toEqual(['worker w1', 'worker w2']);
});

it('very many senders share lines, and those with nothing left to say make room', () => {
  for (let sender = 0; sender < 5_000; sender += 1) complaints.about(`worker w${sender}`, 'bad');
  expect(lines).toHaveLength(1_001);
  clock.advance(EVERY_MS);
  complaints.about('worker new', 'bad');
  expect(lines).toHaveLength(1_002);
});
