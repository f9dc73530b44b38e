import { printJson } from './print';

it('a JSON document has no character that a terminal would obey, and keeps its values', () => {
  const output = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const value = { 'a\u009b2J': 'b\r\u007f\u0085\u202e\u2028\u{e0001}é', list: ['\u001b[2J', '日本'] };
  try {
    printJson(value);
    const [[text]] = output.mock.calls as [[string]];
    expect(text).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+\n$/u);
    expect(text).toContain('é","list":["\\u001b[2J","日本"]}');
    expect(JSON.parse(text)).toEqual(value);
  } finally {
    output.mockRestore();
  }
});
