// Words that make a sentence a rule, in the languages agents are used in most. A language that is missing here only
// loses the preference for such sentences; nothing else depends on it.
const latinRule =
  /(?:^|[^\p{L}])(?:never|must|mustn['’]t|do not|don['’]t|only|always|cannot|shall|nie|niemals|immer|nur|muss|müssen|darf|keine?|jamais|toujours|seulement|ne pas|siempre|nunca|solo|sólo|debe|sempre|mai|soltanto|никогда|всегда|нельзя|только|должен|должна|должны)(?:[^\p{L}]|$)/iu;
const otherRule =
  /不要|必须|必須|禁止|绝不|決して|只能|务必|一定要|してはいけない|しないで|ないこと|必ず|常に|のみ|하지 마|반드시|항상|절대|만 사용/;

const maxSentences = 40;
const maxSentenceChars = 600;

/** The sentences of a text that state a rule (never, must, only, always, do not …), verbatim and in order. */
export function instructionSentences(text: string): string[] {
  const found: string[] = [];
  for (const sentence of sentences(text)) {
    if (sentence.length > maxSentenceChars || !isRule(sentence)) continue;
    found.push(sentence);
    if (found.length === maxSentences) break;
  }
  return found;
}

/** Whether a sentence states a rule. */
function isRule(sentence: string): boolean {
  return latinRule.test(sentence) || otherRule.test(sentence);
}

const sentenceEnds = new Set([...'.!?。！？'].map((character) => character.charCodeAt(0)));

/** A text cut at line ends, and at full stops before white space or in scripts that need none. Linear. */
function sentences(text: string): string[] {
  const found: string[] = [];
  let start = 0;
  for (let index = 0; index <= text.length; index++) {
    const code = index === text.length ? 10 : text.charCodeAt(index);
    const isStop = sentenceEnds.has(code) && (code > 0x2e7f || !(text.charCodeAt(index + 1) > 32));
    if (code !== 10 && !isStop) continue;
    const sentence = text.slice(start, code === 10 ? index : index + 1).trim();
    if (sentence.length > 3) found.push(sentence);
    start = index + 1;
  }
  return found;
}
