import type { AnswerScript, Asked, ScriptedReply } from '@throughline/testkit';

/** A long piece of work: so many commands, one after the other, and a last word. */
export interface Work {
  readonly prompt: string;
  /** Its answer to every request: which step comes next stands in the last result. */
  readonly script: AnswerScript;
  /** With what the client must end. */
  readonly lastWord: string;
}

/** What the project of a client holds: prints one step of the work, with its number at both ends. */
export const stepProgram = {
  name: 'step.sh',
  text: `#!/bin/sh
echo "STEP $1 begins"
i=0
while [ $i -lt "$2" ]; do
  echo "line $i of step $1: the account was moved to the other ledger because the first one was closed, see note $i."
  i=$((i + 1))
done
echo "STEP $1 ends"
`,
};

const bytesPerLine = 115;

export interface WorkSize {
  readonly steps: number;
  /** Of the output of each step. */
  readonly bytes: number;
}

/** The script keeps nothing in mind: a request that is sent twice is answered the same. */
export function createWork({ steps, bytes }: WorkSize): Work {
  const lastWord = `All ${steps} steps are done, and the ledger agrees.`;
  const lines = Math.round(bytes / bytesPerLine);
  const stepAt = (step: number, asked: Asked): ScriptedReply => ({
    text: `Step ${step} is next.`,
    calls: [callOf(asked, `sh ${stepProgram.name} ${step} ${lines}`)],
  });
  return {
    prompt: `BEGIN THE WORK: run every step of ${stepProgram.name}, and say when all are done.`,
    lastWord,
    script: (asked) => {
      if (isCompaction(asked)) return { text: summaryOf(asked) };
      if (asked.question.includes('<history>')) return { text: record };
      // Who offers no tools wants a title of a talk.
      if (asked.toolNames.length === 0) return { text: aside };
      const done = lastStepIn(asked.question);
      if (done === undefined)
        return asked.question.includes('BEGIN THE WORK') ? stepAt(1, asked) : { text: aside };
      return done >= steps ? { text: lastWord } : stepAt(done + 1, asked);
    },
  };
}

const aside = 'The steps of a ledger are run one after the other.';

/** What the proxy asks for. */
const record = `## Completed Work
- step.sh was run for the first steps, one after the other
${'- a step of step.sh said that the account was moved to the other ledger because the first one was closed\n'.repeat(24)}
## Current State
- **Working on**: the steps of step.sh
- **Last completed**: the step before the newest result`;

/** What a client asks for that makes its own history shorter: it goes on from the step that stands in it. */
function summaryOf({ messages, question }: Asked): string {
  const said = [
    ...messages
      .map(({ text }) => text)
      .join('\n')
      .matchAll(/Step (\d+) is next/g),
  ].at(-1)?.[1];
  const text = `The user wants every step of step.sh to be run. The last one that was run: STEP ${said ?? 0} ends.`;
  return question.includes('<summary>') ? `<analysis>In order.</analysis>\n<summary>${text}</summary>` : text;
}

/** Claude Code asks for a summary in a block of its last message, Codex without tools. */
function isCompaction({ question, toolNames }: Asked): boolean {
  return (
    question.includes('<summary>') || (toolNames.length === 0 && question.includes('CONTEXT CHECKPOINT'))
  );
}

function lastStepIn(text: string): number | undefined {
  const found = [...text.matchAll(/STEP (\d+) (?:begins|ends)/g)].at(-1)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** How the clients name the tool that runs a command, and what it takes. */
const shells: Readonly<Record<string, (command: string) => object>> = {
  Bash: (command) => ({ command, description: 'Runs a step' }),
  bash: (command) => ({ command, description: 'Runs a step' }),
  exec_command: (command) => ({ cmd: command }),
  shell_command: (command) => ({ command }),
  run_shell_command: (command) => ({ command, is_background: false }),
};

function callOf({ toolNames }: Asked, command: string): { readonly name: string; readonly input: object } {
  const name = toolNames.find((one) => one in shells);
  if (name === undefined) throw new Error(`No known shell among the tools ${toolNames.join(', ')}`);
  return { name, input: shells[name]?.(command) ?? {} };
}
