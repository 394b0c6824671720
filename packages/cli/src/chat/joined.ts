export function joined(sentence: string, next: string): string {
  const ended = /[.!?…]$/.test(sentence.trim()) ? sentence.trim() : `${sentence.trim()}.`;
  return next === '' ? ended : `${ended} ${next}`;
}
