import { stateSentence } from './home.service';

it.each([
  [0, 0, 'Nothing is waiting or running.'],
  [1_350, 6, '1,350 waiting, 6 running.'],
])('the first page says how much waits and runs: %i and %i', (waiting, running, sentence) => {
  expect(stateSentence(waiting, running)).toBe(sentence);
});
