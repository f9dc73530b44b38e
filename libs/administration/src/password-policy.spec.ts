import { weaknessOf } from './password-policy';

it.each([
  'correct horse battery',
  'a secret of ben',
  'Xk2-pq9!vLm0w',
  'мой длинный пароль',
  'another secret',
])('the password %j is taken', (password) => {
  expect(weaknessOf(password, 'ben')).toBeNull();
});

it.each([
  ['aaaaaaaaaaaa', 'ben', /different characters/],
  ['abababababab', 'ben', /different characters/],
  ['Benjamin-2026', 'benjamin', /beside the user's name/],
  ['ben-ben-ben-2026', 'ben', /beside the user's name/],
  ['password1234', 'ben', /common passwords/],
  ['P@ssw0rd!2026', 'ben', /common passwords/],
  ['qwertyuiop12', 'ben', /common passwords/],
  ['123456789012', 'ben', /sequences/],
  ['abcdefghijkl', 'ben', /sequences/],
  ['admin12345678', 'ben', /common passwords/],
])('the password %j of %s is refused, in words that do not tell it', (password, name, reason) => {
  const told = weaknessOf(password, name);
  expect(told).toMatch(reason);
  expect(told).not.toContain(password);
});
