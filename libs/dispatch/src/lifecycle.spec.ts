import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_STATES } from '@proctor/contracts';
import { IllegalTransition, stateAfter, TRANSITIONS } from './lifecycle';

const PICTURE = join(__dirname, '../../../docs/run-life-cycle.md');

it('the life of a run is drawn in the documentation as it is in the table', () => {
  const arrows = readFileSync(PICTURE, 'utf8').matchAll(/^ +(\w+) --> (\w+): (\w+)$/gm);
  const picture = [...arrows].map(([, from, to, name]) => `${from} --> ${to}: ${name}`);
  expect(picture.sort()).toEqual(
    TRANSITIONS.map(({ from, to, name }) => `${from} --> ${to}: ${name}`).sort(),
  );
});

it('a finished run has no transition; only a late result of its latest attempt changes it', () => {
  for (const { name } of TRANSITIONS.filter((each) => each.name !== 'correct'))
    expect(() => stateAfter('finished', name)).toThrow(IllegalTransition);
  expect(stateAfter('finished', 'correct')).toBe('finished');
  expect(TRANSITIONS.filter(({ name }) => name === 'correct')).toHaveLength(1);
});

it('the life of a run reaches every state', () => {
  expect(new Set(TRANSITIONS.map(({ to }) => to))).toEqual(new Set(RUN_STATES));
});
