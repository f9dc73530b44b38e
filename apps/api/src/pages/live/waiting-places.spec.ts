import { ManualClock } from '@test/support/manual-clock';
import type { Explanation } from '../../dispatchers/explanation.service';
import { WaitingPlaces } from './waiting-places';

const silence: Explanation = { position: null, ahead: null, estimatedStart: null, reasons: ['no scheduler'] };

function rig() {
  const clock = new ManualClock();
  const questions: number[] = [];
  const answers = { place: 3 as number | null };
  const places = new WaitingPlaces(
    {
      of: ({ runId }) => {
        questions.push(runId);
        const { place } = answers;
        return Promise.resolve(place === null ? silence : { ...silence, position: place, reasons: [] });
      },
    },
    clock,
  );
  const words = (runId = 7, arch = 'amd64') => places.words({ runId, arch }, {});
  return { words, clock, questions, answers };
}

it('a place in the queue is asked for again after a few seconds, and not before', async () => {
  const { words, clock, questions, answers } = rig();
  expect(await words()).toBe('This run waits at position 3.');
  answers.place = 2;
  clock.advance(4_999);
  expect(await words()).toBe('This run waits at position 3.');
  clock.advance(1);
  expect(await words()).toBe('This run waits at position 2.');
  expect(questions).toEqual([7, 7]);
});

it('of an architecture whose dispatcher is silent one run asks for all, and others ask nevertheless', async () => {
  const { words, clock, questions, answers } = rig();
  answers.place = null;
  expect(await words(1)).toContain('no scheduler');
  for (const runId of [2, 3]) expect(await words(runId)).toBe('');
  await words(4, 'arm64');
  expect(questions).toEqual([1, 4]);
  clock.advance(5_000);
  answers.place = 1;
  expect(await words(2)).toBe('This run waits at position 1.');
});

it('dispatchers are asked at most so often, however many pages are open', async () => {
  const { words, clock, questions } = rig();
  for (let runId = 1; runId <= 250; runId += 1) await words(runId);
  expect(questions).toHaveLength(200);
  clock.advance(5_000);
  expect(await words(250)).toBe('This run waits at position 3.');
});
