import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scriptAwareEstimator } from './estimator.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 400 });

describe('scriptAwareEstimator', () => {
  it('counts nothing for the empty text', () => {
    expect(scriptAwareEstimator.count('')).toBe(0);
  });

  it('never falls when text is appended, and is a finite number', () => {
    fc.assert(
      fc.property(anyText, anyText, (head, tail) => {
        const whole = scriptAwareEstimator.count(head + tail);
        expect(Number.isFinite(whole)).toBe(true);
        expect(whole).toBeGreaterThanOrEqual(scriptAwareEstimator.count(head));
      }),
    );
  });

  it('lets no character be free', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 65_535 }), (code) => {
        expect(scriptAwareEstimator.count(String.fromCharCode(code).repeat(1_000))).toBeGreaterThan(3);
      }),
    );
  });

  it('counts two texts together as it counts them apart, but for the seam', () => {
    fc.assert(
      fc.property(anyText, anyText, (head, tail) => {
        const apart = scriptAwareEstimator.count(head) + scriptAwareEstimator.count(tail);
        expect(Math.abs(scriptAwareEstimator.count(head + tail) - apart)).toBeLessThan(8);
      }),
    );
  });

  // Tokens as o200k counts them; the texts are not among those the weights were fitted to.
  it.each([
    ['English', 'The agent reads the file, changes two lines and runs the tests again.\n', 15],
    ['German', 'Der Agent liest die Datei, ändert zwei Zeilen und startet die Prüfungen erneut.\n', 18],
    ['Japanese', 'エージェントはファイルを読み、二行を変更して、もう一度テストを実行します。\n', 26],
    ['Chinese', '代理读取文件，修改两行，然后再次运行测试。\n', 12],
    ['Korean', '에이전트는 파일을 읽고 두 줄을 바꾼 뒤 테스트를 다시 실행합니다.\n', 23],
    ['Russian', 'Агент читает файл, меняет две строки и снова запускает тесты.\n', 18],
    [
      'code',
      'export function sum(values: readonly number[]): number {\n  return values.reduce((a, b) => a + b, 0);\n}\n',
      28,
    ],
    ['JSON', '{"path":"/src/index.ts","line":42,"matches":["a","b"],"ok":true}\n', 23],
    ['base64', 'x8Kq2ZrT0vWm5LpYd3HsB9nQeJ7uGfRa1CtXo6NiMzVbDkEwSgPhFyUjOlIq\n', 51],
    ['UUID', '7f9c24e8-3b12-4fef-91e0-5a8b0d3a7c11\n', 32],
  ])('estimates a single sentence of %s within two fifths', (_kind, text, tokens) => {
    const repeated = text.repeat(20);
    expect(scriptAwareEstimator.count(repeated) / (tokens * 20)).toBeGreaterThan(0.6);
    expect(scriptAwareEstimator.count(repeated) / (tokens * 20)).toBeLessThan(1.4);
  });

  // Who does it in the square of the length never ends within a test.
  it.each(['a', ' ', '漢', '😀', 'iVBORw0KGgo', '\ud800'])('gets through a million times %j', (unit) => {
    expect(scriptAwareEstimator.count(unit.repeat(1_000_000))).toBeGreaterThan(1_000);
  });
});
