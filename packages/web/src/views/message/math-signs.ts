/** Code keeps its signs: fences, also one that is still open, and code in a line. */
const code =
  /(^[ \t>]*(`{3,}|~{3,})[^\n]*\n[^]*?(?:^[ \t>]*\2[`~]*[ \t]*$|$(?![^])))|(`+)[^`](?:[^]*?[^`])?\3(?!`)/gm;

/** `\[ … \]` and `$$ … $$` that have their lines to themselves. */
const display = /^([ \t>]*)(?:\\\[|\$\$)[ \t]*(\S[^\n]*?)[ \t]*(?:\\\]|\$\$)[ \t]*$/gm;
/** `\[ … \]` elsewhere, and over lines. */
const brackets = /\\\[((?:[^\n]|\n(?!\s*\n)){1,2000}?)\\\]/g;
const parentheses = /\\\(((?:[^\n]|\n(?!\s*\n)){1,500}?)\\\)/g;
/** Dollars with text right behind the first and right in front of the last, and no digit or word around them. */
const dollars = /(?<![\\$\w])\$(?![\s$])([^$\n]{1,300})(?<![\s\\])\$(?![\d$\w])/g;
/** What stands in a formula and hardly between two prices. */
const isFormula = /[\\^_{}=<>+]|^[a-z]['′]?$|^[a-z]\([a-z](?:, ?[a-z])*\)$/i;

/**
 * Markdown with all formulas in the one form that is read here, two dollars: models write `\( … \)`, `\[ … \]` and
 * `$ … $` as well. A dollar that is a price or a variable stays one, and code stays as it is.
 */
export function withMathSigns(text: string): string {
  if (!/\$|\\[([]/.test(text)) return text;
  let shown = '';
  let end = 0;
  for (const found of text.matchAll(code)) {
    shown += inOneForm(text.slice(end, found.index)) + found[0];
    end = found.index + found[0].length;
  }
  return shown + inOneForm(text.slice(end));
}

function inOneForm(text: string): string {
  return text
    .replace(display, (_, lead: string, formula: string) => `${lead}$$\n${lead}${formula}\n${lead}$$`)
    .replace(brackets, (_, formula: string) => `$$${formula}$$`)
    .replace(parentheses, (_, formula: string) => `$$${formula.trim()}$$`)
    .replace(dollars, (all, formula: string) => (isFormula.test(formula) ? `$$${formula}$$` : all));
}
