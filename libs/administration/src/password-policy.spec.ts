import { type PasswordPolicy, weaknessOf } from './password-policy';

const POLICY: PasswordPolicy = { lengthMin: 12, ownCharactersMin: 8, differentCharactersMin: 5 };

it.each([
  'correct horse battery',
  'a secret of ben',
  'Xk2-pq9!vLm0w',
  'мой длинный пароль',
  'another secret',
])('the password %j is taken', (password) => {
  expect(weaknessOf(password, 'ben', POLICY)).toBeNull();
});

it.each([
  ['eleven char', 'ben', /^must have 12 characters or more$/],
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
])('the password %j of %s is refused, in words that do not contain it', (password, name, reason) => {
  const weakness = weaknessOf(password, name, POLICY);
  expect(weakness).toMatch(reason);
  expect(weakness).not.toContain(password);
});

it.each<[keyof PasswordPolicy, string]>([
  ['lengthMin', 'a secret of me'],
  ['ownCharactersMin', 'me-123456-x9k2'],
  ['differentCharactersMin', 'ababcabcdacbd'],
])('the %s of a deployment decides', (limit, password) => {
  const lax = { lengthMin: 8, ownCharactersMin: 1, differentCharactersMin: 1 };
  expect(weaknessOf(password, 'me', lax)).toBeNull();
  expect(weaknessOf(password, 'me', { ...lax, [limit]: 50 })).toMatch(/^must have 50 /);
});
