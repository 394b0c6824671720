interface Spoken {
  readonly role: string;
}

/** The first message of each run of the assistant's: a request was sent in front of it. */
export function answerStarts(entries: Iterable<Spoken>): number[] {
  const starts: number[] = [];
  let index = 0;
  let before: string | undefined;
  for (const { role } of entries) {
    if (role === 'assistant' && before !== undefined && before !== 'assistant') starts.push(index);
    before = role;
    index += 1;
  }
  return starts;
}
