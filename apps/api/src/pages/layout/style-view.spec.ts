import { styleView, tokenGroups } from './style-view';

it('the tokens of the style sheet are shown in groups, with the comments of the sheet', () => {
  const groups = tokenGroups(
    ':root {\n  color-scheme: light;\n\n  /* Text and\n     lines. */\n  --text: #111111;\n  --line:\n    1px;\n\n  /* Sizes. */\n  --a-b: 2rem;\n}\n.x { --c: 1; }',
  );
  expect(groups).toEqual([
    {
      words: 'Text and lines.',
      tokens: [
        { name: 'text', value: '#111111' },
        { name: 'line', value: '1px' },
      ],
    },
    { words: 'Sizes.', tokens: [{ name: 'a-b', value: '2rem' }] },
  ]);
});

it('each token of the style sheet belongs to a group', () => {
  const names = styleView().groups.flatMap(({ tokens }) => tokens.map(({ name }) => name));
  expect(names).toEqual(
    expect.arrayContaining(['back', 'link', 'pass-cell', 'sans', 'text-s', 'space-7', 'radius']),
  );
});

it('the example of a form has a mistake beside its field, and does not take the focus', () => {
  const fields = styleView().fields.join('');
  expect(fields).toContain(
    '<span class="mistake" id="example-days-mistake">Must be a number of days.</span>',
  );
  expect(fields).not.toContain('autofocus');
});
