import { runs, selectionQuestion } from './admin-queues.controller';

it('the question before many runs are cancelled says how many wait and are executed, and where', () => {
  const counts = [
    { suite: 'sid', arch: 'amd64', waiting: 10, executed: 2 },
    { suite: 'sid', arch: 'arm64', waiting: 1, executed: 0 },
  ];
  expect(selectionQuestion(null, counts)).toEqual({
    title: 'Cancel 13 runs?',
    lead: 'They end at once as tmpfail: 11 waiting, 2 running. By queue: sid/amd64 12, sid/arm64 1.',
    button: 'Cancel 13 runs',
  });
});

it('the question before a change of priority names it, and a long list of queues is cut', () => {
  const counts = Array.from({ length: 22 }, (_, place) => {
    return { suite: `s${place}`, arch: 'amd64', waiting: place === 0 ? 1 : 0, executed: 0 };
  });
  const { title, lead } = selectionQuestion(9, counts);
  expect(title).toBe('Give one run the priority 9?');
  expect(lead).toMatch(/s19\/amd64 0 and 2 more queues\.$/);
  expect(runs(2)).toBe('2 runs');
});
