import { describe, expect, it } from 'vitest';
import { withMathSigns } from './math-signs.ts';

describe('formulas', () => {
  it.each([
    ['between parentheses', String.raw`so \( x_1 + 2 \) is`, 'so $$x_1 + 2$$ is'],
    ['between brackets in a line', String.raw`so \[ x^2 \] is`, 'so $$ x^2 $$ is'],
    ['on a line of their own', 'a\n\n  \\[ x^2 \\]\nb', 'a\n\n  $$\n  x^2\n  $$\nb'],
    ['between dollars on such a line', 'a\n\n$$x^2$$\n', 'a\n\n$$\nx^2\n$$\n'],
    ['over several lines', '\\[\na\n= b\n\\]', '$$\na\n= b\n$$'],
    [
      'between single dollars',
      'as $a^2+b^2=c^2$, and $n$ or $f(x, y)$.',
      'as $$a^2+b^2=c^2$$, and $$n$$ or $$f(x, y)$$.',
    ],
  ])('are read %s', (_, text, shown) => {
    expect(withMathSigns(text)).toBe(shown);
  });

  it.each([
    'It costs $5 and $6 today, or $7/$8.',
    'Set $HOME and $PATH, $a=$b.',
    'Between $A and B$ there is none.',
    'An open \\( one\n\nand its \\) end in another paragraph.',
    'In code: `$a^2$ \\(x\\)` and ``a ` $b_1$``.',
    '```sh\necho "$a_1$" \\[ x \\]\n```\n',
    'Still open:\n\n```tex\n\\[ x^2 \\]\n$a_1$\n',
    '> ~~~\n> $a_1$\n> ~~~',
    'Nothing at all.',
  ])('are not taken from %j', (text) => {
    expect(withMathSigns(text)).toBe(text);
  });

  it('are read behind code, and take no long time where there are none', () => {
    expect(withMathSigns('`a` $x_1$\n```\n$x_1$\n```\n$x_1$')).toBe('`a` $$x_1$$\n```\n$x_1$\n```\n$$x_1$$');
    const long = '\\( \\[ $ '.repeat(20_000);
    expect(withMathSigns(long)).toBe(long);
  });
});
