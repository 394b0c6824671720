/** A body with a history of about so many bytes: turns with tools, as agents have them. */
export function bodyOf(bytes: number): string {
  const messages: unknown[] = [{ role: 'system', content: 'You are a careful agent.' }];
  const line = (turn: number): string =>
    `src/file${turn % 37}.ts:${turn}: const value${turn} = compute(${turn}, 'x');\n`;
  let size = 0;
  for (let turn = 0; size < bytes - 200; turn += 1) {
    const id = `call_${turn}`;
    const added = [
      { role: 'user', content: `Look at value${turn}, and say what it is for.` },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id, type: 'function', function: { name: 'grep', arguments: `{"pattern":"value${turn}"}` } },
        ],
      },
      { role: 'tool', tool_call_id: id, content: line(turn).repeat(Math.min(50, bytes / 400)) },
      { role: 'assistant', content: `It is the value number ${turn} of the table.` },
    ];
    messages.push(...added);
    size += JSON.stringify(added).length;
  }
  messages.push({ role: 'user', content: 'And now?' });
  return JSON.stringify({ model: 'm', stream: true, messages });
}

const mostTurns = 100;

/** A client that goes on: each body has one turn more than the one before, until it begins another conversation. */
export function goingOn(body: string): () => string {
  let turn = 0;
  let added = '';
  return () => {
    const conversation = Math.floor(turn / mostTurns);
    added = turn % mostTurns === 0 ? '' : `${added},${JSON.stringify(turnOf(turn)).slice(1, -1)}`;
    turn += 1;
    const other = body.replace('You are a careful agent.', `You are agent number ${conversation}.`);
    return other.replace(/\]\}$/, () => `${added}]}`);
  };
}

function turnOf(turn: number): readonly unknown[] {
  return [
    { role: 'assistant', content: `It is the answer number ${turn}.` },
    { role: 'user', content: `And what of ${turn}?` },
  ];
}
