import { sizeClasses } from './size-classes';

const classOf = sizeClasses({
  big: ['linux', 'gcc-*', 'libreoffice'],
  huge: ['gcc-15', 'libre*', 'linux'],
  g: ['g*'],
});

it.each([
  ['linux', 'big'],
  ['linux-signed', null],
  ['gcc-14', 'big'],
  ['gcc-15', 'huge'],
  ['gcc', 'g'],
  ['libreoffice', 'big'],
  ['libreswan', 'huge'],
  ['hello', null],
  ['constructor', null],
])('%s is of the class %s', (name, expected) => {
  expect(classOf(name)).toBe(expected);
});

it('every package is in the class that names *, and in none without classes', () => {
  expect(sizeClasses({ all: ['*'] })('hello')).toBe('all');
  expect(sizeClasses({})('hello')).toBeNull();
});
